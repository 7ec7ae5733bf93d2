/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests products modulo B^(2n) - 1 that are computed from the products modulo B^n - 1 and B^n + 1,
 * where B = 2^32 (lib/multiply/halves.h). Compares the results with GMP's, on each backend's
 * device. */
#include "lib/selftest/selftest.h"
#include "lib/session/session.h"
#include "tests/support/backends.h"
#include "tests/support/halves.h"

static void run(enum gpu_status (*work)(struct context *s, void *context), void *context) {
    ck_assert_int_eq(session_run(work, context, sizeof(struct halves_case), 0), OUTCOME_DONE);
}

/* Values of n, in units of CARRY_CHUNK words, the part of a sum that one work-group computes. With
 * more than 256 units, carries must also pass between groups of 256 units. */
static const size_t chunks[] = {1, 2, 3, 8, 255, 256, 257, 700};
enum { SIZES = sizeof chunks / sizeof *chunks };

START_TEST(shapes) {
    open_backend(backends[_i / SIZES]);
    halves_of_shapes(run, chunks[_i % SIZES] * CARRY_CHUNK);
}
END_TEST

START_TEST(products) {
    open_backend(backends[_i]);
    for (unsigned long k = testing_option("MPGPU_TEST_PRODUCTS", 100); k > 0; k--)
        halves_of_products(run, (1 + testing_below(k % 20 ? 5 : 600)) * CARRY_CHUNK);
}
END_TEST

static enum gpu_status known_answers(struct context *s, void *unused) {
    (void)unused;
    return selftest_halves(s);
}

START_TEST(self_test) {
    run_on_backend(backends[_i], known_answers);
}
END_TEST

int main(void) {
    has_one_form = true;
    return run_on_backends(
        "halves",
        TESTS(PER_DEVICE(shapes, SIZES), PER_DEVICE(products, 1), PER_DEVICE(self_test, 1)), NULL);
}
