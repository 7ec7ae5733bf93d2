/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Fixed-point operations on the host beside GMP's integers, in both forms: limbs and words.
 * MPGPU_TEST_NUMBERS: how many operands for each. */
#define FIXED_PLAIN
#define FIXED_WORDS 8

#include "kernels/fixed/operate.h"
#include "lib/fixed/operations.h"
#include "tests/support/testing.h"
#include "tests/unit/fixed/fixed_gmp.h"

enum { BATCH = 64 };
static const unsigned sizes[] = {4, 6, 8};

static uint32_t u[BATCH * 8], v[BATCH * 8], r[BATCH * 8], right[BATCH * 8];

static void check_words(unsigned operation, uint32_t count) {
    for (size_t at = 0; at < BATCH * 8; at += 8)
        fixed_store(r + at,
                    fixed_operate(operation, fixed_load(u + at), fixed_load(v + at), count));
    fixed_compare_all(r, right, BATCH, 8, operation, count);
}

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
        if (words == 8)
            check_words(operation, count);
    }
}
END_TEST

/* A result may be an operand. */
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

int main(void) {
    Suite *suite = suite_create("fixed");
    TCase *tests = tcase_create("host C");
    tcase_set_timeout(tests, 600);
    testing_random();
    tcase_add_loop_test(tests, operations_are_gmps, 0, 3 * FIXED_OPERATIONS);
    tcase_add_test(tests, results_replace_operands);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
