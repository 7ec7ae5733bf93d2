/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests square roots of squares, of numbers next to squares, of the largest number with the same
 * root, and of random numbers.  Roots have every length, and the result may be written over any
 * operand. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/differential/differential_numbers.h"

/* If the root has fewer limbs, GMP computes it. */
enum { LEAST = 8 };

/* Sets x to a number of at most nn + 1 limbs that is not negative.  Uses GMP's own functions. */
static void make(struct run *run, mpz_ptr x, size_t nn) {
    const struct reference *gmp = run->reference;
    size_t kind = run_below(run, 5);
    mpz_t square;
    run_mpz(run, x, kind ? (nn + 1) / 2 : nn);
    x->_mp_size = (int)mpz_size(x);
    if (!kind || mpz_sgn(x) == 0)
        return;
    gmp->mpz_init_(square);
    gmp->mpz_mul(square, x, x);
    if (kind == 1)
        gmp->mpz_sub_ui(square, square, 1);
    else if (kind == 2)
        gmp->mpz_addmul_ui(square, x, 2);
    else if (kind == 3)
        gmp->mpz_add_ui(square, square, 1);
    mpz_set(x, square);
    gmp->mpz_clear_(square);
}

static int is_eligible(size_t nn) {
    return (nn + 1) / 2 >= LEAST;
}

static void make_operand(struct run *run, struct numbers *x) {
    make(run, x->u[0], 1 + run_below(run, run->most));
    x->eligible = is_eligible(mpz_size(x->u[0]));
}

#define FUNCTIONS(X)                                                                               \
    X(mpz_sqrt, 1, 1, make_operand, (f->mpz_sqrt(r[0], u[0]), 0))                                  \
    X(mpz_sqrtrem, 1, 2, make_operand, (f->mpz_sqrtrem(r[0], r[1], u[0]), 0))
FUNCTIONS(NUMBERS_APPLY)

/* Tests mpn_sqrtrem.  The limb behind the root must not change.  The remainder may be NULL, or
 * written over the number. */
static int compare_limbs(struct run *run, mpz_srcptr n, size_t nn, int in_place, int unwanted) {
    const struct reference *gmp = run->reference;
    size_t sn = (nn + 1) / 2;
    mp_ptr room = run_room((2 * sn + 1 + 3 * nn) * sizeof *room), s = room, wanted_s = s + sn + 1;
    mp_ptr copy = wanted_s + sn, r = copy + nn, wanted_r = r + nn;
    for (size_t i = 0; i < nn; i++)
        copy[i] = mpz_getlimbn(n, (mp_size_t)i);
    mp_limb_t guard = s[sn] = run_bits(run);
    mp_ptr rp = unwanted ? NULL : in_place ? copy : r;
    mp_size_t wanted = gmp->mpn_sqrtrem(wanted_s, wanted_r, mpz_limbs_read(n), (mp_size_t)nn);
    mp_size_t rn = intercepted.mpn_sqrtrem(s, rp, copy, (mp_size_t)nn);
    int good = same_limbs(s, wanted_s, sn) && s[sn] == guard;
    if (unwanted)
        good &= (rn != 0) == (wanted != 0);
    else
        good &= rn == wanted && same_limbs(rp, wanted_r, (size_t)rn);
    free(room);
    return good;
}

static int run_limbs_sqrt(struct run *run, const void *how) {
    mpz_t n;
    int good = 1;
    (void)how;
    mpz_init(n);
    make(run, n, 1 + run_below(run, run->most));
    size_t nn = mpz_size(n);
    run->eligible += is_eligible(nn);
    if (nn)
        good = compare_limbs(run, n, nn, (int)run_below(run, 2), run_below(run, 3) == 0);
    if (!good)
        fprintf(stderr, "differential: mpn_sqrtrem of %zu limbs: wrong\n", nn);
    mpz_clear(n);
    return good;
}

const struct differential_case differential_sqrt[] = {{"mpn_sqrtrem", run_limbs_sqrt, NULL},
                                                      FUNCTIONS(NUMBERS_CASE){NULL, NULL, NULL}};
