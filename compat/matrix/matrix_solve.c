/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Determinants, systems of linear equations and inverses (include/mpgpu.h). One operation,
 * matrix_solve, computes them over Z: the determinant d of A, and the numerators d A^-1 B. Modulo
 * m, the numerators are then multiplied by the inverse of d. */
#include <stdlib.h>

#include "compat/batch/task.h"
#include "compat/intercept/call.h"
#include "compat/matrix/matrix.h"
#include "lib/gmp/normalize.h"

/* The arguments of a call: matrices A and B, and the modulus or NULL. x receives `count` numbers:
 * the numerators d A^-1 B, and then the determinant d. */
struct solving {
    mpgpu_matrix *a, *b;
    mpz_srcptr modulus;
    mpz_t *x;
    size_t count;
};

static mpz_t *make_numbers(size_t count) {
    mpz_t *x = count <= SIZE_MAX / sizeof *x ? malloc(count * sizeof *x) : NULL;
    for (size_t i = 0; x && i < count; i++)
        mpz_init(x[i]);
    return x;
}

static void free_numbers(mpz_t *x, size_t count) {
    for (size_t i = 0; x && i < count; i++)
        mpz_clear(x[i]);
    free(x);
}

static size_t bits_of(mpz_srcptr x) {
    return normalize_bits(mpz_limbs_read(x), mpz_size(x));
}

/* ---- over Z */

/* Sets m, which has one column, to the numerators d A^-1 B and then the determinant d. If B is
 * missing, sets m to d alone. */
static int operate(mpgpu_matrix *m, mpgpu_matrix *a, mpgpu_matrix *b) {
    const uint64_t side = a->rows, columns = b ? b->columns : 0, b_bits = b ? b->bits : 0;
    const uint64_t bits = matrix_system_bits(side, columns, a->bits, b_bits);
    mpgpu_batch *r = mpgpu_batch_create(m->rows, job_entry_limbs(bits));
    const int error =
        r ? batch_task_perform(&(struct batch_task){.op = JOB_matrix_solve,
                                                    .operands = b ? 2 : 1,
                                                    .results = 1,
                                                    .u = {a->entries, b ? b->entries : NULL},
                                                    .r = {r},
                                                    .parameter = {side, columns, a->bits, b_bits}})
          : MPGPU_NO_MEMORY;
    if (error)
        mpgpu_batch_destroy(r);
    else
        matrix_replace(m, r, bits);
    return error;
}

/* Computes the numerators d A^-1 B and the determinant d over Z. If B = 0, the numerators are 0. */
static int compute(const struct solving *t, mpgpu_matrix *a, mpgpu_matrix *b) {
    mpgpu_matrix *const right = b && b->entries ? b : NULL;
    const size_t computed = right ? t->count : 1;
    if (a->rows == 0)
        mpz_set_ui(t->x[t->count - 1], 1);
    if (!a->entries)
        return 0;
    mpgpu_matrix m = {.rows = computed, .columns = 1};
    int error = operate(&m, a, right);
    if (!error)
        error = mpgpu_matrix_get_mpz(t->x + t->count - computed, &m);
    mpgpu_batch_destroy(m.entries);
    return error;
}

/* ---- modulo m */

/* Sets *r to u if the entries of u are shorter than m; otherwise to a new matrix with the entries
 * of u modulo m. */
static int reduce(mpgpu_matrix **r, mpgpu_matrix *u, mpz_srcptr m) {
    const size_t count = u->rows * u->columns;
    *r = u;
    if (u->bits < bits_of(m))
        return 0;
    mpz_t *x = make_numbers(count);
    *r = mpgpu_matrix_create(u->rows, u->columns);
    int error = x && *r ? mpgpu_matrix_get_mpz(x, u) : batch_fail(MPGPU_NO_MEMORY);
    for (size_t i = 0; i < count && !error; i++)
        mpz_mod(x[i], x[i], m);
    if (!error)
        error = mpgpu_matrix_set_mpz(*r, (const mpz_t *)x);
    free_numbers(x, count);
    return error;
}

static void release(mpgpu_matrix *m, const mpgpu_matrix *u) {
    if (m != u)
        mpgpu_matrix_destroy(m);
}

/* Computes the numerators and the determinant over Z of the matrices reduced modulo m. */
static int compute_residues(const struct solving *t) {
    mpgpu_matrix *a, *b = t->b;
    int error = reduce(&a, t->a, t->modulus);
    if (!error && b)
        error = reduce(&b, t->b, t->modulus);
    if (!error)
        error = compute(t, a, b);
    release(a, t->a);
    release(b, t->b);
    return error;
}

static int fail_for(const struct solving *t, mpz_srcptr common) {
    const size_t rows = t->a->rows;
    if (!t->modulus)
        return batch_fail_sizes(MPGPU_DIVIDE_BY_ZERO,
                                "the determinant of a matrix of %zu x %zu entries is 0", rows, rows,
                                0, 0);
    const char *const text =
        mpz_size(common) > 1
            ? "the determinant of a matrix of %zu x %zu entries has a common factor of %zu bits "
              "with the modulus"
            : "the determinant of a matrix of %zu x %zu entries has the common factor %zu with the "
              "modulus";
    return batch_fail_sizes(MPGPU_DIVIDE_BY_ZERO, text, rows, rows,
                            mpz_size(common) > 1 ? bits_of(common) : mpz_get_ui(common), 0);
}

/* Divides the numerators by the determinant d modulo m: multiplies them by the inverse of d, and
 * sets d to 1. */
static int divide_modulo(const struct solving *t) {
    mpz_ptr d = t->x[t->count - 1];
    mpz_t inverse;
    mpz_init(inverse);
    mpz_gcd(inverse, d, t->modulus);
    int error = mpz_cmp_ui(inverse, 1) != 0 ? fail_for(t, inverse) : 0;
    if (!error)
        mpz_invert(inverse, d, t->modulus);
    for (size_t i = 0; i + 1 < t->count && !error; i++) {
        mpz_mod(t->x[i], t->x[i], t->modulus);
        mpz_mul(t->x[i], t->x[i], inverse);
        mpz_mod(t->x[i], t->x[i], t->modulus);
    }
    mpz_set_ui(d, 1);
    mpz_clear(inverse);
    return error;
}

/* Divides the numerators and the determinant d by their greatest common divisor, and makes d
 * positive. */
static int cancel(const struct solving *t) {
    mpz_ptr d = t->x[t->count - 1];
    mpz_t common;
    if (mpz_sgn(d) == 0)
        return fail_for(t, d);
    mpz_init(common);
    mpz_set(common, d);
    for (size_t i = 0; i + 1 < t->count && mpz_cmp_ui(common, 1) != 0; i++)
        mpz_gcd(common, common, t->x[i]);
    if (mpz_sgn(common) != mpz_sgn(d))
        mpz_neg(common, common);
    for (size_t i = 0; i < t->count && mpz_cmp_ui(common, 1) != 0; i++)
        mpz_divexact(t->x[i], t->x[i], common);
    mpz_clear(common);
    return 0;
}

/* ---- calls */

static int check_modulus(mpz_srcptr modulus) {
    if (!modulus || mpz_sgn(modulus) > 0)
        return 0;
    return mpz_sgn(modulus)
               ? batch_fail_text(MPGPU_ARGUMENTS, "the modulus of a matrix is negative")
               : batch_fail_text(MPGPU_DIVIDE_BY_ZERO,
                                 "division by zero: the modulus of a matrix is 0");
}

static int check_square(const mpgpu_matrix *a) {
    return a->rows == a->columns
               ? 0
               : batch_fail_sizes(MPGPU_ARGUMENTS,
                                  "a matrix of %zu x %zu entries has no determinant and no inverse",
                                  a->rows, a->columns, 0, 0);
}

EXPORT int mpgpu_matrix_det(mpz_ptr r, mpgpu_matrix *a, mpz_srcptr modulus) {
    call_init();
    if (!r || !a)
        return batch_fail(MPGPU_ARGUMENTS);
    int error = check_modulus(modulus);
    error = error ? error : check_square(a);
    if (error)
        return error;
    struct solving t = {a, NULL, modulus, make_numbers(1), 1};
    if (!t.x)
        return batch_fail(MPGPU_NO_MEMORY);
    error = modulus ? compute_residues(&t) : compute(&t, a, NULL);
    if (!error && modulus)
        mpz_mod(r, t.x[0], modulus);
    else if (!error)
        mpz_set(r, t.x[0]);
    free_numbers(t.x, 1);
    return error;
}

/* Solves A r = d B; include/mpgpu.h describes d. The caller has checked the sizes. */
static int solve(mpgpu_matrix *r, mpz_ptr d, mpgpu_matrix *a, mpgpu_matrix *b, mpz_srcptr modulus) {
    const size_t count = b->rows * b->columns + 1;
    struct solving t = {a, b, modulus, make_numbers(count), count};
    if (!t.x)
        return batch_fail(MPGPU_NO_MEMORY);
    int error = modulus ? compute_residues(&t) : compute(&t, a, b);
    if (!error)
        error = modulus ? divide_modulo(&t) : cancel(&t);
    if (!error)
        error = mpgpu_matrix_set_mpz(r, (const mpz_t *)t.x);
    if (!error && d)
        mpz_swap(d, t.x[count - 1]);
    free_numbers(t.x, count);
    return error;
}

static int check(const mpgpu_matrix *r, mpz_srcptr d, const mpgpu_matrix *a, mpz_srcptr modulus) {
    if (!r || !a || (!d && !modulus))
        return batch_fail(MPGPU_ARGUMENTS);
    const int error = check_modulus(modulus);
    return error ? error : check_square(a);
}

EXPORT int mpgpu_matrix_solve(mpgpu_matrix *r, mpz_ptr d, mpgpu_matrix *a, mpgpu_matrix *b,
                              mpz_srcptr modulus) {
    call_init();
    if (!b)
        return batch_fail(MPGPU_ARGUMENTS);
    const int error = check(r, d, a, modulus);
    if (error)
        return error;
    if (b->rows != a->rows)
        return batch_fail_sizes(MPGPU_ARGUMENTS,
                                "a system of %zu x %zu entries with a right side of %zu x %zu",
                                a->rows, a->columns, b->rows, b->columns);
    if (r->rows != b->rows || r->columns != b->columns)
        return batch_fail_sizes(MPGPU_ARGUMENTS,
                                "a matrix of %zu x %zu entries for a solution of %zu x %zu",
                                r->rows, r->columns, b->rows, b->columns);
    return solve(r, d, a, b, modulus);
}

/* Sets m to the unit matrix. */
static int set_unit(mpgpu_matrix *m) {
    const size_t side = m->rows, count = side * side;
    mp_limb_t *x = calloc(count + 1, sizeof *x);
    for (size_t i = 0; x && i < count; i += side + 1)
        x[i] = 1;
    const int error = x ? mpgpu_matrix_set(m, x, 1) : batch_fail(MPGPU_NO_MEMORY);
    free(x);
    return error;
}

EXPORT int mpgpu_matrix_inverse(mpgpu_matrix *r, mpz_ptr d, mpgpu_matrix *a, mpz_srcptr modulus) {
    call_init();
    int error = check(r, d, a, modulus);
    if (error)
        return error;
    if (r->rows != a->rows || r->columns != a->columns)
        return batch_fail_sizes(MPGPU_ARGUMENTS,
                                "a matrix of %zu x %zu entries for an inverse of %zu x %zu",
                                r->rows, r->columns, a->rows, a->columns);
    mpgpu_matrix *unit = mpgpu_matrix_create(a->rows, a->rows);
    error = unit ? set_unit(unit) : MPGPU_NO_MEMORY;
    if (!error)
        error = solve(r, d, a, unit, modulus);
    mpgpu_matrix_destroy(unit);
    return error;
}
