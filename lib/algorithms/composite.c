/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The products inside an operation such as a division: the device or GMP computes each of them. */
#include "lib/algorithms/composite.h"

#include <limits.h>

#include "lib/algorithms/euclid/digits.h"
#include "lib/dispatch/dispatch.h"
#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"
#include "lib/gmp/result.h"
#include "lib/job/engine.h"
#include "lib/process/thread_team.h"

/* Several threads compute a list of products if the sum of all un * vn is at least SHARED_COST. One
 * thread would take more than a microsecond then. */
enum { SHARED_COST = 4096 };

static bool is_worth_it(mp_srcptr up, size_t un, mp_srcptr vp, size_t vn) {
    return !thresholds_is_small(min_u64(un, vn), thresholds_of_product(up, un, vp, vn));
}

void composite_real_mul(mp_ptr rp, mp_srcptr up, size_t un, mp_srcptr vp, size_t vn) {
    if (un >= vn)
        real.mpn_mul(rp, up, (mp_size_t)un, vp, (mp_size_t)vn);
    else
        real.mpn_mul(rp, vp, (mp_size_t)vn, up, (mp_size_t)un);
}

void composite_count(struct composite *w, enum outcome outcome) {
    w->sent += outcome == OUTCOME_DONE;
    w->busy += outcome == OUTCOME_BUSY;
    if (outcome != OUTCOME_DONE && outcome != OUTCOME_BUSY)
        w->failed = outcome;
}

static void dispatch_mul(struct composite *w, mp_ptr rp, mp_srcptr up, size_t un, mp_srcptr vp,
                         size_t vn) {
    struct dispatch_call call;
    const _Atomic size_t *threshold = thresholds_of_product(up, un, vp, vn);
    enum outcome outcome =
        dispatch_begin(&call, threshold, min_u64(un, vn), up == vp ? un : un + vn);
    if (outcome == OUTCOME_DONE)
        outcome = limbs_mul(rp, up, un, vp, vn);
    if (outcome != OUTCOME_DONE) {
        dispatch_give_up(&call);
        composite_real_mul(rp, up, un, vp, vn);
    }
    dispatch_end(&call, outcome);
    composite_count(w, outcome);
}

void composite_mul(struct composite *w, mp_ptr rp, mp_srcptr up, size_t un, mp_srcptr vp,
                   size_t vn) {
    if (is_worth_it(up, un, vp, vn))
        dispatch_mul(w, rp, up, un, vp, vn);
    else
        composite_real_mul(rp, up, un, vp, vn);
}

/* Properties of several independent products, which decide whether the device computes them in one
 * call. */
struct several {
    size_t size;  /* operand size of a square that takes as long as the longest product */
    size_t limbs; /* of all operands */
    bool are_small, are_fast;
};

static struct several several_of(const struct limbs_factors *f, unsigned count) {
    struct several s = {.are_small = count > 1, .are_fast = true};
    for (unsigned i = 0; i < count; i++) {
        size_t un = f[i].un, vn = f[i].vn, size = min_u64((un + vn) / 2, 2 * min_u64(un, vn));
        s.size = size > s.size ? size : s.size;
        s.limbs += un + vn;
        s.are_small = s.are_small && engine_is_small(&f[i]);
        s.are_fast = s.are_fast && digits_serve(un, vn);
    }
    return s;
}

/* Returns the size of one product that takes GMP about as long as `count` products of size s->size.
 * If digits_mul computes the products, returns half that size, because digits_mul is twice as fast
 * as GMP. */
static size_t together(const struct several *s, unsigned count) {
    return s->size * (count + 4) / (s->are_fast ? 8 : 4);
}

/* Sends all products to the device in one call. */
static void dispatch_several(struct composite *w, const struct limbs_factors *f, unsigned count,
                             size_t size, size_t limbs) {
    struct dispatch_call call;
    enum outcome outcome = dispatch_begin(&call, &thresholds.mul, size, limbs);
    if (outcome == OUTCOME_DONE)
        outcome = limbs_mul_several(f, count);
    if (outcome != OUTCOME_DONE) {
        dispatch_give_up(&call);
        for (unsigned i = 0; i < count; i++)
            composite_real_mul(f[i].rp, f[i].up, f[i].un, f[i].vp, f[i].vn);
    }
    dispatch_end(&call, outcome);
    for (unsigned i = 0; i < count; i++)
        composite_count(w, outcome);
}

static void mul_one(struct composite *w, const struct limbs_factors *f) {
    if (!is_worth_it(f->up, f->un, f->vp, f->vn) && digits_serve(f->un, f->vn))
        digits_mul(f->rp, f->up, f->un, f->vp, f->vn);
    else
        composite_mul(w, f->rp, f->up, f->un, f->vp, f->vn);
}

/* Computes product i of a list on the host. Any thread of a thread team (lib/process/thread_team.h)
 * may call it. */
static void mul_part(void *factors, unsigned i) {
    const struct limbs_factors *f = (const struct limbs_factors *)factors + i;
    if (digits_serve(f->un, f->vn))
        digits_mul(f->rp, f->up, f->un, f->vp, f->vn);
    else
        composite_real_mul(f->rp, f->up, f->un, f->vp, f->vn);
}

/* Computes all products on the host, by several threads if that takes less time. */
static void mul_on_host(struct limbs_factors *f, unsigned count) {
    uint64_t cost[LIMBS_SEVERAL], all = 0;
    for (unsigned i = 0; i < count; i++)
        all += cost[i] = f[i].un * f[i].vn;
    if (all >= SHARED_COST && thread_team_width() > 1)
        thread_team_share(count, cost, mul_part, f);
    else
        for (unsigned i = 0; i < count; i++)
            mul_part(f, i);
}

/* Inside a thread team (lib/process/thread_team.h), the host computes the products. Otherwise the
 * device computes them in one call if two conditions hold: each product is small, and all together
 * take GMP as long as one product at the device's threshold. */
void composite_mul_several(struct composite *w, struct limbs_factors *f, unsigned count) {
    if (thread_team_width() > 1) {
        mul_on_host(f, count);
        return;
    }
    struct several s = several_of(f, count);
    size_t size = together(&s, count);
    if (s.are_small && !thresholds_is_small(size, &thresholds.mul))
        dispatch_several(w, f, count, size, s.limbs);
    else
        for (unsigned i = 0; i < count; i++)
            mul_one(w, &f[i]);
}

void composite_mpz_mul(struct composite *w, mpz_ptr r, mpz_srcptr x, mpz_srcptr y) {
    mpz_t t; /* holds the product if r is also an operand */
    size_t xn = mpz_size(x), yn = mpz_size(y);
    if (xn == 0 || yn == 0 || xn + yn > INT_MAX) {
        real.mpz_mul(r, x, y);
        return;
    }
    bool negative = (x->_mp_size ^ y->_mp_size) < 0,
         is_apart = r->_mp_d != x->_mp_d && r->_mp_d != y->_mp_d;
    if (!is_apart)
        mpz_init(t);
    mp_ptr rp = result_room(is_apart ? r : t, xn + yn);
    composite_mul(w, rp, x->_mp_d, xn, y->_mp_d, yn);
    if (!is_apart) {
        mpz_swap(r, t);
        mpz_clear(t);
    }
    int n = (int)normalize(rp, xn + yn);
    r->_mp_size = negative ? -n : n;
}

mp_ptr composite_mpz_grow(mpz_ptr x, size_t n) {
    return x->_mp_size == 0           ? result_room(x, n)
           : (size_t)x->_mp_alloc < n ? _mpz_realloc(x, (mp_size_t)n)
                                      : x->_mp_d;
}
