/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Fibonacci and Lucas numbers, from F[k] and F[k-1] to twice k and so on, as Knuth 1.2.8
 * and its exercises have it. */
#include "lib/algorithms/fibonacci.h"

#include <limits.h>

#include "lib/algorithms/composite.h"
#include "lib/gmp/memory.h"
#include "lib/gmp/real.h"
#include "lib/operate/composition.h"
#include "lib/operate/operate_fibonacci.h"

/* a = F[k], b = F[k-1]; x and y are for their squares. */
struct fib {
    struct composite *w;
    unsigned long k;
    mpz_t a, b, x, y;
};

/* k, a and b from k to 2k + odd. */
static void twice(struct fib *f, int odd) {
    composite_mpz_mul(f->w, f->x, f->a, f->a);
    composite_mpz_mul(f->w, f->y, f->b, f->b);
    real.mpz_add(f->b, f->x, f->y); /* F[2k-1] = F[k]^2 + F[k-1]^2 */
    mpz_mul_2exp(f->a, f->x, 2);
    real.mpz_sub(f->a, f->a, f->y);
    if (f->k % 2)
        real.mpz_sub_ui(f->a, f->a, 2);
    else
        real.mpz_add_ui(f->a, f->a, 2); /* F[2k+1] = 4 F[k]^2 - F[k-1]^2 + 2 (-1)^k */
    real.mpz_sub(odd ? f->b : f->a, f->a, f->b);
    f->k = 2 * f->k + (odd != 0);
}

/* F[n] and F[n-1]; GMP's as long as the squares would be. */
static void fib_to(struct fib *f, unsigned long n) {
    int steps = 0;
    while (n >> steps &&
           !thresholds_is_small((n >> steps) / FIBONACCI_LIMB_INDICES, &thresholds.sqr))
        steps++;
    f->k = n >> steps;
    real.mpz_fib2_ui(f->a, f->b, f->k);
    while (steps-- > 0)
        twice(f, n >> steps & 1);
}

size_t fibonacci_size(unsigned long n) {
    size_t limbs = n / FIBONACCI_LIMB_INDICES;
    return limbs > INT_MAX / 2 ? 0 : limbs;
}

/* F[n] and F[n-1]. */
static void fib_init(struct fib *f, struct composite *w, unsigned long n) {
    f->w = w;
    mpz_init(f->a);
    mpz_init(f->b);
    mpz_init(f->x);
    mpz_init(f->y);
    fib_to(f, n);
}

static void fib_clear(struct fib *f) {
    mpz_clear(f->a);
    mpz_clear(f->b);
    mpz_clear(f->x);
    mpz_clear(f->y);
}

/* ---- on the device */

static bool is_for_device(unsigned long n) {
    return n >= 2 && fibonacci_size(n) > 0 &&
           !thresholds_is_small(fibonacci_size(n), &thresholds.fib) && composition_serves();
}

/* r, and s unless it is NULL. */
static bool on_device(struct composite *w, mpz_ptr r, mpz_ptr s, unsigned long n, int kind) {
    if (!is_for_device(n))
        return false;
    size_t limbs = operate_fibonacci_limbs(n);
    mpz_t x, y; /* r and s may be the same */
    memory_init(x, limbs);
    memory_init(y, s ? limbs : 1);
    const struct operate_fibonacci f = {x->_mp_d, s ? y->_mp_d : NULL, n, kind};
    enum outcome outcome = operate_fibonacci(&f);
    composite_count(w, outcome);
    if (outcome == OUTCOME_DONE) {
        mpz_limbs_finish(x, (mp_size_t)limbs);
        mpz_swap(r, x);
    }
    if (outcome == OUTCOME_DONE && s) {
        mpz_limbs_finish(y, (mp_size_t)limbs);
        mpz_swap(s, y);
    }
    mpz_clear(x);
    mpz_clear(y);
    return outcome == OUTCOME_DONE;
}

/* ---- */

/* With one product from F[n/2]: F[2k] = F[k] (F[k] + 2 F[k-1]), and
 * F[2k+1] = (2 F[k] + F[k-1]) (2 F[k] - F[k-1]) + 2 (-1)^k. */
void fibonacci_one(struct composite *w, mpz_ptr r, unsigned long n) {
    struct fib f;
    if (on_device(w, r, NULL, n, CALC_FIBONACCI_ONE))
        return;
    fib_init(&f, w, n / 2);
    if (n % 2) {
        mpz_mul_2exp(f.a, f.a, 1);
        real.mpz_add(f.x, f.a, f.b);
        real.mpz_sub(f.y, f.a, f.b);
        composite_mpz_mul(w, r, f.x, f.y);
        if (f.k % 2)
            real.mpz_sub_ui(r, r, 2);
        else
            real.mpz_add_ui(r, r, 2);
    } else {
        mpz_mul_2exp(f.b, f.b, 1);
        real.mpz_add(f.b, f.b, f.a);
        composite_mpz_mul(w, r, f.a, f.b);
    }
    fib_clear(&f);
}

void fibonacci_two(struct composite *w, mpz_ptr r, mpz_ptr s, unsigned long n) {
    struct fib f;
    if (on_device(w, r, s, n, CALC_FIBONACCI_TWO))
        return;
    fib_init(&f, w, n);
    mpz_swap(r, f.a);
    mpz_swap(s, f.b);
    fib_clear(&f);
}

/* L[n] = F[n] + 2 F[n-1] and L[n-1] = 2 F[n] - F[n-1]. */
void fibonacci_lucas(struct composite *w, mpz_ptr r, mpz_ptr s, unsigned long n) {
    struct fib f;
    if (on_device(w, r, s, n, CALC_FIBONACCI_LUCAS))
        return;
    fib_init(&f, w, n);
    if (s) {
        mpz_mul_2exp(f.x, f.a, 1);
        real.mpz_sub(f.x, f.x, f.b);
        mpz_swap(s, f.x);
    }
    real.mpz_addmul_ui(f.a, f.b, 2);
    mpz_swap(r, f.a);
    fib_clear(&f);
}
