/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests fixed-point operations on the host, in both implementations (by 64-bit limbs and by 32-bit
 * words), compared with GMP's integers. MPGPU_TEST_NUMBERS: how many operands for each
 * operation. */
#include "lib/fixed/operations.h"
#include "tests/support/testing.h"
#include "tests/unit/fixed/fixed_gmp.h"
#include "tests/unit/fixed/plain.h"

enum { BATCH = 64 };
static const unsigned sizes[] = {4, 6, 8};
static words_numbers *const plain_numbers[] = {plain_numbers_4, plain_numbers_6, plain_numbers_8};
static words_rows *const plain_rows[] = {plain_rows_4, plain_rows_6, plain_rows_8};

static uint32_t u[BATCH * 8], v[BATCH * 8], r[BATCH * 8], right[BATCH * 8];

START_TEST(operations_are_gmps) {
    const unsigned long numbers = testing_option("MPGPU_TEST_NUMBERS", 4000);
    const unsigned words = sizes[_i % 3], operation = (unsigned)_i / 3;
    for (unsigned long done = 0; done < numbers; done += BATCH) {
        uint32_t count = fixed_count(words);
        fixed_fill(u, BATCH, words);
        fixed_fill(v, BATCH, words);
        memcpy(v, u, words * sizeof *v);
        fixed_right(right, u, v, BATCH, words, operation, count);
        operations_host(r, u, v, BATCH, words, operation, count);
        fixed_compare_all(r, right, BATCH, words, operation, count);
        memset(r, 0x55, sizeof r);
        plain_numbers[_i % 3](r, u, v, BATCH, operation, count);
        fixed_compare_all(r, right, BATCH, words, operation, count);
    }
}
END_TEST

/* Tests operations whose result replaces an operand. */
START_TEST(results_replace_operands) {
    for (unsigned operation = 0; operation < FIXED_OPERATIONS; operation++) {
        fixed_fill(u, BATCH, 4);
        fixed_fill(v, BATCH, 4);
        fixed_right(right, u, v, BATCH, 4, operation, 37);
        operations_host(u, u, v, BATCH, 4, operation, 37);
        fixed_compare_all(u, right, BATCH, 4, operation, 37);
    }
}
END_TEST

/* Draws views of the Mandelbrot set by the implementation on 64-bit limbs and by that on 32-bit
 * words. Both views must be equal. */
START_TEST(views_are_equal) {
    enum { SIDE = 24 };
    static uint32_t limbs[2][SIDE * SIDE], plain[2][SIDE * SIDE];
    struct mandelbrot_view view = {
        .words = sizes[_i], .width = SIDE, .rows = SIDE - 3, .first_row = 3, .most = 500};
    fixed_from_double(view.left.fixed, view.words, -2.1);
    fixed_from_double(view.top.fixed, view.words, 1.3);
    fixed_from_double(view.step.fixed, view.words, 0.11);
    mandelbrot_host(&view, limbs[0], limbs[1]);
    plain_rows[_i](&view, plain[0], plain[1]);
    ck_assert(limbs[0][0] > 0 && limbs[0][0] < 500);
    ck_assert_mem_eq(limbs, plain, sizeof limbs);
}
END_TEST

int main(void) {
    testing_random();
    return testing_main("fixed", 600,
                        TESTS(LOOP(operations_are_gmps, 3 * FIXED_OPERATIONS),
                              ONCE(results_replace_operands), LOOP(views_are_equal, 3)));
}
