/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Known answers of kernels/sums/halves.cl: what is joined has the halves that were given. */
#include <stdlib.h>

#include "kernels/common/carry.h"
#include "lib/multiply/halves.h"
#include "lib/selftest/known_answer.h"
#include "lib/selftest/selftest.h"
#include "lib/transfer/transfer.h"

enum { HALF = 3 * CARRY_CHUNK, STEP = 4, CASES = 8 };

/* Is {x, 2 HALF} modulo B^HALF - 1, or + 1, {half, HALF}?  A carry or borrow out comes in again as
 * 1. */
static bool has_half(const uint32_t *x, const uint32_t *half, bool plus) {
    int64_t carry = 0;
    bool is_same = true;
    for (int round = 0; round < 2; round++) {
        carry = carry != 0;
        is_same = true;
        for (size_t i = 0; i < HALF; i++, carry >>= 32) {
            carry += plus ? (int64_t)x[i] - x[HALF + i] : (int64_t)x[i] + x[HALF + i];
            is_same &= half[i] == (uint32_t)carry;
        }
    }
    return is_same;
}

/* Of words `at` on of u or v, and the other's first. */
static enum gpu_status verify_join(struct known_answer *t, size_t at, bool swaps) {
    const uint32_t *a = t->host + (swaps ? t->n : 0) + at, *b = t->host + (swaps ? 0 : t->n);
    uint32_t *r = t->host + 2 * t->n;
    enum gpu_status status = halves_make(t->s, number_part(t->r, 0, 2 * HALF),
                                         number_part(swaps ? t->v : t->u, at, HALF),
                                         number_part(swaps ? t->u : t->v, 0, HALF));
    if (status == GPU_OK)
        status = transfer_down(t->s->transfer, &t->s->queue, r, t->r.mem, 0, 2 * HALF * sizeof *r);
    if (status == GPU_OK && (!has_half(r, a, false) || !has_half(r, b, true)))
        status = known_answer_wrong(t->s, "product of halves", HALF);
    return status;
}

static enum gpu_status verify_halves(struct context *s) {
    struct known_answer t;
    enum gpu_status status = known_answer_begin(&t, s, HALF + STEP * CASES);
    for (size_t k = 0; k < CASES && status == GPU_OK; k++)
        status = verify_join(&t, STEP * k, k & 1);
    free(t.host);
    return status;
}

enum gpu_status selftest_halves(struct context *s) {
    enum gpu_status status = s->verified_halves ? GPU_OK : verify_halves(s);
    s->verified_halves = status == GPU_OK;
    return status;
}
