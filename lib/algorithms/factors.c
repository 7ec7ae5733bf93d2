/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Product trees. */
#include "lib/algorithms/factors.h"

#include "lib/algorithms/scratch.h"
#include "lib/gmp/memory.h"
#include "lib/gmp/normalize.h"
#include "lib/algorithms/limb_tree.h"

/* A product of up to FEW limbs is computed limb by limb. A longer list of limbs is split in halves,
 * whose products are then multiplied. */
enum { FEW = 24, LEAST_ALLOC = 256 };

void factors_init(struct factors *f) {
    *f = (struct factors){.pending = 1};
}

void factors_clear(struct factors *f) {
    scratch_free(f->p);
}

static void grow(struct factors *f, size_t alloc) {
    mp_ptr p = scratch_alloc(alloc);
    f->failed |= !p;
    if (!p)
        return;
    mpn_copyi(p, f->p, (mp_size_t)f->n);
    scratch_free(f->p);
    f->p = p;
    f->alloc = alloc;
}

void factors_reserve(struct factors *f, size_t n) {
    if (f->alloc < limb_tree_alloc(n))
        grow(f, limb_tree_alloc(n));
}

void factors_push(struct factors *f, mp_limb_t limb) {
    if (f->n == f->alloc)
        grow(f, f->alloc ? 2 * f->alloc : LEAST_ALLOC);
    if (f->n < f->alloc)
        f->p[f->n++] = limb;
}

bool factors_flush(struct factors *f) {
    if (f->pending != 1)
        factors_push(f, f->pending);
    f->pending = 1;
    return !f->failed;
}

void factors_join(struct factors *f, const struct factors *g) {
    f->failed |= g->failed;
    if (f->alloc - f->n < g->n)
        grow(f, 2 * f->alloc > f->n + g->n ? 2 * f->alloc : f->n + g->n);
    if (f->alloc - f->n >= g->n) {
        mpn_copyi(f->p + f->n, g->p, (mp_size_t)g->n);
        f->n += g->n;
    }
    factors_add(f, g->pending);
}

/* Writes the product of the limbs {fp, n} to tp. Returns the length of the product in limbs. */
static size_t multiply_few(mp_ptr tp, mp_srcptr fp, size_t n) {
    size_t tn = 1;
    tp[0] = fp[0];
    for (size_t i = 1; i < n; i++) {
        tp[tn] = mpn_mul_1(tp, tp, (mp_size_t)tn, fp[i]);
        tn += tp[tn] != 0;
    }
    return tn;
}

/* Replaces the limbs {fp, n} by their product. Returns the length of the product in limbs. tp has
 * room for n limbs of scratch. */
static size_t multiply(struct composite *w, mp_ptr fp, size_t n, mp_ptr tp) {
    size_t half = n / 2, rn;
    if (n <= FEW)
        rn = multiply_few(tp, fp, n);
    else {
        size_t un = multiply(w, fp, half, tp), vn = multiply(w, fp + half, n - half, tp);
        composite_mul(w, tp, fp, un, fp + half, vn);
        rn = normalize(tp, un + vn);
    }
    mpn_copyi(fp, tp, (mp_size_t)rn);
    return rn;
}

/* Makes room for n limbs in x, whose value may be lost.  Returns a pointer to the limbs. */
static mp_ptr room_in(mpz_ptr x, size_t n) {
    if ((size_t)x->_mp_alloc < n) {
        mpz_clear(x);
        memory_init(x, n);
    }
    return x->_mp_d;
}

bool factors_on_device(struct composite *w, struct limb_tree *t, size_t limbs, mpz_ptr x) {
    if (!job_composites_run() || !limb_tree_open(t))
        return false;
    size_t n = limbs + t->limbs;
    mp_ptr xp = room_in(x, n);
    enum outcome outcome = limb_tree_run(t, xp + limbs);
    composite_count(w, outcome);
    if (outcome == OUTCOME_DONE) {
        mpn_zero(xp, (mp_size_t)limbs);
        mpz_limbs_finish(x, (mp_size_t)n);
    }
    limb_tree_close(t);
    return outcome == OUTCOME_DONE;
}

/* Computes the product of f's limbs on the device, if that pays. */
static bool on_device(struct composite *w, const struct factors *f, size_t limbs, mpz_ptr x) {
    const struct limb_group group = {.p = f->p, .n = f->n, .alloc = f->alloc};
    struct limb_tree t = {.groups = &group, .count = 1};
    return !thresholds_is_small(f->n, &thresholds.fac) && factors_on_device(w, &t, limbs, x);
}

static bool on_host(struct composite *w, const struct factors *f, size_t limbs, mpz_ptr x) {
    mp_ptr tp = scratch_alloc(f->n);
    if (!tp)
        return false;
    size_t n = multiply(w, f->p, f->n, tp);
    mp_ptr xp = mpz_limbs_write(x, (mp_size_t)(limbs + n));
    mpn_zero(xp, (mp_size_t)limbs);
    mpn_copyi(xp + limbs, f->p, (mp_size_t)n);
    mpz_limbs_finish(x, (mp_size_t)(limbs + n));
    scratch_free(tp);
    return true;
}

bool factors_product(struct composite *w, struct factors *f, unsigned long twos, mpz_ptr x) {
    size_t limbs = twos / GMP_NUMB_BITS;
    factors_flush(f);
    factors_push(f, (mp_limb_t)1 << twos % GMP_NUMB_BITS);
    bool done = !f->failed && (on_device(w, f, limbs, x) || on_host(w, f, limbs, x));
    f->n = 0;
    return done;
}
