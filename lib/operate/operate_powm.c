/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Powers modulo m: what the host does, and the device's part. */
#include "lib/operate/operate_powm.h"

#include <string.h>

#include "lib/calc/calc_check.h"
#include "lib/calc/calc_powm.h"
#include "lib/calc/calc_reciprocal.h"
#include "lib/operate/composition.h"
#include "lib/operate/first_reciprocal.h"
#include "lib/process/hold.h"

enum { QUAD_LIMBS = 2, MOST_MICROSECONDS = 4000000, STEP_MICROSECONDS = 120, STEP_LIMBS = 700 };
enum {
    MOST_EXPONENT = MOST_MICROSECONDS / STEP_MICROSECONDS / 64
}; /* limbs of one that is short */

struct work {
    struct operate_power p;
    struct calc_powm powm;
    mp_ptr r;
    const mp_limb_t *first;
    uint64_t first_quads;
};

/* By the times of an H200: a step takes so many microseconds, and one more for so many limbs. */
bool operate_powm_is_short(size_t mn, size_t en) {
    return en < MOST_MICROSECONDS &&
           calc_powm_steps(64 * en) <= MOST_MICROSECONDS / (STEP_MICROSECONDS + mn / STEP_LIMBS);
}

/* A copy to `to`.  The exponent lies in memory of the program's, which goes on where the device has
 * not answered in time. */
static void read_exponent(struct calc *c, struct work *k, mp_ptr to) {
    if (c->status == GPU_OK && !hold_enter(c->s->hold))
        c->status = hold_refusal(c->s->hold);
    if (c->status != GPU_OK)
        return;
    memcpy(to, k->p.ep, k->p.en * sizeof *to);
    hold_leave(c->s->hold);
    k->powm.exponent = to;
}

static void power(struct calc *c, void *argument) {
    struct work *k = argument;
    const struct operate_power *p = &k->p;
    mp_limb_t exponent[MOST_EXPONENT];
    read_exponent(c, k, exponent);
    if (c->status != GPU_OK)
        return;
    struct number modulus = calc_operand(c, p->mp, p->mn, CALC_QUAD * k->powm.by.n);
    struct number b = calc_operand(c, p->bp, p->bn, calc_words(64 * p->bn));
    struct number first = calc_upload(c, k->first, QUAD_LIMBS * (k->first_quads + 1),
                                      CALC_QUAD * (k->first_quads + 1));
    calc_download(c, k->r, calc_powm(c, &k->powm, b, modulus, first), p->mn);
    k->powm.exponent = NULL;
}

static enum outcome run(struct work *k, const struct touch *touches, size_t count) {
    const struct operate_power *p = &k->p;
    mp_limb_t first[FIRST_RECIPROCAL_LIMBS];
    uint64_t bits = first_reciprocal_bits(p->mp, p->mn);
    k->powm.by = calc_modulus_plan(bits);
    k->powm.bits = first_reciprocal_bits(p->ep, p->en);
    k->powm.is_reduced = first_reciprocal_bits(p->bp, p->bn) <= bits;
    k->first_quads = calc_reciprocal_first(k->powm.by.k);
    first_reciprocal(first, k->first_quads, p->mp, p->mn, CALC_LAZY_BITS);
    k->first = first;
    return composition_run_long(power, k, sizeof *k, touches, count, 2 * p->mn);
}

enum outcome operate_powm(const struct operate_power *p) {
    const struct touch touches[] = {{p->bp, p->bn * sizeof *p->bp, false},
                                    {p->ep, p->en * sizeof *p->ep, false},
                                    {p->mp, p->mn * sizeof *p->mp, false},
                                    {p->rp, p->mn * sizeof *p->rp, true}};
    const size_t count = sizeof touches / sizeof *touches;
    struct work k = {.p = *p};
    struct composition_result r;
    if (p->en > MOST_EXPONENT)
        return OUTCOME_SIZE;
    if (!composition_result_begin(&r, p->rp, p->mn, touches, count))
        return OUTCOME_MEMORY;
    k.r = composition_result_limbs(&r);
    enum outcome outcome = run(&k, touches, count);
    composition_result_end(&r, outcome == OUTCOME_DONE);
    return outcome;
}
