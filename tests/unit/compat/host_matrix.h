/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Matrices of mpz_t for tests of mpgpu_matrix, with entries that provoke carries. */
#ifndef MPGPU_TEST_HOST_MATRIX_H
#define MPGPU_TEST_HOST_MATRIX_H

#include <string.h>

#include "compat/matrix/matrix.h"
#include "lib/gmp/real.h"
#include "tests/support/testing.h"

struct host_matrix {
    size_t rows, columns;
    mpz_t *x;
};

static inline struct host_matrix host_matrix(size_t rows, size_t columns) {
    struct host_matrix m = {rows, columns, malloc((rows * columns + 1) * sizeof *m.x)};
    for (size_t i = 0; i < rows * columns; i++)
        mpz_init(m.x[i]);
    return m;
}

static inline void host_free(struct host_matrix *m) {
    for (size_t i = 0; i < m->rows * m->columns; i++)
        mpz_clear(m->x[i]);
    free(m->x);
}

enum kind { RANDOM, ONES, MOST_NEGATIVE, POWERS, SPARSE, MIXED, KINDS };

/* Sets x to a number of at most `bits` bits, or to 2^bits or -2^bits, as `kind` says. */
static inline void choose(mpz_ptr x, size_t bits, enum kind kind) {
    const size_t n = bits / 64 + 1;
    mp_limb_t *xp = limbs(n);
    if (kind == MIXED)
        kind = (enum kind)testing_below(MIXED);
    if (kind == RANDOM || kind == SPARSE) {
        testing_limbs(xp, n);
        xp[n - 1] &= ((mp_limb_t)1 << bits % 64) - 1;
        mp_limb_t *to = mpz_limbs_write(x, (mp_size_t)n);
        memcpy(to, xp, n * sizeof *xp);
        mpz_limbs_finish(x, (mp_size_t)n);
        if (kind == SPARSE && testing_below(3))
            mpz_set_ui(x, 0);
    } else {
        mpz_set_ui(x, 1);
        mpz_mul_2exp(x, x, kind == POWERS ? testing_below(bits + 1) : bits);
        if (kind == ONES)
            real.mpz_sub_ui(x, x, 1);
    }
    if (kind == MOST_NEGATIVE || ((kind == RANDOM || kind == POWERS) && testing_below(2)))
        mpz_neg(x, x);
    free(xp);
}

static inline void fill(const struct host_matrix *m, size_t bits, enum kind kind) {
    for (size_t i = 0; i < m->rows * m->columns; i++)
        choose(m->x[i], bits, kind);
}

static inline void check_equal(mpgpu_matrix *m, const struct host_matrix *right, const char *what) {
    struct host_matrix got = host_matrix(right->rows, right->columns);
    ck_assert_int_eq(mpgpu_matrix_get_mpz(got.x, m), 0);
    for (size_t i = 0; i < right->rows * right->columns; i++)
        ck_assert_msg(mpz_cmp(got.x[i], right->x[i]) == 0, "%s: entry %zu of %zu x %zu", what, i,
                      right->rows, right->columns);
    host_free(&got);
}

static inline mpgpu_matrix *matrix_of(const struct host_matrix *h) {
    mpgpu_matrix *m = mpgpu_matrix_create(h->rows, h->columns);
    ck_assert_ptr_nonnull(m);
    ck_assert_int_eq(mpgpu_matrix_set_mpz(m, h->x), 0);
    return m;
}

#endif
