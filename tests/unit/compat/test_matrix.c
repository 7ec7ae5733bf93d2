/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Compares products of matrices with sums of products by GMP. Covers all shapes of the kernels'
 * tiles and blocks, entries with long runs of ones or zeros, the most negative entries, and zeros.
 * The device's own check must find any changed word. */
#include <string.h>

#include "compat/intercept/call.h"
#include "compat/matrix/matrix.h"
#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"
#include "lib/device/verdict.h"
#include "lib/matrix/matrix.h"
#include "lib/transfer/transfer.h"
#include "tests/support/backends.h"
#include "tests/unit/compat/host_matrix.h"

static void multiply(const struct host_matrix *r, const struct host_matrix *u,
                     const struct host_matrix *v) {
    for (size_t i = 0; i < r->rows; i++)
        for (size_t j = 0; j < r->columns; j++) {
            mpz_ptr sum = r->x[i * r->columns + j];
            mpz_set_ui(sum, 0);
            for (size_t k = 0; k < u->columns; k++)
                real.mpz_addmul(sum, u->x[i * u->columns + k], v->x[k * v->columns + j]);
        }
}

/* ---- products */

static bool on_device;

static void compare(size_t rows, size_t inner, size_t columns, size_t u_bits, size_t v_bits,
                    enum kind kind) {
    struct host_matrix u = host_matrix(rows, inner), v = host_matrix(inner, columns),
                       r = host_matrix(rows, columns);
    fill(&u, u_bits, kind);
    fill(&v, v_bits, kind);
    multiply(&r, &u, &v);
    mpgpu_matrix *mu = matrix_of(&u), *mv = matrix_of(&v), *mr = mpgpu_matrix_create(rows, columns);
    ck_assert_msg(mpgpu_matrix_mul(mr, mu, mv) == 0, "%s", mpgpu_error());
    if (mpgpu_matrix_bits_most(mr))
        ck_assert_msg(mpgpu_matrix_on_device(mr) == on_device,
                      "%zu x %zu x %zu of %zu and %zu bits: not where it should be", rows, inner,
                      columns, u_bits, v_bits);
    check_equal(mr, &r, "product");
    check_equal(mu, &u, "first factor");
    check_equal(mv, &v, "second factor");
    mpgpu_matrix_destroy(mu);
    mpgpu_matrix_destroy(mv);
    mpgpu_matrix_destroy(mr);
    host_free(&u);
    host_free(&v);
    host_free(&r);
}

static void use(int i, int verify) {
    on_device = true;
    use_backend(backends[i], verify);
}

/* Multiplies matrices of small shapes, each with all kinds of entries. */
START_TEST(shapes) {
    static const size_t sizes[][3] = {{1, 1, 1},  {1, 1, 7},  {7, 1, 1},   {1, 9, 1},   {7, 5, 3},
                                      {2, 33, 2}, {65, 3, 2}, {3, 64, 66}, {31, 32, 33}};
    use(_i, VERIFY_DEVICE);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int kind = 0; kind < KINDS; kind++)
            compare(sizes[i][0], sizes[i][1], sizes[i][2], 1 + testing_below(200),
                    1 + testing_below(200), (enum kind)kind);
}
END_TEST

/* Multiplies matrices with entries of 1 to 11000 bits. The device multiplies entries of these
 * lengths without transforms. */
START_TEST(lengths) {
    static const size_t bits[] = {1,   2,    31,   32,   33,   62,   63,   64,   65,   127,
                                  128, 1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 11000};
    use(_i, VERIFY_DEVICE);
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        compare(3, 2, 2, bits[i], bits[i], MOST_NEGATIVE);
        compare(2, 3, 3, bits[i], bits[testing_below(i + 1)], ONES);
        compare(2, 5, 2, bits[testing_below(i + 1)], bits[i], MIXED);
    }
}
END_TEST

/* Multiplies matrices with entries so long that the device multiplies them by number-theoretic
 * transforms. */
START_TEST(long_entries) {
    use(_i, VERIFY_DEVICE);
    for (int kind = 0; kind < KINDS; kind++)
        compare(2, 3, 2, 11500 + testing_below(300), 12000, (enum kind)kind);
    compare(1, 1, 1, 30000, 64, MOST_NEGATIVE);
    compare(3, 2, 1, 1, 25000, ONES);
    compare(1, 4, 2, 270000, 280000, MIXED);
    compare(2, 2, 1, 23280, 66000, MOST_NEGATIVE);
    for (int kind = 0; kind < KINDS; kind++)
        compare(5, 3, 9, 64 * (185 + testing_below(3)) - testing_below(2), 12000, (enum kind)kind);
    compare(18, 5, 33, 12100, 12000, MIXED);
    compare(33, 1, 2, 12100, 12000, MOST_NEGATIVE);
    compare(1, 70, 1, 12100, 12000, ONES);
}
END_TEST

/* Multiplies entries so long that the device computes each product modulo two polynomials, x^n + 1
 * and x^m - 1 (m < n). */
START_TEST(longer_entries) {
    use(_i, VERIFY_DEVICE);
    for (int kind = 0; kind < KINDS; kind++)
        compare(2, 1, 2, 600000, 64 * 9000 - testing_below(2), (enum kind)kind);
    compare(1, 2, 1, 1180000, 64 * 300, MOST_NEGATIVE);
    compare(1, 1, 1, 3200000, 3300000, MIXED);
}
END_TEST

/* Multiplies matrices of several tiles in each direction, and matrices whose entries are sums of
 * many terms. */
START_TEST(tiles) {
    use(_i, VERIFY_DEVICE);
    compare(130, 70, 129, 40, 30, RANDOM);
    compare(2, 1000, 3, 64, 64, ONES);
    compare(1, 65536, 1, 5, 5, MOST_NEGATIVE);
    compare(2, 65537, 1, 5, 5, ONES);
    compare(1, 140000, 2, 5, 6, RANDOM);
}
END_TEST

START_TEST(verified_by_gmp) {
    use(_i, VERIFY_FULL);
    compare(5, 6, 7, 300, 200, MIXED);
}
END_TEST

/* Multiplies matrices for whose product the option `memory` allows too little device memory. The
 * device must compute the product in blocks of rows and columns. */
START_TEST(in_pieces) {
    use(_i, VERIFY_DEVICE);
    mpgpu_conf.memory = 9 << 20;
    on_device = false; /* a product that is computed in pieces is stored on the host */
    compare(6, 700, 7, 5700, 5700, RANDOM);
    ck_assert_uint_eq(mpgpu_sent(), 1);
}
END_TEST

/* The result may replace a factor, and both factors may be the same matrix. */
START_TEST(in_place) {
    use(_i, VERIFY_DEVICE);
    struct host_matrix u = host_matrix(6, 6), v = host_matrix(6, 6), r = host_matrix(6, 6);
    fill(&u, 100, MIXED);
    fill(&v, 90, MIXED);
    mpgpu_matrix *mu = matrix_of(&u), *mv = matrix_of(&v);
    multiply(&r, &u, &v);
    ck_assert_int_eq(mpgpu_matrix_mul(mu, mu, mv), 0);
    check_equal(mu, &r, "u = u v");
    multiply(&u, &v, &r);
    ck_assert_int_eq(mpgpu_matrix_mul(mu, mv, mu), 0);
    check_equal(mu, &u, "u = v u");
    multiply(&r, &v, &v);
    ck_assert_int_eq(mpgpu_matrix_mul(mv, mv, mv), 0);
    check_equal(mv, &r, "v = v^2");
    mpgpu_matrix_destroy(mu);
    mpgpu_matrix_destroy(mv);
    host_free(&u);
    host_free(&v);
    host_free(&r);
}
END_TEST

/* ---- without a device */

START_TEST(by_gmp) {
    on_device = false;
    snprintf(mpgpu_conf.backend, sizeof mpgpu_conf.backend, "none");
    for (int kind = 0; kind < KINDS; kind++)
        compare(4, 5, 3, 150, 64, (enum kind)kind);
}
END_TEST

/* Stores entries from limbs in two's complement and reads them again. The values must stay the
 * same, and mpgpu_matrix_bits_most must return the bits of the longest entry. */
START_TEST(as_limbs) {
    static const mp_limb_t x[] = {0, 0, 1, 0, ~(mp_limb_t)0, ~(mp_limb_t)0, 5, (mp_limb_t)1 << 63};
    static const mp_limb_t longer[] = {0,
                                       0,
                                       0,
                                       1,
                                       0,
                                       0,
                                       ~(mp_limb_t)0,
                                       ~(mp_limb_t)0,
                                       ~(mp_limb_t)0,
                                       5,
                                       (mp_limb_t)1 << 63,
                                       ~(mp_limb_t)0};
    mp_limb_t got[12];
    mpgpu_matrix *m = mpgpu_matrix_create(2, 2);
    mpz_t *z = malloc(4 * sizeof *z);
    for (int i = 0; i < 4; i++)
        mpz_init(z[i]);
    ck_assert_uint_eq(mpgpu_matrix_limbs(m), 1);
    ck_assert_int_eq(mpgpu_matrix_set(m, x, 2), 0);
    ck_assert_uint_eq(mpgpu_matrix_limbs(m), 3);
    ck_assert_uint_eq(mpgpu_matrix_bits_most(m), 127);
    ck_assert_int_eq(mpgpu_matrix_get(got, m), 0);
    ck_assert_mem_eq(got, longer, sizeof longer);
    ck_assert_int_eq(mpgpu_matrix_set(m, longer, 3), 0);
    ck_assert_int_eq(mpgpu_matrix_get(got, m), 0);
    ck_assert_mem_eq(got, longer, sizeof longer);
    ck_assert_int_eq(mpgpu_matrix_get_mpz(z, m), 0);
    ck_assert_int_eq(mpz_cmp_si(z[2], -1), 0);
    ck_assert_int_eq(mpz_cmp_si(z[1], 1), 0);
    ck_assert_uint_eq(mpz_sizeinbase(z[3], 2), 127);
    ck_assert_int_eq(mpgpu_matrix_set(m, x + 2, 1), 0);
    ck_assert_uint_eq(mpgpu_matrix_bits_most(m), 1);
    mpgpu_matrix_destroy(m);
    for (int i = 0; i < 4; i++)
        mpz_clear(z[i]);
    free(z);
}
END_TEST

/* Sets a matrix of one entry to numbers around powers of two, as limbs and as mpz_t. Both ways must
 * find the bits of the absolute value, and a product must not exceed the sum of the bits. */
START_TEST(bits_of_entries) {
    mpz_t x[1], right;
    mpz_init(x[0]);
    mpz_init(right);
    mpgpu_matrix *m = mpgpu_matrix_create(1, 1), *of_mpz = mpgpu_matrix_create(1, 1);
    for (unsigned k = 0; k < 1000; k++) {
        mp_limb_t limbs[4];
        mpz_set_ui(x[0], 1);
        mpz_mul_2exp(x[0], x[0], k % 200);
        real.mpz_sub_ui(x[0], x[0], k / 200 % 2);
        if (k >= 400)
            mpz_neg(x[0], x[0]);
        if (k >= 800)
            real.mpz_sub_ui(x[0], x[0], 1);
        mpz_fdiv_r_2exp(right, x[0], 256);
        normalize_pad(limbs, 4, right);
        const size_t bits = mpz_sgn(x[0]) ? mpz_sizeinbase(x[0], 2) : 0;
        ck_assert_int_eq(mpgpu_matrix_set_mpz(of_mpz, (const mpz_t *)x), 0);
        ck_assert_uint_eq(mpgpu_matrix_bits_most(of_mpz), bits);
        ck_assert_int_eq(mpgpu_matrix_set(m, limbs, 4), 0);
        ck_assert_msg(mpgpu_matrix_bits_most(m) == bits, "%zu bits, not %zu",
                      mpgpu_matrix_bits_most(m), bits);
        mpz_mul(right, x[0], x[0]);
        ck_assert_int_eq(mpgpu_matrix_mul(m, m, of_mpz), 0);
        ck_assert_int_eq(mpgpu_matrix_get_mpz(x, m), 0);
        ck_assert_int_eq(mpz_cmp(x[0], right), 0);
        ck_assert_uint_le(mpz_sgn(right) ? mpz_sizeinbase(right, 2) : 0, mpgpu_matrix_bits_most(m));
    }
    mpgpu_matrix_destroy(m);
    mpgpu_matrix_destroy(of_mpz);
    mpz_clear(x[0]);
    mpz_clear(right);
}
END_TEST

static void check_error(int error, const char *text) {
    ck_assert_int_eq(error, MPGPU_ARGUMENTS);
    ck_assert_str_eq(mpgpu_error(), text);
}

START_TEST(invalid) {
    mpgpu_matrix *a = mpgpu_matrix_create(2, 3), *b = mpgpu_matrix_create(4, 5),
                 *c = mpgpu_matrix_create(3, 4), *none = mpgpu_matrix_create(0, 3);
    check_error(mpgpu_matrix_mul(a, a, b), "a matrix of 2 x 3 entries times one of 4 x 5");
    check_error(mpgpu_matrix_mul(b, a, c), "a matrix of 4 x 5 entries for a product of 2 x 4");
    check_error(mpgpu_matrix_mul(NULL, a, c), "arguments that do not fit together");
    check_error(mpgpu_matrix_set_mpz(a, NULL), "arguments that do not fit together");
    ck_assert_ptr_null(mpgpu_matrix_create((size_t)1 << 31, 2));
    ck_assert_str_eq(mpgpu_error(),
                     "a matrix of 2147483648 x 2 entries: the most rows or columns are 2147483647");
    ck_assert_int_eq(mpgpu_matrix_set_mpz(none, NULL), 0);
    ck_assert_int_eq(mpgpu_matrix_get_mpz(NULL, none), 0);
    mpgpu_matrix *empty = mpgpu_matrix_create(0, 4), *zeros = mpgpu_matrix_create(2, 4),
                 *inner = mpgpu_matrix_create(2, 0);
    ck_assert_int_eq(mpgpu_matrix_mul(empty, none, c), 0);
    ck_assert_int_eq(mpgpu_matrix_mul(zeros, inner, empty), 0);
    mpgpu_matrix *all[] = {a, b, c, none, empty, zeros, inner};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mpgpu_matrix_destroy(all[i]);
}
END_TEST

/* ---- kernels */

enum { ROWS = 37, INNER = 41, COLUMNS = 35, WORDS = 5, R_WORDS = 11 };

static gpu_mem upload(struct context *s, enum context_slot slot, const uint32_t *x, size_t words) {
    gpu_mem mem = {0};
    ck_assert_int_eq(context_buffer(s, slot, words * sizeof *x, &mem), GPU_OK);
    ck_assert_int_eq(transfer_up(s->transfer, &s->queue, mem, 0, x, words * sizeof *x), GPU_OK);
    return mem;
}

static void download(struct context *s, uint32_t *x, gpu_mem mem, size_t words) {
    ck_assert_int_eq(transfer_down(s->transfer, &s->queue, x, mem, 0, words * sizeof *x), GPU_OK);
}

/* Makes `count` entries of a matrix, none of which is 0. A changed entry of the other factor then
 * always changes the product. */
static void make_entries(uint32_t *x, size_t count) {
    testing_limbs((mp_limb_t *)x, (count * WORDS + 1) / 2);
    for (size_t i = 0; i < count; i++)
        x[i * WORDS] |= 1;
}

/* Returns an operation on smaller matrices with longer entries, which uses the device memory of
 * `op`. */
static struct matrix_operation long_operation(struct matrix_operation op) {
    op.rows = 2;
    op.inner = 3;
    op.columns = 3;
    op.a_words = op.b_words = 796;
    op.r_words = ROWS * COLUMNS * R_WORDS / 6 & ~1u;
    op.bits = 2 * (32 * 796 - 1) + 2;
    return op;
}

static struct matrix_operation operation(struct context *s) {
    _Alignas(8) uint32_t x[INNER * INNER * WORDS + 1];
    struct matrix_operation op = {.rows = ROWS,
                                  .inner = INNER,
                                  .columns = COLUMNS,
                                  .a_words = WORDS,
                                  .b_words = WORDS,
                                  .r_words = R_WORDS,
                                  .bits = 2 * (32 * WORDS - 1) + 6};
    make_entries(x, ROWS * INNER);
    op.a = upload(s, SLOT_STAGED_U, x, ROWS * INNER * WORDS);
    make_entries(x, INNER * COLUMNS);
    op.b = upload(s, SLOT_STAGED_U + 1, x, INNER * COLUMNS * WORDS);
    ck_assert_int_eq(context_buffer(s, SLOT_STAGED_R, ROWS * COLUMNS * R_WORDS * 4, &op.r), GPU_OK);
    return op;
}

/* Computes the product in blocks: limits allocations on the device to 2^most, then to smaller
 * powers of 2 down to 2^least bytes. The result must always be the same. */
static void compare_blocks(struct context *s, const struct matrix_operation *op, int most,
                           int least) {
    static uint32_t right[ROWS * COLUMNS * R_WORDS], got[ROWS * COLUMNS * R_WORDS];
    const size_t words = op->rows * op->columns * op->r_words;
    const uint64_t memory = s->dev.caps.max_alloc;
    ck_assert_int_eq(matrix_operate(s, op), GPU_OK);
    download(s, right, op->r, words);
    for (int log = most; log >= least; log--) {
        memset(got, 0, sizeof got);
        ck_assert_int_eq(transfer_up(s->transfer, &s->queue, op->r, 0, got, sizeof got), GPU_OK);
        s->dev.caps.max_alloc = (uint64_t)1 << log;
        ck_assert_int_eq(matrix_operate(s, op), GPU_OK);
        s->dev.caps.max_alloc = memory;
        download(s, got, op->r, words);
        ck_assert_mem_eq(got, right, words * sizeof *got);
    }
}

static enum gpu_status in_blocks(struct context *s, void *unused) {
    const struct matrix_operation op = operation(s), longer = long_operation(op);
    (void)unused;
    compare_blocks(s, &op, 17, 14);
    compare_blocks(s, &longer, 21, 20);
    return GPU_OK;
}

static enum gpu_status check(struct context *s, const struct matrix_operation *op) {
    ck_assert_int_eq(verdict_begin(s), GPU_OK);
    ck_assert_int_eq(matrix_check_prepare(s, op), GPU_OK);
    ck_assert_int_eq(matrix_check(s, op), GPU_OK);
    return verdict_end(s);
}

/* Changes a bit of *mem on the device, at several places one after another. The device's check must
 * find each change. */
static void spoil(struct context *s, const struct matrix_operation *op, gpu_mem mem, size_t words) {
    static uint32_t x[ROWS * INNER * R_WORDS];
    download(s, x, mem, words);
    for (int turn = 0; turn < 12; turn++) {
        const size_t at = turn == 0 ? 0 : turn == 1 ? words - 1 : testing_below(words);
        const uint32_t wrong = x[at] ^ (uint32_t)1 << testing_below(32);
        ck_assert_int_eq(transfer_up(s->transfer, &s->queue, mem, at * 4, &wrong, 4), GPU_OK);
        ck_assert_int_eq(check(s, op), GPU_FAILED);
        ck_assert_int_eq(transfer_up(s->transfer, &s->queue, mem, at * 4, x + at, 4), GPU_OK);
    }
    ck_assert_int_eq(check(s, op), GPU_OK);
}

static enum gpu_status spoil_all(struct context *s, void *unused) {
    const struct matrix_operation op = operation(s);
    (void)unused;
    ck_assert_int_eq(matrix_operate(s, &op), GPU_OK);
    spoil(s, &op, op.r, ROWS * COLUMNS * R_WORDS);
    spoil(s, &op, op.a, ROWS * INNER * WORDS);
    spoil(s, &op, op.b, INNER * COLUMNS * WORDS);
    return GPU_OK;
}

static void run(int i, enum gpu_status (*work)(struct context *, void *)) {
    int unused = 0;
    use_backend(backends[i], VERIFY_DEVICE);
    mpgpu_log_level = 0;
    ck_assert_int_eq(session_run(work, &unused, sizeof unused, 0), OUTCOME_DONE);
}

START_TEST(blocks) {
    run(_i, in_blocks);
}
END_TEST

START_TEST(wrong_words_are_found) {
    run(_i, spoil_all);
}
END_TEST

int main(void) {
    has_one_form = true;
    choose_batches_alone();
    return run_on_backends(
        "matrix",
        TESTS(PER_DEVICE(shapes, 1), PER_DEVICE(lengths, 1), PER_DEVICE(long_entries, 1),
              PER_DEVICE(longer_entries, 1), PER_DEVICE(tiles, 1), PER_DEVICE(verified_by_gmp, 1),
              PER_DEVICE(in_pieces, 1), PER_DEVICE(in_place, 1), PER_DEVICE(blocks, 1),
              PER_DEVICE(wrong_words_are_found, 1), ONCE(by_gmp), ONCE(as_limbs),
              ONCE(bits_of_entries), ONCE(invalid)),
        NULL);
}
