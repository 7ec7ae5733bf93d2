/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests single passes of transforms over a few groups.  Products in other tests do not run these
 * passes, or run them only in some kernel programs.  Different programs for the same pass must give
 * the same result. */
#include <string.h>

#include "kernels/common/tables.h"
#include "kernels/ntt/geometry.h"
#include "lib/device/launch.h"
#include "lib/device/tables.h"
#include "lib/transfer/transfer.h"
#include "tests/kernels/trials.h"

enum { CHUNK = 1 << CONTIGUOUS_LOG_POINTS };

static uint32_t prime_of(struct context *s, int i) {
    uint32_t p;
    struct number word = {s->slot[SLOT_TABLES].mem, (uint64_t)i * TABLE_WORDS + TABLE_P, 1};
    number_down(s, &p, word);
    return p;
}

/* Allocates random lazy residues (not fully reduced), `words` for each prime. */
static uint32_t *residues(struct context *s, size_t words) {
    uint32_t *x = malloc(PRIMES * words * sizeof *x);
    for (int i = 0; i < PRIMES; i++)
        for (size_t k = 0, p = prime_of(s, i); k < words; k++)
            x[i * words + k] = k % 7 == 0 ? 2 * p - 1 : (uint32_t)testing_below(2 * p);
    return x;
}

/* Checks that each word of x is f times the word of y modulo each prime. */
static void check_residues(struct context *s, const uint32_t *x, const uint32_t *y, size_t words,
                           uint64_t f) {
    for (int i = 0; i < PRIMES; i++)
        for (size_t k = 0, p = prime_of(s, i); k < words; k++)
            if (x[i * words + k] % p != f * y[i * words + k] % p)
                ck_abort_msg("prime %d, word %zu of %zu", i, k, words);
}

/* ---- strided.cl: a forward pass followed by an inverse pass must multiply each value by the
 * number of rows */

struct strided {
    unsigned log_r, log_s, segments, first_node;
};

static void strided_pass(struct context *s, const struct strided *t, int inverse,
                         struct number data) {
    unsigned words = t->segments << (t->log_r + t->log_s);
    unsigned groups = words >> STRIDED_LOG_POINTS(t->log_r);
    enum gpu_status status = (inverse ? launch_inverse : launch_forward)(
        s, t->log_r, launch_grid(groups, PRIMES), data.mem, data.at, s->slot[SLOT_TABLES].mem,
        t->log_s, t->segments, t->first_node);
    ck_assert_int_eq(status, GPU_OK);
}

static enum gpu_status forward_and_inverse(struct context *s, void *strided) {
    const struct strided *t = strided;
    gpu_mem tables;
    ck_assert_int_eq(tables_get(s, &tables), GPU_OK);
    size_t words = (size_t)t->segments << (t->log_r + t->log_s);
    uint32_t *before = residues(s, words), *after = malloc(PRIMES * words * sizeof *after);
    struct number data = number_up(s, SLOT_WORK, before, PRIMES * words);
    strided_pass(s, t, 0, data);
    strided_pass(s, t, 1, data);
    number_down(s, after, data);
    check_residues(s, after, before, words, UINT64_C(1) << t->log_r);
    free(before), free(after);
    return GPU_OK;
}

START_TEST(strided_passes) {
    open_host(ALGORITHM_AUTO);
    for (unsigned log_r = 5; log_r <= 10; log_r++) {
        unsigned log_columns = STRIDED_LOG_POINTS(log_r) - log_r;
        struct strided one = {log_r, log_columns, 1, 1}, more = {log_r, log_columns + 1, 3, 5};
        with_device(forward_and_inverse, &one);
        with_device(forward_and_inverse, &more);
    }
}
END_TEST

/* ---- first passes, which read a number's digits */

struct first {
    struct strided pass;
    size_t words;
};

static void first_pass(struct context *s, const struct first *t, struct number data,
                       struct number x) {
    unsigned log_r = t->pass.log_r, log_m = log_r + t->pass.log_s;
    enum gpu_status status = launch_forward_first(
        s, log_r, launch_row(PRIMES << (log_m - STRIDED_LOG_POINTS(log_r))), data.mem, data.at,
        s->slot[SLOT_TABLES].mem, t->pass.log_s, t->pass.first_node, x.mem, x.at, x.words, data.mem,
        x.mem, x.at, x.words, 0, 0, 0);
    ck_assert_int_eq(status, GPU_OK);
}

/* Reads {x, words} as a polynomial in X whose coefficients are digits of 64 bits. Returns
 * coefficient k of this polynomial modulo X^length - 1 (with `plus`: X^length + 1) and modulo p. */
static uint64_t coefficient(const uint32_t *x, size_t words, size_t k, size_t length, int plus,
                            uint64_t p) {
    uint64_t sum = 0;
    for (size_t i = k, round = 0; 2 * i < words; i += length, round++) {
        uint64_t digit = x[2 * i] | (2 * i + 1 < words ? (uint64_t)x[2 * i + 1] << 32 : 0);
        sum += plus && round % 2 ? p - digit % p : digit % p;
    }
    return sum % p;
}

/* Transforms a number's digits forward and back, and compares each coefficient c. The kernels must
 * return c times the number of rows, divided by 2^32 modulo the prime. */
static enum gpu_status first_and_inverse(struct context *s, void *first) {
    const struct first *t = first;
    gpu_mem tables;
    ck_assert_int_eq(tables_get(s, &tables), GPU_OK);
    size_t length = (size_t)1 << (t->pass.log_r + t->pass.log_s), all = PRIMES * length;
    uint32_t *x = malloc(t->words * sizeof *x), *r = malloc(all * sizeof *r);
    testing_words(x, t->words);
    struct number data = number_up(s, SLOT_WORK, NULL, all);
    first_pass(s, t, data, number_part(number_up(s, SLOT_U, x, t->words), 2, t->words - 2));
    strided_pass(s, &t->pass, 1, data);
    number_down(s, r, data);
    for (int i = 0; i < PRIMES; i++)
        for (size_t k = 0, p = prime_of(s, i); k < length; k++) {
            uint64_t right =
                coefficient(x + 2, t->words - 2, k, length, (int)t->pass.first_node, p);
            if (((uint64_t)r[i * length + k] << 32) % p != (right << t->pass.log_r) % p)
                ck_abort_msg("2^%u rows, %zu words, prime %d: %zu", t->pass.log_r, t->words, i, k);
        }
    free(x), free(r);
    return GPU_OK;
}

/* Tests first passes on operands of four lengths: half a transform's length, nearly its length,
 * slightly more, and several times its length. */
START_TEST(first_passes) {
    open_host(ALGORITHM_AUTO);
    for (unsigned i = 0; i < 6 * 4 * 2; i++) {
        unsigned log_r = 5 + i / 8, log_points = STRIDED_LOG_POINTS(log_r);
        size_t length = (size_t)1 << log_points;
        const size_t sizes[] = {length + 2, 2 * length - 1, 2 * length + 3, 7 * length + 5};
        struct first t = {{log_r, log_points - log_r, 1, i % 2}, sizes[i / 2 % 4]};
        with_device(first_and_inverse, &t);
    }
}
END_TEST

/* ---- contiguous.cl: the kernels of the point-wise pass, on one to three chunks of CHUNK values */

struct pointwise {
    unsigned log_r;
    uint32_t chunks, first_node;
};

/* The arguments with which all kernels of the point-wise pass begin. */
#define POINTWISE(s, t, data)                                                                      \
    s, (t)->log_r, launch_grid((t)->chunks, PRIMES), (data).mem, (data).at,                        \
        (s)->slot[SLOT_TABLES].mem, (t)->chunks, (t)->first_node

/* Multiplies u by v with each of three kernels, and compares the results. multiply_pair
 * transforms both factors; multiply gets v already transformed; multiply_sum gets both
 * transformed, and could add several products. Then squares v by two kernels. */
static enum gpu_status products(struct context *s, void *pointwise) {
    const struct pointwise *t = pointwise;
    gpu_mem tables;
    ck_assert_int_eq(tables_get(s, &tables), GPU_OK);
    size_t words = (size_t)t->chunks * CHUNK, all = PRIMES * words, bytes = all * sizeof(uint32_t);
    uint32_t *u = residues(s, words), *v = residues(s, words), *row = calloc(3, bytes);
    uint32_t *right = malloc(bytes), *other = malloc(bytes);

    struct number x = number_up(s, SLOT_WORK, u, all), y = number_up(s, SLOT_KEPT, v, all), z;
    ck_assert_int_eq(launch_multiply_pair(POINTWISE(s, t, x), y.mem, 0), GPU_OK);
    number_down(s, right, x);

    x = number_up(s, SLOT_WORK, u, all);
    ck_assert_int_eq(launch_forward_last(POINTWISE(s, t, y)), GPU_OK);
    ck_assert_int_eq(launch_multiply(POINTWISE(s, t, x), y.mem, 0), GPU_OK);
    number_down(s, other, x);
    check_residues(s, other, right, words, 1);

    x = number_up(s, SLOT_WORK, u, all);
    ck_assert_int_eq(launch_forward_last(POINTWISE(s, t, x)), GPU_OK);
    /* `row` has room for three transforms: two are zeros, and the third is that of u */
    number_down(s, row + 2 * all, x);
    z = number_up(s, SLOT_WINDOW, row, 3 * all);
    ck_assert_int_eq(launch_multiply_sum(POINTWISE(s, t, x), y.mem, 0, z.mem, 0, all, 2, 3, 1),
                     GPU_OK);
    number_down(s, other, x);
    check_residues(s, other, right, words, 1);

    x = number_up(s, SLOT_WORK, v, all);
    ck_assert_int_eq(launch_square(POINTWISE(s, t, x)), GPU_OK);
    number_down(s, right, x);
    x = number_up(s, SLOT_WORK, v, all);
    ck_assert_int_eq(launch_multiply(POINTWISE(s, t, x), y.mem, 0), GPU_OK);
    number_down(s, other, x);
    check_residues(s, other, right, words, 1);
    free(u), free(v), free(row), free(right), free(other);
    return GPU_OK;
}

START_TEST(pointwise_passes) {
    struct pointwise t[] = {{8, 2, 32}, {12, 1, 0}, {12, 3, 64}};
    open_host(ALGORITHM_AUTO);
    for (int i = 0; i < 3; i++)
        with_device(products, &t[i]);
}
END_TEST

void add_passes(TCase *tests) {
    tcase_add_test(tests, strided_passes);
    tcase_add_test(tests, first_passes);
    tcase_add_test(tests, pointwise_passes);
}
