/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Solves systems of linear equations on the host, with GMP's functions, by Bareiss's elimination:
 * all entries remain minors of [A | B], so divisions are exact. */
#include <stdlib.h>
#include <string.h>

#include "compat/batch/batch_gmp.h"
#include "lib/gmp/memory.h"
#include "lib/gmp/normalize.h"

/* The matrix [A | B], and the number of times that two of its rows were swapped. */
struct rows {
    size_t side, width;
    mpz_t *x;
    unsigned swaps;
};

static mpz_t *row_of(const struct rows *m, size_t i) {
    return m->x + i * m->width;
}

/* Copies entries of n limbs in two's complement from `up` to `columns` columns of m, the first of
 * which is column `at`. */
static void fill(const struct rows *m, size_t at, size_t columns, const mp_limb_t *up, size_t n) {
    for (size_t e = 0; e < m->side * columns; e++, up += n) {
        mpz_ptr x = row_of(m, e / columns)[at + e % columns];
        const bool is_negative = up[n - 1] >> (GMP_NUMB_BITS - 1);
        mp_limb_t *xp = mpz_limbs_write(x, (mp_size_t)n);
        mpn_copyi(xp, up, (mp_size_t)n);
        if (is_negative)
            mpn_neg(xp, xp, (mp_size_t)n);
        mpz_limbs_finish(x, is_negative ? -(mp_size_t)n : (mp_size_t)n);
    }
}

/* Finds the first row, from row k down, whose entry in column k is not 0, and swaps it with row k.
 * Returns false if there is none. */
static bool find_pivot(struct rows *m, size_t k) {
    size_t i = k;
    while (i < m->side && mpz_sgn(row_of(m, i)[k]) == 0)
        i++;
    if (i == m->side)
        return false;
    for (size_t j = 0; j < m->width && i > k; j++)
        mpz_swap(row_of(m, i)[j], row_of(m, k)[j]);
    m->swaps += i > k;
    return true;
}

/* Performs step k of the elimination on the entries of row i behind column k. The entry in column k
 * keeps its old value. `before` is the pivot of the previous step. */
static void reduce_row(const struct rows *m, size_t i, size_t k, mpz_srcptr before) {
    mpz_t *row = row_of(m, i), *pivots = row_of(m, k);
    for (size_t j = k + 1; j < m->width; j++) {
        mpz_mul(row[j], row[j], pivots[k]);
        mpz_submul(row[j], row[k], pivots[j]);
        mpz_divexact(row[j], row[j], before);
    }
}

/* Transforms [A | B]. Returns false if the determinant d of A is 0. Otherwise the last pivot
 * becomes (-1)^swaps d, and the columns of B become (-1)^swaps d A^-1 B. */
static bool eliminate(struct rows *m) {
    const bool has_columns = m->width > m->side;
    mpz_t one;
    mpz_srcptr before = one;
    mpz_init(one);
    mpz_set_ui(one, 1);
    bool is_regular = true;
    for (size_t k = 0; k < m->side && is_regular; k++) {
        is_regular = find_pivot(m, k);
        for (size_t i = has_columns ? 0 : k + 1; i < m->side && is_regular; i++)
            if (i != k)
                reduce_row(m, i, k, before);
        before = row_of(m, k)[k];
    }
    mpz_clear(one);
    return is_regular;
}

static void store(mp_limb_t *rp, size_t n, mpz_ptr x, bool is_negated) {
    if (is_negated)
        mpz_neg(x, x);
    normalize_pad(rp, n, x);
    if (mpz_sgn(x) < 0)
        mpn_neg(rp, rp, (mp_size_t)n);
}

void gmp_matrix_solve(const struct job *j, mp_limb_t *const *rp, const mp_limb_t *const *up) {
    const size_t side = j->parameter[JOB_SIDE], columns = j->parameter[JOB_SYSTEM_COLUMNS];
    const size_t n = j->r[0].n, numerators = side * columns;
    struct rows m = {side, side + columns, NULL, 0};
    const size_t count = side * m.width;
    mpz_t scratch; /* its limbs are the array m.x, because GMP reports exhausted memory */
    mpz_init2(scratch, count * sizeof *m.x * 8);
    m.x = (mpz_t *)scratch->_mp_d;
    for (size_t i = 0; i < count; i++)
        mpz_init(m.x[i]);
    fill(&m, 0, side, up[0], j->u[0].n);
    if (columns)
        fill(&m, side, columns, up[1], j->u[1].n);
    memset(rp[0], 0, (numerators + 1) * n * sizeof **rp);
    if (eliminate(&m)) {
        for (size_t e = 0; e < numerators; e++)
            store(rp[0] + e * n, n, row_of(&m, e / columns)[side + e % columns], m.swaps & 1);
        store(rp[0] + numerators * n, n, row_of(&m, side - 1)[side - 1], m.swaps & 1);
    }
    for (size_t i = 0; i < count; i++)
        mpz_clear(m.x[i]);
    mpz_clear(scratch);
}
