/* SPDX-License-Identifier: LGPL-3.0-or-later
 * From limbs to digits: what the host does, and the device's part.
 *
 * The check: the residue of the text, computed digit by digit from what is downloaded, is that of
 * the number, and each of its characters is a digit.  It covers all that lies between: powers,
 * reciprocal, fractions, leaves.  The device computes it, or the host with verify:residue.
 *
 * The reciprocal's first approximation needs the highest quads of b^m, m digits in all leaves.  The
 * host squares the leaf's power, cut off to two limbs more than that.  With x such a number, of n
 * limbs, y = x^2 cut off likewise has less than 2 e + 2 units of error where x has e: less than
 * 2^(levels + 2) in the end, which the lowest limb takes.  Unless the limb above is all ones, what
 * lies above both is right, and so is the number of bits. */
#include "lib/calc/calc_check.h"
#include "lib/calc/calc_radix.h"
#include "lib/calc/calc_reciprocal.h"
#include "lib/gmp/real.h"
#include "lib/operate/composition.h"
#include "lib/operate/first_reciprocal.h"
#include "lib/operate/operate_radix.h"
#include "lib/selftest/selftest.h"

enum { QUAD_LIMBS = 2, SPARE = 2, POWER_LIMBS = FIRST_RECIPROCAL_LIMBS + SPARE };

/* What the device's part is given.  The text has k->most digits, or one less. */
struct work {
    struct calc_cut cut;
    unsigned char *sp;
    uint64_t least, most, skipped;
    unsigned characters;
    mp_srcptr up;
    size_t un;
    mp_limb_t leaf[CALC_RADIX_LEAF_LIMBS];
    uint64_t power_bits;
    const mp_limb_t *first;
    uint64_t first_quads;
};

static void download_text(struct calc *c, struct work *k, const struct calc_text *text) {
    unsigned char highest = 0;
    if (k->least < k->most)
        calc_download_bytes(c, &highest, text->bytes, 0, 1);
    k->skipped = k->least < k->most && highest == text_character(0, k->characters);
    calc_download_bytes(c, k->sp, text->bytes, k->skipped, k->most - k->skipped);
}

static void get(struct calc *c, void *argument) {
    struct work *k = argument;
    struct number power[CALC_RADIX_LEVELS + 1];
    struct calc_text text = {.n = k->most, .whole = k->most, .characters = k->characters};
    if (c->is_planning && c->status == GPU_OK)
        c->status = selftest_radix(c->s);
    struct number leaf = calc_upload(c, k->leaf, CALC_RADIX_LEAF_LIMBS, RADIX_LEAF_WORDS);
    struct number first = calc_upload(c, k->first, QUAD_LIMBS * (k->first_quads + 1),
                                      CALC_QUAD * (k->first_quads + 1));
    struct number u = calc_operand(c, k->up, k->un, calc_words(k->power_bits));
    text.bytes = calc_take(c, calc_words(8 * k->most));
    calc_radix_powers(c, &k->cut, power, leaf);
    struct number f =
        calc_radix_fraction(c, &k->cut, u, power[k->cut.levels], k->power_bits, first);
    calc_radix_get(c, &k->cut, power, &text, f);
    download_text(c, k, &text);
    calc_text_demand(c, &k->cut, &text, u, number_part(u, 0, 0));
}

/* {x, n} 2^shift with its highest bit set; the shift. */
static unsigned highest_bit(mp_ptr x, mp_size_t n) {
    unsigned shift = (unsigned)__builtin_clzl(x[n - 1]);
    if (shift)
        mpn_lshift(x, x, n, shift);
    return shift;
}

/* The highest n limbs of b^m, cut off, with the highest bit set; b^m's bits.  0 where the error may
 * reach beyond the lowest limb. */
static uint64_t power_limbs(mp_ptr x, mp_size_t n, const struct work *k) {
    mp_limb_t square[2 * POWER_LIMBS];
    uint64_t bits = 64 * CALC_RADIX_LEAF_LIMBS;
    mp_size_t have = CALC_RADIX_LEAF_LIMBS;
    for (; k->leaf[have - 1] == 0; bits -= 64)
        have--;
    mpn_zero(square, 2 * n);
    mpn_copyi(square + 2 * n - have, k->leaf, have);
    bits -= highest_bit(square, 2 * n);
    mpn_copyi(x, square + n, n);
    for (unsigned j = 0; j < k->cut.levels; j++) {
        real.mpn_sqr(square, x, n);
        bits = 2 * bits - highest_bit(square, 2 * n);
        mpn_copyi(x, square + n, n);
    }
    return x[1] == ~(mp_limb_t)0 ? 0 : bits;
}

static enum outcome run(struct work *k) {
    mp_limb_t power[POWER_LIMBS], first[FIRST_RECIPROCAL_LIMBS];
    const struct touch touches[] = {{k->up, k->un * sizeof *k->up, false}, {k->sp, k->most, true}};
    operate_radix_leaf(k->leaf, k->cut.base, k->cut.digits);
    k->first_quads = calc_reciprocal_first(calc_radix_reciprocal_quads(&k->cut));
    k->first = first;
    size_t n = QUAD_LIMBS * (k->first_quads + 1);
    k->power_bits = power_limbs(power, (mp_size_t)(n + SPARE), k);
    if (k->power_bits == 0)
        return OUTCOME_SIZE;
    first_reciprocal(first, k->first_quads, power + SPARE, n, 0);
    return composition_run(get, k, sizeof *k, touches, 2);
}

enum outcome operate_radix_get(unsigned char *sp, size_t *n, mp_srcptr up, size_t un, unsigned base,
                               unsigned characters) {
    struct work k = {.sp = sp, .up = up, .un = un, .characters = characters};
    unsigned zeros = (unsigned)__builtin_clzl(up[un - 1]);
    mp_limb_t top = up[un - 1] << zeros;
    if (zeros > 0 && un > 1)
        top |= up[un - 2] >> (64 - zeros);
    calc_cut_digits(base, top, 64 * un - zeros, &k.least, &k.most);
    k.cut = calc_cut_plan(base, k.most);
    if (k.cut.levels < 1)
        return OUTCOME_SMALL;
    if (k.cut.levels > CALC_RADIX_LEVELS)
        return OUTCOME_SIZE;
    enum outcome outcome = run(&k);
    *n = k.most - k.skipped;
    if (outcome == OUTCOME_DONE)
        outcome = operate_radix_verify(sp, *n, base, characters | TEXT_EXACT, up, un);
    return outcome;
}
