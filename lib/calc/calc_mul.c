/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products of device numbers.  By fft they could not be trusted before their check. */
#include "lib/base/conf.h"
#include "lib/calc/calc.h"
#include "lib/calc/calc_head.h"
#include "lib/device/answers.h"
#include "lib/multiply/mulmod.h"
#include "lib/multiply/ntt.h"
#include "lib/selftest/selftest.h"
#include "lib/selftest/verified_plan.h"

/* A plan; its kernels are verified while the operation is planned. */
static enum gpu_status plan(const struct calc *c, struct product *p, uint64_t un, uint64_t vn) {
    const unsigned without = WITHOUT(ALGORITHM_FFT);
    return c->is_planning ? verified_plan_product(c->s, p, un, vn, without)
                          : product_plan(c->s, p, un, vn, without);
}

void calc_mul(struct calc *c, struct number r, struct number u, struct number v) {
    struct product p;
    struct number product = number_part(r, 0, u.words + v.words);
    if (u.words < v.words) {
        calc_mul(c, r, v, u);
        return;
    }
    if (c->status == GPU_OK)
        c->status = plan(c, &p, u.words, v.words);
    if (c->status == GPU_OK && p.algorithm == BY_SMALL) {
        calc_need(c, u);
        calc_need(c, v);
    }
    if (calc_is_on(c))
        c->status = product_mul(c->s, &p, product, u, v);
    calc_zero(c, number_part(r, product.words, r.words));
}

/* The ring's transform length, where products in it may be used; false: in full. */
static bool plan_ring(struct calc *c, struct ntt_length *l, uint64_t least, struct number u,
                      struct number v) {
    uint64_t words = c->wraps ? mulmod_minus_words(least, u.words, v.words) : 0;
    struct mulmod m = {.words = words};
    if (words == 0 || c->status != GPU_OK)
        return false;
    mulmod_plan(c->s, &m, u.words > v.words ? u.words : v.words, v.words,
                WITHOUT(ALGORITHM_SSA) | WITHOUT(ALGORITHM_FFT));
    *l = m.length;
    if (m.way == MULMOD_BY_NTT && c->is_planning)
        c->status = selftest_mulmod(c->s, &l->ring[0]);
    return m.way == MULMOD_BY_NTT;
}

/* Each tells by an entry of its own whether it was reduced. */
static void next_answer(struct calc *c) {
    if (c->open > 0 && c->open % ANSWERS_OPEN == 0)
        calc_settle_open(c);
    c->s->mulmod_answer = ANSWER_OPEN + c->open++ % ANSWERS_OPEN;
}

struct number calc_mul_wrapped(struct calc *c, uint64_t least, struct number u, struct number v) {
    struct ntt_length l;
    if (!plan_ring(c, &l, least, u, v)) {
        struct number r = calc_take(c, u.words + v.words);
        calc_mul(c, r, u, v);
        return r;
    }
    uint64_t n = ntt_length_digits(&l) * NTT_DIGIT_WORDS;
    struct number r = calc_take(c, n + NTT_SURPLUS);
    if (calc_is_on(c))
        next_answer(c);
    if (calc_is_on(c))
        c->status = ntt_mul_wraparound(c->s, &l, r, u, v);
    return number_part(r, 0, n);
}
