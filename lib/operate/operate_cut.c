/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products that are too large for the device's memory: the longer operand is halved, as
 * often as it takes, and the products of the halves are added up in the result.  Each is an
 * operation of its own, with its check. */
#include "lib/operate/operate.h"

#include "lib/operate/shares/product_shares.h"
#include "lib/session/session.h"

#define LEAST_LIMBS 8192 /* operands are not cut below that */

/* A product that is added to what the result holds: {rp, un + vn} = {up, un} * {vp, vn} +
 * {rp, old}, and what leaves it. */
struct addmul {
    mp_limb_t *rp;
    const mp_limb_t *up;
    size_t un;
    const mp_limb_t *vp;
    size_t vn, old;
    mp_limb_t carry;
};

/* Add 1 at limb `at` of a result whose first a->old limbs count. */
static void increment(struct addmul *a, size_t at) {
    for (; at < a->old; at++)
        if (++a->rp[at] != 0)
            return;
    if (a->old < a->un + a->vn)
        a->rp[a->old++] = 1;
    else
        a->carry = 1;
}

static enum outcome multiply(struct addmul *a);

/* Why it was not done: the whole product has asked for too much memory, so there was a
 * device. */
static enum outcome multiply_half(struct addmul *half) {
    enum outcome outcome = multiply(half);
    return outcome == OUTCOME_NONE ? OUTCOME_MEMORY : outcome;
}

/* By halves of u.  The low half's product ends at h + vn, below the end of the high one's;
 * all limbs up to there then count, and those that counted before. */
static enum outcome multiply_halves(struct addmul *a) {
    size_t h = a->un / 2, end = h + a->vn;
    struct addmul low = {a->rp, a->up, h, a->vp, a->vn, a->old < end ? a->old : end, 0};
    enum outcome outcome = multiply_half(&low);
    if (outcome != OUTCOME_DONE)
        return outcome;
    a->old = a->old < end ? end : a->old;
    if (low.carry)
        increment(a, end);
    struct addmul high = {a->rp + h, a->up + h, a->un - h, a->vp, a->vn, a->old - h, 0};
    outcome = multiply_half(&high);
    a->carry += high.carry;
    return outcome;
}

static enum outcome multiply(struct addmul *a) {
    if (a->un < a->vn) {
        struct addmul swapped = *a;
        swapped.up = a->vp, swapped.un = a->vn;
        swapped.vp = a->up, swapped.vn = a->un;
        enum outcome outcome = multiply(&swapped);
        a->carry = swapped.carry;
        return outcome;
    }
    int may_be_cut = a->un >= LEAST_LIMBS;
    enum outcome outcome =
        operate_addmul(a->rp, a->up, a->un, a->vp, a->vn, a->old, may_be_cut, &a->carry);
    return outcome == OUTCOME_MEMORY && may_be_cut ? multiply_halves(a) : outcome;
}

/* By one device. */
static enum outcome multiply_alone(mp_limb_t *rp, const mp_limb_t *up, size_t un,
                                   const mp_limb_t *vp, size_t vn) {
    struct addmul a = {rp, up, un, vp, vn, 0, 0};
    enum outcome outcome = multiply(&a);
    if (outcome != OUTCOME_DONE || a.carry == 0)
        return outcome;
    session_fault(); /* there is no limb above: a word was wrong */
    return OUTCOME_FAILED;
}

enum outcome operate_mul(mp_limb_t *rp, const mp_limb_t *up, size_t un, const mp_limb_t *vp,
                         size_t vn) {
    int device = SESSION_ANY;
    if (product_in_shares(rp, up, un, vp, vn, &device) == OUTCOME_DONE)
        return OUTCOME_DONE;
    if (device == SESSION_ANY)
        return multiply_alone(rp, up, un, vp, vn);
    int before = session_bind(device);
    enum outcome outcome = multiply_alone(rp, up, un, vp, vn);
    session_bind(before);
    return outcome;
}
