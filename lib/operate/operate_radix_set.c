/* SPDX-License-Identifier: LGPL-3.0-or-later
 * From digits to limbs: what the host does, and the device's part.
 *
 * The check: the residue of the text, computed digit by digit from what was uploaded, is that of
 * the number, and it finds another character where the leaves do.  It covers all that lies between:
 * leaves, powers, levels.  The device computes it, or the host with verify:residue. */
#include <string.h>

#include "lib/base/ceil_div.h"
#include "lib/base/conf.h"
#include "lib/base/min.h"
#include "lib/calc/calc_check.h"
#include "lib/calc/calc_radix.h"
#include "lib/gmp/normalize.h"
#include "lib/operate/composition.h"
#include "lib/operate/operate_radix.h"
#include "lib/selftest/selftest.h"

enum { LIMB = 8 }; /* bytes */

/* What the device's part is given. */
struct work {
    struct calc_cut cut;
    const unsigned char *sp;
    size_t n;
    uint64_t tail; /* what remains behind whole limbs */
    unsigned characters;
    mp_ptr rp;
    size_t rn;
    mp_limb_t leaf[CALC_RADIX_LEAF_LIMBS];
    uint32_t is_wrong[2]; /* what is no digit was seen: by the leaves, and by the check */
};

void operate_radix_leaf(mp_ptr p, unsigned base, unsigned digits) {
    mpn_zero(p, CALC_RADIX_LEAF_LIMBS);
    p[0] = 1;
    for (; digits > 0; digits--)
        mpn_mul_1(p, p, CALC_RADIX_LEAF_LIMBS, base);
}

/* The text in whole limbs; what remains goes along with each launch. */
static struct calc_text text_of(struct calc *c, const struct work *k) {
    uint64_t limbs = k->n / LIMB;
    struct calc_text text = {
        .n = k->n, .whole = LIMB * limbs, .tail = k->tail, .characters = k->characters};
    text.bytes = calc_operand(c, k->sp, limbs, calc_words(64 * limbs));
    return text;
}

/* The residues do not tell: both read the same from a character that is no digit. */
static void demand_same(struct calc *c, const struct work *k) {
    bool is_checked = mpgpu_conf.verify == VERIFY_DEVICE;
    if (is_checked && c->status == GPU_OK && k->is_wrong[0] != k->is_wrong[1])
        c->status = GPU_FAILED;
}

static void set(struct calc *c, void *argument) {
    struct work *k = argument;
    struct number power[CALC_RADIX_LEVELS + 1];
    const uint64_t words = RADIX_LEAF_WORDS;
    if (c->is_planning && c->status == GPU_OK)
        c->status = selftest_radix(c->s);
    struct number leaf = calc_upload(c, k->leaf, CALC_RADIX_LEAF_LIMBS, words);
    struct calc_text text = text_of(c, k);
    struct number wrong = calc_take(c, CALC_QUAD);
    struct calc_cut below = k->cut; /* the last power is not wanted */
    below.levels -= below.levels > 0;
    calc_zero(c, wrong);
    calc_radix_powers(c, &below, power, leaf);
    struct number r = calc_radix_set(c, &k->cut, power, &text, wrong);
    calc_series(c); /* text.tail is another each time */
    calc_text_demand(c, &k->cut, &text, r, number_part(wrong, 1, 1));
    calc_doubt(c, text.bytes);
    calc_download(c, k->is_wrong, wrong, 1);
    demand_same(c, k);
    if (!k->is_wrong[0])
        calc_download(c, k->rp, r, k->rn);
}

enum outcome operate_radix_set(mp_ptr rp, size_t *rn, size_t most, const unsigned char *sp,
                               size_t n, unsigned base, unsigned characters, bool *is_number) {
    struct work k = {.cut = calc_cut_plan(base, n), .sp = sp, .n = n, .characters = characters};
    k.rp = rp;
    k.rn = min_u64(ceil_div(calc_cut_bits(&k.cut, n), 64), most);
    const struct touch touches[] = {{sp, n, false}, {rp, k.rn * sizeof *rp, true}};
    if (k.cut.levels < 1)
        return OUTCOME_SMALL;
    if (k.cut.levels > CALC_RADIX_LEVELS)
        return OUTCOME_SIZE;
    operate_radix_leaf(k.leaf, base, k.cut.digits);
    memcpy(&k.tail, sp + n / LIMB * LIMB, n % LIMB);
    enum outcome outcome = composition_run(set, &k, sizeof k, touches, 2);
    *is_number = outcome == OUTCOME_DONE && !k.is_wrong[0];
    *rn = *is_number ? normalize(rp, k.rn) : 0;
    if (outcome != OUTCOME_DONE)
        return outcome;
    return operate_radix_verify(sp, n, base, characters, *is_number ? rp : NULL, *rn);
}
