/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests products modulo B^(2n) - 1 that are computed from the products modulo B^n - 1 and B^n + 1
 * (lib/multiply/halves.h), by the kernels compiled as host C. Compares the results with GMP's. */
#include "tests/support/halves.h"
#include "tests/kernels/trials.h"

START_TEST(shapes_of_halves) {
    open_form(_i, ALGORITHM_AUTO);
    halves_of_shapes(with_device, CARRY_CHUNK);
    halves_of_shapes(with_device, 2 * CARRY_CHUNK);
}
END_TEST

/* Tests numbers of one to four times CARRY_CHUNK words.  A work-group adds CARRY_CHUNK words of
 * a sum.  The last number needs more work-groups than a work-group has work-items. */
START_TEST(products_of_halves) {
    open_form(_i, ALGORITHM_AUTO);
    for (int k = 0; k < 20; k++)
        halves_of_products(with_device, (1 + testing_below(4)) * CARRY_CHUNK);
    halves_of_products(with_device, 257 * CARRY_CHUNK);
}
END_TEST

void add_halves(TCase *tests) {
    tcase_add_loop_test(tests, shapes_of_halves, 0, KERNEL_FORMS);
    tcase_add_loop_test(tests, products_of_halves, 0, KERNEL_FORMS);
}
