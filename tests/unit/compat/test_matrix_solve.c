/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests determinants, solutions and inverses of matrices. Compares them with elimination by GMP's
 * fractions, or uses matrices with known results. Covers entries with long runs of ones or zeros,
 * negative entries, permutations, and matrices that are singular over Z or only modulo the device's
 * first primes. */
#include <string.h>

#include "compat/intercept/call.h"
#include "lib/device/verdict.h"
#include "lib/matrix/matrix_primes.h"
#include "lib/matrix/matrix_system.h"
#include "lib/transfer/transfer.h"
#include "tests/support/backends.h"
#include "tests/unit/compat/host_matrix.h"

/* True if the device must compute each call. It computes none if all entries are 0. */
static bool on_device = true;
static unsigned long sent;

static void expect_sent(unsigned long more) {
    sent += on_device ? more : 0;
    ck_assert_uint_eq(mpgpu_sent(), sent);
}

/* ---- the expected results, by elimination with fractions */

struct fractions {
    size_t side, width;
    mpq_t *x;
    mpq_t det;
};

static struct fractions fractions_of(const struct host_matrix *a, const struct host_matrix *b) {
    struct fractions f = {.side = a->rows, .width = a->rows + (b ? b->columns : 0)};
    f.x = malloc((f.side * f.width + 1) * sizeof *f.x);
    mpq_init(f.det);
    for (size_t i = 0; i < f.side; i++)
        for (size_t j = 0; j < f.width; j++) {
            mpq_init(f.x[i * f.width + j]);
            mpq_set_z(f.x[i * f.width + j],
                      j < f.side ? a->x[i * f.side + j] : b->x[i * b->columns + j - f.side]);
        }
    return f;
}

static void forget(struct fractions *f) {
    for (size_t i = 0; i < f->side * f->width; i++)
        mpq_clear(f->x[i]);
    mpq_clear(f->det);
    free(f->x);
}

/* One step of elimination with the pivot row k, where c is the entry of row `to` in column k.
 * Divides row k by c if `to` is k; otherwise subtracts c times row k from row `to`. */
static void change_row(const struct fractions *f, size_t to, size_t k) {
    mpq_t c, product;
    mpq_init(c);
    mpq_init(product);
    mpq_set(c, f->x[to * f->width + k]);
    for (size_t j = 0; j < f->width; j++) {
        mpq_ptr x = f->x[to * f->width + j];
        if (to == k)
            mpq_div(x, x, c);
        else {
            mpq_mul(product, c, f->x[k * f->width + j]);
            mpq_sub(x, x, product);
        }
    }
    mpq_clear(c);
    mpq_clear(product);
}

/* Eliminates by fractions: sets f->det to the determinant. If it is not 0, the columns behind the
 * matrix become the solution. */
static void eliminate(struct fractions *f) {
    mpq_set_ui(f->det, 1, 1);
    for (size_t k = 0; k < f->side; k++) {
        size_t i = k;
        while (i < f->side && mpq_sgn(f->x[i * f->width + k]) == 0)
            i++;
        if (i == f->side) {
            mpq_set_ui(f->det, 0, 1);
            return;
        }
        for (size_t j = 0; j < f->width && i > k; j++)
            mpq_swap(f->x[i * f->width + j], f->x[k * f->width + j]);
        mpq_mul(f->det, f->det, f->x[k * f->width + k]);
        if (i > k)
            mpq_neg(f->det, f->det);
        for (i = 0; i < f->side; i++)
            change_row(f, (i + k) % f->side, k); /* row k first */
    }
}

/* Sets d to the least common denominator of the solution, and r to the numerators over d. */
static void clear_denominators(mpz_ptr d, struct host_matrix *r, const struct fractions *f) {
    mpz_set_ui(d, 1);
    for (size_t i = 0; i < r->rows * r->columns; i++)
        mpz_lcm(d, d, mpq_denref(f->x[i / r->columns * f->width + f->side + i % r->columns]));
    for (size_t i = 0; i < r->rows * r->columns; i++) {
        mpq_ptr x = f->x[i / r->columns * f->width + f->side + i % r->columns];
        mpz_divexact(r->x[i], d, mpq_denref(x));
        mpz_mul(r->x[i], r->x[i], mpq_numref(x));
    }
}

/* ---- comparisons */

static void check_number(mpz_srcptr got, mpz_srcptr right, const char *what, size_t side) {
    ck_assert_msg(mpz_cmp(got, right) == 0, "%s of a matrix of %zu x %zu: %zu bits, not %zu", what,
                  side, side, mpz_sizeinbase(got, 2), mpz_sizeinbase(right, 2));
}

/* Compares the determinant of `a` with `right`. */
static void compare_det(const struct host_matrix *a, mpz_srcptr right) {
    mpz_t got;
    mpz_init(got);
    mpgpu_matrix *m = matrix_of(a);
    ck_assert_msg(mpgpu_matrix_det(got, m, NULL) == 0, "%s", mpgpu_error());
    expect_sent(mpgpu_matrix_bits_most(m) > 0);
    check_number(got, right, "determinant", a->rows);
    mpgpu_matrix_destroy(m);
    mpz_clear(got);
}

/* Compares the solution X of A X = B with the matrix right / d. */
static void compare_solution(const struct host_matrix *a, const struct host_matrix *b,
                             const struct host_matrix *right, mpz_srcptr d) {
    mpz_t got;
    mpz_init(got);
    mpgpu_matrix *ma = matrix_of(a), *mb = matrix_of(b),
                 *mr = mpgpu_matrix_create(b->rows, b->columns);
    ck_assert_msg(mpgpu_matrix_solve(mr, got, ma, mb, NULL) == 0, "%s", mpgpu_error());
    expect_sent(1);
    check_number(got, d, "denominator", a->rows);
    check_equal(mr, right, "solution");
    check_equal(ma, a, "matrix");
    check_equal(mb, b, "right side");
    mpgpu_matrix_destroy(ma);
    mpgpu_matrix_destroy(mb);
    mpgpu_matrix_destroy(mr);
    mpz_clear(got);
}

static void check_singular(int error, size_t side) {
    char text[100];
    snprintf(text, sizeof text, "the determinant of a matrix of %zu x %zu entries is 0", side,
             side);
    ck_assert_int_eq(error, MPGPU_DIVIDE_BY_ZERO);
    ck_assert_str_eq(mpgpu_error(), text);
}

/* Checks that a singular matrix has no solution and no inverse, and that the calls change neither
 * operands nor results. */
static void compare_singular(const struct host_matrix *a, const struct host_matrix *b) {
    mpz_t d;
    mpz_init(d);
    mpz_set_ui(d, 77);
    mpgpu_matrix *ma = matrix_of(a), *mb = matrix_of(b);
    check_singular(mpgpu_matrix_solve(mb, d, ma, mb, NULL), a->rows);
    check_singular(mpgpu_matrix_inverse(ma, d, ma, NULL), a->rows);
    expect_sent(mpgpu_matrix_bits_most(ma) > 0 ? 2 : 0);
    ck_assert_int_eq(mpz_cmp_ui(d, 77), 0);
    check_equal(ma, a, "matrix");
    check_equal(mb, b, "right side");
    mpgpu_matrix_destroy(ma);
    mpgpu_matrix_destroy(mb);
    mpz_clear(d);
}

static void compare_matrices(const struct host_matrix *a, const struct host_matrix *b) {
    struct fractions f = fractions_of(a, b);
    struct host_matrix right = host_matrix(b->rows, b->columns);
    mpz_t d;
    mpz_init(d);
    eliminate(&f);
    compare_det(a, mpq_numref(f.det));
    if (mpq_sgn(f.det)) {
        clear_denominators(d, &right, &f);
        compare_solution(a, b, &right, d);
    } else
        compare_singular(a, b);
    mpz_clear(d);
    host_free(&right);
    forget(&f);
}

static void compare(size_t side, size_t columns, size_t a_bits, size_t b_bits, enum kind kind) {
    struct host_matrix a = host_matrix(side, side), b = host_matrix(side, columns);
    fill(&a, a_bits, kind);
    fill(&b, b_bits, kind);
    compare_matrices(&a, &b);
    host_free(&a);
    host_free(&b);
}

static void use(int i, int verify) {
    use_backend(backends[i], verify);
}

/* Tests small matrices with all kinds of entries. Some of the matrices are singular. */
START_TEST(shapes) {
    use(_i, VERIFY_DEVICE);
    for (size_t side = 1; side <= 7; side++)
        for (int kind = 0; kind < KINDS; kind++)
            compare(side, 1 + testing_below(9), 1 + testing_below(150), 1 + testing_below(150),
                    (enum kind)kind);
    compare(3, 70, 40, 300, MIXED); /* 70 columns, for which the kernels need several tiles */
    compare(4, 3, 2000, 1, RANDOM);
    compare(2, 1, 30000, 20, ONES);
}
END_TEST

/* ---- matrices whose determinant is known */

/* Sets a to the product P L U. L is lower triangular with ones in the diagonal; U is upper
 * triangular with the given diagonal. P reverses the rows if `reverses` is true. Returns the sign
 * of P's determinant. */
static int product_of(struct host_matrix *a, const mpz_t *diagonal, size_t bits, bool reverses) {
    const size_t side = a->rows;
    struct host_matrix l = host_matrix(side, side), u = host_matrix(side, side);
    fill(&l, bits, MIXED);
    fill(&u, bits, MIXED);
    for (size_t i = 0; i < side; i++)
        for (size_t j = 0; j < side; j++) {
            mpz_ptr x = a->x[(reverses ? side - 1 - i : i) * side + j];
            mpz_set_ui(l.x[i * side + i], 1);
            mpz_set(u.x[j * side + j], diagonal[j]);
            mpz_set_ui(x, 0);
            for (size_t k = 0; k <= i && k <= j; k++) {
                mpz_set(u.x[k * side + k], diagonal[k]);
                mpz_addmul(x, l.x[i * side + k], u.x[k * side + j]);
            }
        }
    host_free(&l);
    host_free(&u);
    return reverses && side / 2 % 2 ? -1 : 1;
}

/* Makes a matrix by product_of. Compares its determinant with the product of the diagonal, and a
 * solution with known integers. */
static void compare_product(const mpz_t *diagonal, size_t side, size_t bits, bool reverses) {
    struct host_matrix a = host_matrix(side, side), b = host_matrix(side, 2),
                       x = host_matrix(side, 2);
    mpz_t det;
    mpz_init(det);
    mpz_set_ui(det, 1);
    const int sign = product_of(&a, diagonal, bits, reverses);
    for (size_t i = 0; i < side; i++)
        mpz_mul(det, det, diagonal[i]);
    if (sign < 0)
        mpz_neg(det, det);
    compare_det(&a, det);
    fill(&x, 20, RANDOM);
    for (size_t i = 0; i < 2 * side; i++)
        for (size_t k = 0; k < side; k++)
            mpz_addmul(b.x[i], a.x[i / 2 * side + k], x.x[2 * k + i % 2]);
    mpz_set_ui(det, 1);
    if (mpz_sgn(diagonal[side - 1]))
        compare_solution(&a, &b, &x, det);
    else
        compare_singular(&a, &b);
    mpz_clear(det);
    host_free(&a);
    host_free(&b);
    host_free(&x);
}

enum { MOST_SIDE = 70 };
enum diagonal { ONES_ONLY, SIGNS, PRIMES_OF_DEVICE, FEW_PRIMES, NUMBERS, LAST_IS_ZERO, DIAGONALS };

static void fill_diagonal(mpz_t *d, size_t side, enum diagonal kind) {
    uint32_t p = 1u << 31;
    for (size_t i = 0; i < side; i++) {
        p = matrix_primes_next(p);
        mpz_set_ui(d[i], kind == PRIMES_OF_DEVICE || (kind == FEW_PRIMES && i < 3) ? p : 1);
        if (kind >= NUMBERS)
            mpz_set_ui(d[i], 1 + testing_below(UINT32_MAX));
        if (kind == SIGNS || kind >= NUMBERS)
            testing_below(2) ? mpz_neg(d[i], d[i]) : (void)0;
    }
    if (kind == LAST_IS_ZERO)
        mpz_set_ui(d[side - 1], 0);
}

/* Tests determinants 0, 1 and -1, and determinants that are products of the primes with which the
 * device begins. The device must replace such primes by others. */
START_TEST(known) {
    static const size_t sides[] = {1, 2, 5, 31, 32, 33, MOST_SIDE};
    mpz_t d[MOST_SIDE];
    use(_i, VERIFY_DEVICE);
    for (size_t i = 0; i < MOST_SIDE; i++)
        mpz_init(d[i]);
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
        for (int kind = 0; kind < DIAGONALS; kind++) {
            fill_diagonal(d, sides[i], (enum diagonal)kind);
            compare_product(d, sides[i], 1 + testing_below(40), testing_below(2));
        }
    for (size_t i = 0; i < MOST_SIDE; i++)
        mpz_clear(d[i]);
}
END_TEST

/* Tests a system whose determinant is divisible by the device's first primes. So the solution has
 * denominators that are divisible by these primes. */
START_TEST(first_primes) {
    mpz_t d[4];
    struct host_matrix a = host_matrix(4, 4), b = host_matrix(4, 2);
    use(_i, VERIFY_DEVICE);
    for (size_t i = 0; i < 4; i++)
        mpz_init(d[i]);
    fill_diagonal(d, 4, FEW_PRIMES);
    product_of(&a, d, 10, true);
    fill(&b, 50, RANDOM);
    compare_matrices(&a, &b);
    for (size_t i = 0; i < 4; i++)
        mpz_clear(d[i]);
    host_free(&a);
    host_free(&b);
}
END_TEST

/* Tests permutation matrices, in which each step of the elimination must search for its pivot. */
START_TEST(permutations) {
    use(_i, VERIFY_DEVICE);
    for (size_t side = 1; side < 200; side += 1 + side / 3) {
        struct host_matrix a = host_matrix(side, side), b = host_matrix(side, 1),
                           x = host_matrix(side, 1);
        mpz_t det;
        mpz_init(det);
        mpz_set_si(det, side % 2 ? 1 : -1); /* the permutation is a cycle of `side` rows */
        fill(&x, 100, MIXED);
        for (size_t i = 0; i < side; i++) {
            mpz_set_ui(a.x[i * side + (i + 1) % side], 1);
            mpz_set(b.x[i], x.x[(i + 1) % side]);
        }
        compare_det(&a, det);
        mpz_set_ui(det, 1);
        compare_solution(&a, &b, &x, det);
        mpz_clear(det);
        host_free(&a);
        host_free(&b);
        host_free(&x);
    }
}
END_TEST

/* ---- modulo m */

/* Compares the determinant modulo m with that over Z. Multiplies the inverse modulo m by the
 * matrix: the product must be the unit matrix. */
static void compare_modulo(const struct host_matrix *a, mpz_srcptr m) {
    const size_t side = a->rows;
    struct fractions f = fractions_of(a, NULL);
    struct host_matrix r = host_matrix(side, side);
    mpz_t det, got, common;
    mpz_init(det);
    mpz_init(got);
    mpz_init(common);
    eliminate(&f);
    mpz_mod(det, mpq_numref(f.det), m);
    mpz_gcd(common, det, m);
    mpgpu_matrix *ma = matrix_of(a), *mr = mpgpu_matrix_create(side, side);
    ck_assert_int_eq(mpgpu_matrix_det(got, ma, m), 0);
    check_number(got, det, "determinant modulo a number", side);
    const int error = mpgpu_matrix_inverse(mr, NULL, ma, m);
    ck_assert_int_eq(error, mpz_cmp_ui(common, 1) ? MPGPU_DIVIDE_BY_ZERO : 0);
    if (!error) {
        ck_assert_int_eq(mpgpu_matrix_get_mpz(r.x, mr), 0);
        for (size_t i = 0; i < side * side; i++) {
            ck_assert(mpz_sgn(r.x[i]) >= 0 && mpz_cmp(r.x[i], m) < 0);
            mpz_set_ui(got, 0);
            for (size_t k = 0; k < side; k++)
                mpz_addmul(got, a->x[i / side * side + k], r.x[k * side + i % side]);
            mpz_sub_ui(got, got, i % (side + 1) == 0);
            mpz_mod(got, got, m);
            ck_assert_int_eq(mpz_sgn(got), 0);
        }
    }
    mpgpu_matrix_destroy(ma);
    mpgpu_matrix_destroy(mr);
    mpz_clear(det);
    mpz_clear(got);
    mpz_clear(common);
    host_free(&r);
    forget(&f);
}

START_TEST(modulo) {
    static const unsigned long small[] = {1, 2, 3, 4, 6, 30, 2147483647, 4294967295};
    mpz_t m;
    mpz_init(m);
    use(_i, VERIFY_DEVICE);
    for (size_t i = 0; i < 20; i++) {
        const size_t side = 1 + testing_below(6);
        struct host_matrix a = host_matrix(side, side);
        fill(&a, 1 + testing_below(200), i % 2 ? MIXED : RANDOM);
        if (i < sizeof small / sizeof *small)
            mpz_set_ui(m, small[i]);
        else
            choose(m, 1 + testing_below(200), ONES);
        compare_modulo(&a, m);
        host_free(&a);
    }
    mpz_clear(m);
}
END_TEST

/* Tests a matrix that has an inverse modulo 6, although no entry of its first column has one. */
START_TEST(no_pivot_modulo_6) {
    struct host_matrix a = host_matrix(2, 2);
    mpz_t m, d;
    mpz_init(m);
    mpz_init(d);
    mpz_set_ui(m, 6);
    use(_i, VERIFY_DEVICE);
    mpz_set_ui(a.x[0], 2);
    mpz_set_ui(a.x[1], 1);
    mpz_set_ui(a.x[2], 3);
    mpz_set_ui(a.x[3], 1);
    compare_modulo(&a, m);
    mpz_set_ui(a.x[3], 3);
    mpgpu_matrix *ma = matrix_of(&a);
    ck_assert_int_eq(mpgpu_matrix_inverse(ma, NULL, ma, m), MPGPU_DIVIDE_BY_ZERO);
    ck_assert_str_eq(mpgpu_error(), "the determinant of a matrix of 2 x 2 entries has the common "
                                    "factor 3 with the modulus");
    mpz_mul_2exp(m, m, 100);
    mpz_set_ui(a.x[3], 0);
    mpz_mul_2exp(a.x[1], a.x[1], 100);
    ck_assert_int_eq(mpgpu_matrix_set_mpz(ma, (const mpz_t *)a.x), 0);
    ck_assert_int_eq(mpgpu_matrix_inverse(ma, NULL, ma, m), MPGPU_DIVIDE_BY_ZERO);
    ck_assert_str_eq(mpgpu_error(), "the determinant of a matrix of 2 x 2 entries has a common "
                                    "factor of 102 bits with the modulus");
    mpgpu_matrix_destroy(ma);
    mpz_clear(m);
    mpz_clear(d);
    host_free(&a);
}
END_TEST

/* ---- options, aliases, empty matrices, errors */

START_TEST(verified_by_gmp) {
    use(_i, VERIFY_FULL);
    compare(5, 3, 300, 200, MIXED);
    mpgpu_conf.verify = VERIFY_OFF;
    compare(5, 3, 300, 200, RANDOM);
}
END_TEST

START_TEST(by_gmp) {
    on_device = false;
    snprintf(mpgpu_conf.backend, sizeof mpgpu_conf.backend, "none");
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t side = 1; side < 7; side++)
            compare(side, 2, 150, 64, (enum kind)kind);
    expect_sent(0);
}
END_TEST

/* Tests matrices with two lengths of entries. With the longer entries the result needs more primes
 * than the kernels accept, so GMP computes it. With the slightly shorter ones the device computes
 * it. */
START_TEST(too_long) {
    static const size_t bits[] = {507000 / 2 - 2, 510000 / 2};
    use(_i, VERIFY_DEVICE);
    for (int i = 0; i < 2; i++) {
        struct host_matrix a = host_matrix(2, 2);
        mpz_t right;
        mpz_init(right);
        fill(&a, bits[i], RANDOM);
        /* sets the highest bit, so that each entry has exactly this length */
        for (int k = 0; k < 4; k++)
            mpz_setbit(a.x[k], bits[i] - 1);
        mpz_mul(right, a.x[0], a.x[3]);
        mpz_submul(right, a.x[1], a.x[2]);
        on_device = i == 0;
        compare_det(&a, right);
        mpz_clear(right);
        host_free(&a);
    }
}
END_TEST

/* The device must compute each of these calls, and must count it as one operation. */
START_TEST(sent_once) {
    use(_i, VERIFY_DEVICE);
    struct host_matrix a = host_matrix(3, 3);
    fill(&a, 100, RANDOM);
    mpgpu_matrix *m = matrix_of(&a), *r = mpgpu_matrix_create(3, 3);
    mpz_t d;
    mpz_init(d);
    ck_assert_int_eq(mpgpu_matrix_det(d, m, NULL), 0);
    expect_sent(1);
    ck_assert_int_eq(mpgpu_matrix_inverse(r, d, m, NULL), 0);
    expect_sent(1);
    /* solves A X = A, so X is the unit matrix */
    ck_assert_int_eq(mpgpu_matrix_solve(m, d, m, m, NULL), 0);
    expect_sent(1);
    ck_assert_int_eq(mpz_cmp_ui(d, 1), 0);
    ck_assert_int_eq(mpgpu_matrix_get_mpz(a.x, m), 0);
    for (size_t i = 0; i < 9; i++)
        ck_assert_int_eq(mpz_cmp_ui(a.x[i], i % 4 == 0), 0);
    mpz_clear(d);
    mpgpu_matrix_destroy(m);
    mpgpu_matrix_destroy(r);
    host_free(&a);
}
END_TEST

/* Tests the threshold `batch`. For a determinant it is compared with the limbs of all entries,
 * times the number of rows. */
START_TEST(threshold) {
    use(_i, VERIFY_DEVICE);
    struct host_matrix a = host_matrix(3, 3);
    fill(&a, 100, RANDOM);
    mpgpu_matrix *m = matrix_of(&a);
    mpz_t d;
    mpz_init(d);
    thresholds_set(PROFILE_batch, 3 * 9 * 2);
    ck_assert_int_eq(mpgpu_matrix_det(d, m, NULL), 0);
    expect_sent(1);
    thresholds_set(PROFILE_batch, 3 * 9 * 2 + 1);
    ck_assert_int_eq(mpgpu_matrix_det(d, m, NULL), 0);
    expect_sent(0);
    mpz_clear(d);
    mpgpu_matrix_destroy(m);
    host_free(&a);
}
END_TEST

static void check_error(int error, int code, const char *text) {
    ck_assert_int_eq(error, code);
    ck_assert_str_eq(mpgpu_error(), text);
}

START_TEST(invalid) {
    mpgpu_matrix *wide = mpgpu_matrix_create(2, 3), *two = mpgpu_matrix_create(2, 2),
                 *three = mpgpu_matrix_create(3, 3), *none = mpgpu_matrix_create(0, 0),
                 *empty = mpgpu_matrix_create(0, 4), *thin = mpgpu_matrix_create(2, 0);
    mpz_t d, m;
    mpz_init(d);
    mpz_init(m);
    const char *const shape = "a matrix of 2 x 3 entries has no determinant and no inverse";
    check_error(mpgpu_matrix_det(d, wide, NULL), MPGPU_ARGUMENTS, shape);
    check_error(mpgpu_matrix_inverse(wide, d, wide, NULL), MPGPU_ARGUMENTS, shape);
    check_error(mpgpu_matrix_solve(wide, d, wide, wide, NULL), MPGPU_ARGUMENTS, shape);
    check_error(mpgpu_matrix_solve(three, d, two, three, NULL), MPGPU_ARGUMENTS,
                "a system of 2 x 2 entries with a right side of 3 x 3");
    check_error(mpgpu_matrix_solve(two, d, two, wide, NULL), MPGPU_ARGUMENTS,
                "a matrix of 2 x 2 entries for a solution of 2 x 3");
    check_error(mpgpu_matrix_inverse(three, d, two, NULL), MPGPU_ARGUMENTS,
                "a matrix of 3 x 3 entries for an inverse of 2 x 2");
    check_error(mpgpu_matrix_det(d, two, m), MPGPU_DIVIDE_BY_ZERO,
                "division by zero: the modulus of a matrix is 0");
    mpz_sub_ui(m, m, 7);
    check_error(mpgpu_matrix_inverse(two, d, two, m), MPGPU_ARGUMENTS,
                "the modulus of a matrix is negative");
    check_singular(mpgpu_matrix_inverse(two, d, two, NULL), 2);
    check_singular(mpgpu_matrix_solve(thin, d, two, thin, NULL), 2);
    mpz_set_ui(m, 1);
    ck_assert_int_eq(mpgpu_matrix_det(d, none, NULL), 0);
    ck_assert_int_eq(mpz_cmp_ui(d, 1), 0);
    ck_assert_int_eq(mpgpu_matrix_det(d, none, m), 0);
    ck_assert_int_eq(mpz_sgn(d), 0);
    ck_assert_int_eq(mpgpu_matrix_inverse(none, d, none, NULL), 0);
    ck_assert_int_eq(mpgpu_matrix_solve(empty, d, none, empty, NULL), 0);
    ck_assert_int_eq(mpz_cmp_ui(d, 1), 0);
    /* allowed: modulo 1 every value is 0 */
    ck_assert_int_eq(mpgpu_matrix_inverse(two, NULL, two, m), 0);
    mpgpu_matrix *all[] = {wide, two, three, none, empty, thin};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mpgpu_matrix_destroy(all[i]);
    mpz_clear(d);
    mpz_clear(m);
}
END_TEST

/* Every function must return MPGPU_LOST if the entries of an operand are lost, whether it reduces
 * them modulo the modulus or not. */
START_TEST(lost_entries) {
    static const unsigned long moduli[] = {0, 3, 1000003};
    struct host_matrix a = host_matrix(2, 2);
    mpz_t d, m;
    mpz_init(d);
    mpz_init(m);
    fill(&a, 9, RANDOM);
    mpgpu_matrix *lost = matrix_of(&a), *good = matrix_of(&a), *r = mpgpu_matrix_create(2, 2);
    lost->entries->where = BATCH_LOST;
    ck_assert_int_eq(mpgpu_matrix_mul(r, lost, good), MPGPU_LOST);
    ck_assert_int_eq(mpgpu_matrix_mul(r, good, lost), MPGPU_LOST);
    ck_assert_int_eq(mpgpu_matrix_get_mpz(a.x, lost), MPGPU_LOST);
    for (size_t i = 0; i < sizeof moduli / sizeof *moduli; i++) {
        mpz_set_ui(m, moduli[i]);
        mpz_srcptr by = moduli[i] ? m : NULL;
        ck_assert_int_eq(mpgpu_matrix_det(d, lost, by), MPGPU_LOST);
        ck_assert_int_eq(mpgpu_matrix_solve(r, d, lost, good, by), MPGPU_LOST);
        ck_assert_int_eq(mpgpu_matrix_solve(r, d, good, lost, by), MPGPU_LOST);
        ck_assert_int_eq(mpgpu_matrix_inverse(r, d, lost, by), MPGPU_LOST);
        ck_assert_msg(strstr(mpgpu_error(), "lost"), "%s", mpgpu_error());
    }
    mpgpu_matrix_destroy(lost);
    mpgpu_matrix_destroy(good);
    mpgpu_matrix_destroy(r);
    host_free(&a);
    mpz_clear(d);
    mpz_clear(m);
}
END_TEST

/* ---- kernels */

enum { SIDE = 34, COLUMNS = 3, WORDS = 3, NUMBERS_OF_RESULT = SIDE * COLUMNS + 1 };

static gpu_mem buffer(struct context *s, enum context_slot slot, size_t words) {
    gpu_mem mem = {0};
    ck_assert_int_eq(context_buffer(s, slot, words * sizeof(uint32_t), &mem), GPU_OK);
    return mem;
}

static void upload(struct context *s, gpu_mem mem, size_t at, const uint32_t *x, size_t words) {
    ck_assert_int_eq(transfer_up(s->transfer, &s->queue, mem, at * 4, x, words * 4), GPU_OK);
}

static void download(struct context *s, uint32_t *x, gpu_mem mem, size_t words) {
    ck_assert_int_eq(transfer_down(s->transfer, &s->queue, x, mem, 0, words * 4), GPU_OK);
}

static struct matrix_system system_of(struct context *s) {
    static uint32_t x[SIDE * SIDE * WORDS + 1];
    struct matrix_system op = {
        .side = SIDE, .columns = COLUMNS, .a_words = WORDS, .b_words = WORDS};
    op.bits = matrix_system_bits(SIDE, COLUMNS, 32 * WORDS - 1, 32 * WORDS - 1);
    op.r_words = (uint32_t)(op.bits / 64 + 1) * 2;
    op.a = buffer(s, SLOT_STAGED_U, SIDE * SIDE * WORDS);
    op.b = buffer(s, SLOT_STAGED_U + 1, SIDE * COLUMNS * WORDS);
    op.r = buffer(s, SLOT_STAGED_R, (size_t)NUMBERS_OF_RESULT * op.r_words);
    for (size_t i = 0; i < SIDE * SIDE * WORDS; i++)
        x[i] = (uint32_t)testing_below(UINT32_MAX) | 1;
    upload(s, op.a, 0, x, SIDE * SIDE * WORDS);
    upload(s, op.b, 0, x + 5, SIDE * COLUMNS * WORDS);
    return op;
}

static size_t words_of(const struct matrix_system *op) {
    return (size_t)NUMBERS_OF_RESULT * op->r_words;
}

/* Computes modulo all primes at once, then modulo a few in each pass, then modulo one in each pass.
 * The results must be the same. Without memory for one prime the call must fail. */
static enum gpu_status in_passes(struct context *s, void *unused) {
    struct matrix_system op = system_of(s);
    const uint64_t memory = s->dev.caps.max_alloc, one = SIDE * (SIDE + COLUMNS) * 4;
    const size_t words = words_of(&op);
    uint32_t *right = malloc(words * 4), *got = malloc(words * 4);
    (void)unused;
    ck_assert_int_eq(matrix_system_operate(s, &op), GPU_OK);
    download(s, right, op.r, words);
    for (unsigned most = 40; most > 0; most /= 6) {
        memset(got, 0, words * 4);
        upload(s, op.r, 0, got, words);
        s->dev.caps.max_alloc = most * one;
        ck_assert_int_eq(matrix_system_operate(s, &op), GPU_OK);
        download(s, got, op.r, words);
        ck_assert_mem_eq(got, right, words * 4);
    }
    s->dev.caps.max_alloc = one - 1;
    ck_assert_int_eq(matrix_system_operate(s, &op), GPU_NOMEM);
    s->dev.caps.max_alloc = memory;
    free(right);
    free(got);
    return GPU_OK;
}

static enum gpu_status check(struct context *s, const struct matrix_system *op) {
    ck_assert_int_eq(verdict_begin(s), GPU_OK);
    ck_assert_int_eq(matrix_system_check_prepare(s, op), GPU_OK);
    ck_assert_int_eq(matrix_system_check(s, op), GPU_OK);
    return verdict_end(s);
}

/* Changes a bit of *mem on the device, at several places one after another. The device's check must
 * find each change. */
static void spoil(struct context *s, const struct matrix_system *op, gpu_mem mem, size_t words) {
    uint32_t *x = malloc(words * 4);
    download(s, x, mem, words);
    for (int turn = 0; turn < 12; turn++) {
        const size_t at = turn == 0 ? 0 : turn == 1 ? words - 1 : testing_below(words);
        const uint32_t wrong = x[at] ^ (uint32_t)1 << testing_below(32);
        upload(s, mem, at, &wrong, 1);
        ck_assert_int_eq(check(s, op), GPU_FAILED);
        upload(s, mem, at, x + at, 1);
    }
    ck_assert_int_eq(check(s, op), GPU_OK);
    free(x);
}

static enum gpu_status spoil_all(struct context *s, void *unused) {
    const struct matrix_system op = system_of(s);
    (void)unused;
    ck_assert_int_eq(matrix_system_operate(s, &op), GPU_OK);
    spoil(s, &op, op.r, words_of(&op));
    spoil(s, &op, op.a, SIDE * SIDE * WORDS);
    spoil(s, &op, op.b, SIDE * COLUMNS * WORDS);
    return GPU_OK;
}

static void run(int i, enum gpu_status (*work)(struct context *, void *)) {
    int unused = 0;
    use_backend(backends[i], VERIFY_DEVICE);
    mpgpu_log_level = 0;
    ck_assert_int_eq(session_run(work, &unused, sizeof unused, 0), OUTCOME_DONE);
}

START_TEST(passes) {
    run(_i, in_passes);
}
END_TEST

START_TEST(wrong_words_are_found) {
    run(_i, spoil_all);
}
END_TEST

/* Checks the list of primes, the constants for arithmetic modulo each prime, and the product of
 * several primes. */
START_TEST(primes) {
    uint32_t p = 1u << 31, product[3], prime[3];
    mpz_t x;
    mpz_init(x);
    for (int i = 0; i < 2000; i++) {
        const uint32_t before = p;
        uint32_t entry[4];
        p = matrix_primes_next(p);
        matrix_primes_fill(entry, p);
        for (uint32_t q = p; q < before; q++) {
            mpz_set_ui(x, q);
            ck_assert_int_eq(mpz_probab_prime_p(x, 20) > 0, q == p);
        }
        ck_assert_uint_eq(entry[0], p);
        ck_assert_uint_eq((uint32_t)(entry[1] * p), 1);
        ck_assert_uint_eq(entry[2], (UINT64_C(1) << 32) % p);
        ck_assert_uint_eq(entry[3], (uint64_t)entry[2] * entry[2] % p);
        prime[i % 3] = p;
    }
    for (uint32_t q = 13; q > 5; q = matrix_primes_next(q))
        ck_assert(q == 13 || q == 11 || q == 7);
    matrix_primes_multiply(product, 3, prime, 3);
    mpz_set_ui(x, prime[0]);
    mpz_mul_ui(x, x, prime[1]);
    mpz_mul_ui(x, x, prime[2]);
    ck_assert_uint_eq(mpz_get_ui(x), (uint64_t)product[1] << 32 | product[0]);
    mpz_tdiv_q_2exp(x, x, 64);
    ck_assert_uint_eq(mpz_get_ui(x), product[2]);
    mpz_clear(x);
}
END_TEST

int main(void) {
    has_one_form = true;
    choose_batches_alone();
    return run_on_backends(
        "matrix_solve",
        TESTS(PER_DEVICE(shapes, 1), PER_DEVICE(known, 1), PER_DEVICE(first_primes, 1),
              PER_DEVICE(permutations, 1), PER_DEVICE(modulo, 1), PER_DEVICE(no_pivot_modulo_6, 1),
              PER_DEVICE(verified_by_gmp, 1), PER_DEVICE(sent_once, 1), PER_DEVICE(threshold, 1),
              PER_DEVICE(too_long, 1), PER_DEVICE(passes, 1), PER_DEVICE(wrong_words_are_found, 1),
              ONCE(by_gmp), ONCE(invalid), ONCE(lost_entries), ONCE(primes)),
        NULL);
}
