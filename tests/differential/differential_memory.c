/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests mp_get_memory_functions and mp_set_memory_functions: a program may use the functions that
 * it gets on the limbs of its numbers, and may set them again. */
#include <stdlib.h>
#include <string.h>

#include "tests/differential/differential.h"

struct functions {
    void *(*allocate)(size_t bytes);
    void *(*reallocate)(void *p, size_t old, size_t bytes);
    void (*release)(void *p, size_t bytes);
};

static struct functions get(void) {
    struct functions f;
    mp_get_memory_functions(&f.allocate, &f.reallocate, &f.release);
    return f;
}

/* w = u v by the intercepted function; `right` is GMP's result. */
struct product {
    mpz_t u, v, w, right;
};

static void multiply(struct run *run, struct product *p) {
    size_t un, vn;
    run_sizes(run, &un, &vn);
    mpz_inits(p->u, p->v, p->w, NULL);
    run->reference->mpz_init_(p->right);
    run_mpz(run, p->u, un);
    run_mpz(run, p->v, vn);
    run->reference->mpz_mul(p->right, p->u, p->v);
    run->eligible += mpz_sgn(p->right) != 0;
    mpz_mul(p->w, p->u, p->v);
}

static int end(struct run *run, struct product *p, const char *function, int good) {
    if (!good)
        fprintf(stderr, "differential: %s, %zu by %zu limbs: wrong\n", function, mpz_size(p->u),
                mpz_size(p->v));
    mpz_clears(p->u, p->v, NULL);
    run->reference->mpz_clear_(p->right);
    return good;
}

/* Acts as a program that takes over the limbs of a product, reallocates them and frees them. */
static int run_get(struct run *run, const void *how) {
    struct product p;
    struct functions f = get();
    multiply(run, &p);
    size_t n = mpz_size(p.right), had = (size_t)p.w->_mp_alloc * sizeof(mp_limb_t);
    size_t more = had + 8 * run_below(run, 2 * had + 2);
    if (had == 0) /* if the product is 0, its variable may have no allocated limbs */
        return end(run, &p, how, n == 0);
    mp_ptr limbs = f.reallocate(p.w->_mp_d, had, more);
    int good = mpz_size(p.w) == n && same_limbs(limbs, mpz_limbs_read(p.right), n);
    memset(limbs, 0x5a, more);
    f.release(limbs, more);
    return end(run, &p, how, good);
}

/* Passes the functions that mp_get_memory_functions returns to mp_set_memory_functions, and
 * computes another product. */
static int run_set(struct run *run, const void *how) {
    struct product p;
    struct functions before = get();
    multiply(run, &p);
    struct functions now = get();
    mp_set_memory_functions(now.allocate, now.reallocate, now.release);
    struct functions after = get();
    int good = before.allocate == after.allocate && now.reallocate == after.reallocate &&
               now.release == after.release && same_mpz(p.w, p.right);
    mpz_mul(p.w, p.w, p.v);
    run->reference->mpz_mul(p.right, p.right, p.v);
    run->eligible += mpz_sgn(p.right) != 0;
    good = good && same_mpz(p.w, p.right);
    mpz_clear(p.w);
    return end(run, &p, how, good);
}

const struct differential_case differential_memory[] = {
    {"mp_get_memory_functions", run_get, "mp_get_memory_functions"},
    {"mp_set_memory_functions", run_set, "mp_set_memory_functions"},
    {NULL, NULL, NULL},
};
