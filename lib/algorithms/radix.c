/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The powers of a base between which radix conversion halves its numbers. */
#include "lib/algorithms/radix.h"

#include <stdlib.h>

#include "lib/gmp/real.h"

/* A leaf has as many limbs as the threshold of products, or nearly twice as many. */
static size_t leaf_limbs(void) {
    size_t limbs = atomic_load_explicit(&thresholds.mul, memory_order_relaxed);
    return limbs ? limbs : 1;
}

/* {p, returned} = x^64, of 8 limbs at most. */
static size_t power64(mp_ptr p, mp_limb_t x) {
    size_t n = 1;
    p[0] = 1;
    for (int i = 0; i < GMP_NUMB_BITS; i++) {
        mp_limb_t high = mpn_mul_1(p, p, (mp_size_t)n, x);
        if (high)
            p[n++] = high;
    }
    return n;
}

/* Bits of base^64, which is no power of two: rounded up. */
static size_t bits_of_64_digits(int base) {
    mp_limb_t p[8];
    size_t n = power64(p, (mp_limb_t)base);
    return mpn_sizeinbase(p, (mp_size_t)n, 2);
}

size_t radix_limbs(int base, size_t digits) {
    return (digits / GMP_NUMB_BITS + 1) * bits_of_64_digits(base) / GMP_NUMB_BITS + 2;
}

size_t radix_digits(int base, size_t n) {
    return (n * GMP_NUMB_BITS / (bits_of_64_digits(base) - 1) + 1) * GMP_NUMB_BITS;
}

/* Leaves as many and as equal as the digits allow. */
static void choose_leaf(struct radix *x, size_t digits) {
    size_t most = leaf_limbs();
    x->levels = 0;
    while (digits >> x->levels >= 2 * GMP_NUMB_BITS &&
           radix_limbs(x->base, digits >> x->levels) > 2 * most)
        x->levels++;
    size_t leaf = ((digits - 1) >> x->levels) + 1;
    x->leaf = (leaf + GMP_NUMB_BITS - 1) / GMP_NUMB_BITS * GMP_NUMB_BITS;
}

/* Room for all powers, each with what its product takes; their places in it. */
static bool allocate(struct radix *x) {
    size_t total = 0, at[RADIX_MAX_LEVELS];
    mp_limb_t p[8];
    size_t bits = mpn_sizeinbase(p, (mp_size_t)power64(p, x->odd), 2);
    for (int i = 0; i < x->levels; i++) {
        at[i] = total;
        total += (x->leaf / GMP_NUMB_BITS << i) * bits / GMP_NUMB_BITS + 3;
    }
    x->limbs = malloc((total + 1) * sizeof *x->limbs);
    for (int i = 0; x->limbs && i < x->levels; i++)
        x->power[i].p = x->limbs + at[i];
    return x->limbs != NULL;
}

static void first_power(struct radix *x) {
    mpz_t t;
    mpz_init(t);
    real.mpz_ui_pow_ui(t, x->odd, x->leaf);
    x->power[0].n = mpz_size(t);
    mpn_copyi(x->power[0].p, t->_mp_d, (mp_size_t)mpz_size(t));
    mpz_clear(t);
}

bool radix_open(struct radix *x, struct composite *w, int base, enum radix_part part,
                size_t digits) {
    x->w = w;
    x->base = base;
    x->odd = (mp_limb_t)base;
    for (x->twos = 0; part == RADIX_ODD_PART && x->odd % 2 == 0; x->odd /= 2)
        x->twos++;
    x->limbs = NULL;
    x->is_ready = false;
    choose_leaf(x, digits);
    return true;
}

bool radix_powers(struct radix *x) {
    if (x->is_ready)
        return true;
    if (!allocate(x))
        return false;
    if (x->levels > 0)
        first_power(x);
    for (int i = 1; i < x->levels; i++) {
        struct radix_power *root = &x->power[i - 1], *p = &x->power[i];
        composite_mul(x->w, p->p, root->p, root->n, root->p, root->n);
        p->n = 2 * root->n;
        p->n -= p->p[p->n - 1] == 0;
    }
    x->is_ready = true;
    return true;
}

void radix_close(struct radix *x) {
    free(x->limbs);
}
