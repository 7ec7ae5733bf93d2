/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Known answers of kernels/sums/remainder.cl. */
#include <stdlib.h>

#include "kernels/common/carry.h"
#include "lib/multiply/remainder.h"
#include "lib/selftest/known_answer.h"
#include "lib/selftest/selftest.h"
#include "lib/transfer/transfer.h"

/* Of N and P so many words are the host's; N's higher ones begin behind its lowest HIGH. */
enum { WORDS = 2 * CARRY_CHUNK + 20, HIGH = CARRY_CHUNK + 24, ALL = WORDS + 24, FACTOR = 4 };

/* {low, WORDS} + {high, HIGH} - {p, WORDS} - k. */
static bool is_right(const uint32_t *r, const uint32_t *low, const uint32_t *high,
                     const uint32_t *p, int k) {
    int64_t sum = -k;
    for (size_t i = 0; i < WORDS; i++, sum >>= 32) {
        sum += (int64_t)low[i] + (i < HIGH ? high[i] : 0) - p[i];
        if (r[i] != (uint32_t)sum)
            return false;
    }
    return true;
}

/* q d, d = 1, is what makes that k of the lowest words.  N are u's words and P v's, or the other
 * way round; N's higher words begin at word `from`, as if P had so many. */
static enum gpu_status verify(struct known_answer *t, uint64_t from, bool swaps, int k) {
    const uint32_t *low = t->host + (swaps ? t->n : 0), *p = t->host + (swaps ? 0 : t->n);
    const uint32_t factors[2 * FACTOR] = {p[0] - low[from] + (uint32_t)k, 0, 0, 0, 1};
    uint32_t *r = t->host + 2 * t->n;
    struct number n = number_part(swaps ? t->v : t->u, 0, from + HIGH),
                  product = number_part(swaps ? t->u : t->v, 0, from),
                  q = number_part(t->r, WORDS + FACTOR, FACTOR),
                  d = number_part(t->r, WORDS + 2 * FACTOR, FACTOR);
    enum gpu_status status = transfer_up(t->s->transfer, &t->s->queue, q.mem,
                                         q.at * sizeof(uint32_t), factors, sizeof factors);
    if (status == GPU_OK)
        status = remainder_make(t->s, number_part(t->r, 0, WORDS), n, product, q, d);
    if (status == GPU_OK)
        status = transfer_down(t->s->transfer, &t->s->queue, r, t->r.mem, 0, WORDS * sizeof *r);
    if (status == GPU_OK && !is_right(r, low, low + from, p, k))
        status = known_answer_wrong(t->s, "remainder", WORDS);
    return status;
}

static enum gpu_status verify_all(struct context *s) {
    struct known_answer t;
    enum gpu_status status = known_answer_begin(&t, s, ALL + HIGH);
    for (int i = 0; i < 6 && status == GPU_OK; i++)
        status = verify(&t, ALL - 4 * (uint64_t)i, i & 1, i % 3 - 1);
    free(t.host);
    return status;
}

enum gpu_status selftest_remainder(struct context *s) {
    enum gpu_status status = s->verified_remainder ? GPU_OK : verify_all(s);
    s->verified_remainder = status == GPU_OK;
    return status;
}
