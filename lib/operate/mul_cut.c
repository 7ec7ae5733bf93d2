/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products that are too large for the device's memory: the longer operand is halved, as
 * often as it takes, and the products of the halves are added up in the result.  Each is an
 * operation of its own, with its check. */
#include "lib/operate/mul.h"

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

static enum mpgpu_why multiply(struct addmul *a);

/* Why it was not done: the whole product has asked for too much memory, so there was a
 * device. */
static enum mpgpu_why multiply_half(struct addmul *half) {
    enum mpgpu_why why = multiply(half);
    return why == WHY_NONE ? WHY_MEMORY : why;
}

/* By halves of u.  The low half's product ends at h + vn, below the end of the high one's;
 * all limbs up to there then count, and those that counted before. */
static enum mpgpu_why multiply_halves(struct addmul *a) {
    size_t h = a->un / 2, end = h + a->vn;
    struct addmul low = {a->rp, a->up, h, a->vp, a->vn, a->old < end ? a->old : end, 0};
    enum mpgpu_why why = multiply_half(&low);
    if (why != WHY_DONE)
        return why;
    a->old = a->old < end ? end : a->old;
    if (low.carry)
        increment(a, end);
    struct addmul high = {a->rp + h, a->up + h, a->un - h, a->vp, a->vn, a->old - h, 0};
    why = multiply_half(&high);
    a->carry += high.carry;
    return why;
}

static enum mpgpu_why multiply(struct addmul *a) {
    if (a->un < a->vn) {
        struct addmul swapped = *a;
        swapped.up = a->vp, swapped.un = a->vn;
        swapped.vp = a->up, swapped.vn = a->un;
        enum mpgpu_why why = multiply(&swapped);
        a->carry = swapped.carry;
        return why;
    }
    int may_be_cut = a->un >= LEAST_LIMBS;
    enum mpgpu_why why =
        mpgpu_addmul(a->rp, a->up, a->un, a->vp, a->vn, a->old, may_be_cut, &a->carry);
    return why == WHY_MEMORY && may_be_cut ? multiply_halves(a) : why;
}

enum mpgpu_why mpgpu_mul(mp_limb_t *rp, const mp_limb_t *up, size_t un, const mp_limb_t *vp,
                         size_t vn) {
    struct addmul a = {rp, up, un, vp, vn, 0, 0};
    enum mpgpu_why why = multiply(&a);
    if (why != WHY_DONE || a.carry == 0)
        return why;
    session_fault(); /* there is no limb above: a word was wrong */
    return WHY_FAILED;
}
