/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Checks radix conversions on the host: the residue of the text is that of the number, both read
 * from host memory. */
#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/device/tables.h"
#include "lib/algorithms/radix_job.h"
#include "lib/session/session.h"

__extension__ typedef unsigned __int128 wide;

/* The values of all characters. */
struct values {
    mp_limb_t of[256];
    mp_limb_t base;
};

static struct values values_of(unsigned base, unsigned characters) {
    struct values v = {.base = base};
    for (unsigned c = 0; c < 256; c++)
        v.of[c] = text_value(c, base, characters);
    return v;
}

/* *x = the number of a text of so few digits that a limb holds it.  Returns false if a character is
 * no digit. */
static bool read_chunk(mp_limb_t *x, const unsigned char *sp, size_t n, const struct values *v) {
    bool is_text = true;
    *x = 0;
    for (size_t i = 0; i < n; i++) {
        is_text &= v->of[sp[i]] < v->base;
        *x = *x * v->base + v->of[sp[i]];
    }
    return is_text;
}

/* *r = the number of the text {sp, n} modulo m < 2^63.  Returns false if a character is no digit.
 */
static bool read_residue(mp_limb_t *r, const unsigned char *sp, size_t n, const struct values *v,
                         mp_limb_t m) {
    mp_limb_t power = v->base, chunk;
    size_t per = 1;
    bool is_text = true;
    for (; power <= ~(mp_limb_t)0 / v->base; power *= v->base)
        per++;
    *r = 0;
    for (size_t size = n % per; n > 0; sp += size, n -= size, size = per) {
        is_text &= read_chunk(&chunk, sp, size, v);
        *r = (mp_limb_t)(((wide)*r * power + chunk) % m);
    }
    return is_text;
}

static bool is_right(const unsigned char *sp, size_t n, unsigned base, unsigned characters,
                     mp_srcptr up, size_t un) {
    const struct values v = values_of(base, characters);
    mp_limb_t r, m = tables_check_modulus().m;
    bool is_text = read_residue(&r, sp, n, &v, m);
    bool has_zero = characters & TEXT_EXACT && n > 0 && v.of[sp[0]] == 0;
    if (!up)
        return !is_text;
    return is_text && !has_zero && r == (un ? mpn_mod_1(up, (mp_size_t)un, m) : 0);
}

enum outcome radix_verify(const unsigned char *sp, size_t n, unsigned base, unsigned characters,
                          mp_srcptr up, size_t un) {
    if (mpgpu_conf.verify < VERIFY_RESIDUE || is_right(sp, n, base, characters, up, un))
        return OUTCOME_DONE;
    session_fault();
    mpgpu_log(LOG_WARNING, "wrong radix conversion of %zu digits from the device; GMP computes it",
              n);
    return OUTCOME_FAILED;
}
