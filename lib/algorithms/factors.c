/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Product trees. */
#include "lib/algorithms/factors.h"

#include <stdlib.h>

#include "lib/algorithms/scratch.h"
#include "lib/gmp/normalize.h"

/* Fewer limbs are multiplied one by one. */
enum { FEW = 24, LEAST_ALLOC = 256 };

void factors_init(struct factors *f) {
    *f = (struct factors){.pending = 1};
}

void factors_clear(struct factors *f) {
    free(f->p);
}

static void push(struct factors *f, mp_limb_t limb) {
    if (f->n == f->alloc) {
        size_t alloc = f->alloc ? 2 * f->alloc : LEAST_ALLOC;
        mp_ptr p = realloc(f->p, alloc * sizeof *p);
        f->failed |= !p;
        if (!p)
            return;
        f->p = p;
        f->alloc = alloc;
    }
    f->p[f->n++] = limb;
}

void factors_add(struct factors *f, mp_limb_t word) {
    mp_limb_t product;
    if (__builtin_mul_overflow(f->pending, word, &product)) {
        push(f, f->pending);
        product = word;
    }
    f->pending = product;
}

/* {tp, returned} = the product of the limbs {fp, n}. */
static size_t multiply_few(mp_ptr tp, mp_srcptr fp, size_t n) {
    size_t tn = 1;
    tp[0] = fp[0];
    for (size_t i = 1; i < n; i++) {
        tp[tn] = mpn_mul_1(tp, tp, (mp_size_t)tn, fp[i]);
        tn += tp[tn] != 0;
    }
    return tn;
}

/* {fp, returned} = the product of the limbs {fp, n}; scratch for n at tp. */
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

bool factors_product(struct composite *w, struct factors *f, mpz_ptr x) {
    push(f, f->pending);
    mp_ptr tp = f->failed ? NULL : scratch_alloc(f->n);
    if (tp) {
        mp_size_t n = (mp_size_t)multiply(w, f->p, f->n, tp);
        mpn_copyi(mpz_limbs_write(x, n), f->p, n);
        mpz_limbs_finish(x, n);
    }
    scratch_free(tp);
    f->n = 0;
    f->pending = 1;
    return tp != NULL;
}
