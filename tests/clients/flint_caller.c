/* SPDX-License-Identifier: LGPL-3.0-or-later
 * flint_caller LIBRARY LIMBS: loads a mock of FLINT (flint_like.c) as Python loads a module's
 * libraries, and compares its products with GMP's.  Prints how often each function of the mock was
 * called. */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <gmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS = 5 };
typedef mp_limb_t multiply(int function, mp_ptr rp, mp_srcptr up, mp_size_t un, mp_srcptr vp,
                           mp_size_t vn);

static mp_limb_t *limbs(mp_size_t n) {
    mp_limb_t *xp = malloc((size_t)n * sizeof *xp);
    if (!xp)
        exit(3);
    return xp;
}

/* Returns n random limbs: with long runs of equal bits if has_runs, otherwise uniform. */
static mp_limb_t *operand(mp_size_t n, int has_runs) {
    mp_limb_t *xp = limbs(n);
    if (has_runs)
        mpn_random2(xp, n);
    else
        mpn_random(xp, n);
    return xp;
}

static int is_right(multiply *f, int function, mp_size_t un, mp_size_t vn, int has_runs) {
    mp_limb_t *up = operand(un, has_runs), *vp = operand(vn, has_runs);
    mp_limb_t *rp = limbs(2 * un + 1), *right = limbs(2 * un);
    mp_size_t rn = function == 1 ? 2 * vn : function == 2 ? 2 * un : un + vn;
    rp[rn] = 0x123456789;
    mp_limb_t top = f(function, rp, up, un, vp, vn);
    mpn_mul(right, up, function == 1 ? vn : un, function == 2 ? up : vp, function == 2 ? un : vn);
    int good = mpn_cmp(rp, right, rn) == 0 && top == right[rn - 1] && rp[rn] == 0x123456789;
    free(up);
    free(vp);
    free(rp);
    free(right);
    return good;
}

int main(int argc, char **argv) {
    mp_size_t n = argc == 3 ? atol(argv[2]) : 0;
    void *library = n > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library)
        return 2;
    multiply *f = NULL;
    void *address = dlsym(library, "flint_like");
    memcpy(&f, &address, sizeof f);
    for (int function = 0; function < FUNCTIONS; function++)
        for (int i = 0; i < 4; i++)
            if (!is_right(f, function, n, i < 2 ? n : n / 2 + 1, i % 2))
                return fprintf(stderr, "function %d: wrong\n", function), 1;
    const long *calls = dlsym(library, "flint_like_calls");
    for (int function = 0; function < FUNCTIONS; function++)
        printf("%ld ", calls[function]);
    puts("calls of its own");
    return 0;
}
