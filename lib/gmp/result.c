/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Decides where a result is written: to the variable's own limbs, to the pool, or to a block of
 * GMP's allocation functions. */
#include "lib/gmp/result.h"

#include <limits.h>

#include "lib/gmp/memory.h"
#include "lib/gmp/normalize.h"

/* Allocates space for a result if the variable w has too little. Does not copy the value of w. */
static void make_room(mpz_ptr w, size_t limbs) {
    mp_ptr p = memory_alloc(limbs * sizeof *p);
    if (p) {
        mpz_clear(w);
        *w = (__mpz_struct){._mp_alloc = (int)limbs, ._mp_d = p};
    } else {
        _mpz_realloc(w, (mp_size_t)limbs);
    }
}

bool result_open(struct result *t, mpz_ptr w, mp_srcptr up, mp_srcptr vp, size_t limbs) {
    if (limbs > INT_MAX)
        return false;
    t->w = w;
    t->is_fresh = w->_mp_d == up || w->_mp_d == vp;
    if (t->is_fresh)
        memory_init_scratch(t->fresh, limbs);
    else if ((size_t)w->_mp_alloc < limbs)
        make_room(w, limbs);
    t->rp = t->is_fresh ? t->fresh->_mp_d : w->_mp_d;
    return true;
}

static void copy(mpz_ptr w, mpz_srcptr x, size_t n) {
    if (n)
        mpn_copyi(w->_mp_d, x->_mp_d, (mp_size_t)n);
}

/* Reduces the allocation of x to n limbs, the number that GMP would request for this result. */
static void trim(mpz_ptr x, size_t n) {
    if ((size_t)x->_mp_alloc > n)
        _mpz_realloc(x, (mp_size_t)n);
}

/* Sets w to the number {x, n}, by moving or by copying its limbs. Clears x. */
static void move(mpz_ptr w, mpz_ptr x, size_t n) {
    if ((size_t)w->_mp_alloc >= n) {
        copy(w, x, n);
    } else if (memory_is_programs()) {
        _mpz_realloc(w, (mp_size_t)n);
        copy(w, x, n);
    } else {
        trim(x, n);
        mpz_swap(w, x);
    }
    mpz_clear(x);
}

void result_keep(struct result *t, size_t n, bool negative) {
    n = normalize(t->rp, n);
    if (t->is_fresh)
        move(t->w, t->fresh, n);
    t->w->_mp_size = negative ? -(int)n : (int)n;
}

void result_drop(struct result *t) {
    if (t->is_fresh)
        mpz_clear(t->fresh);
}

void result_take(mpz_ptr w, mpz_ptr x) {
    int size = x->_mp_size;
    memory_scratch_stop();
    move(w, x, mpz_size(x));
    w->_mp_size = size;
}

mp_ptr result_room(mpz_ptr x, size_t limbs) {
    x->_mp_size = 0;
    if ((size_t)x->_mp_alloc < limbs) {
        mpz_clear(x);
        memory_init(x, limbs);
    }
    return x->_mp_d;
}
