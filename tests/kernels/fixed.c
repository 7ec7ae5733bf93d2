/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests fixed-point arithmetic by the kernels compiled as host C, compared with lib/fixed's host
 * code: batches that end inside a work-group, and Mandelbrot views that end inside a tile (a
 * rectangle of points). */
#include <string.h>

#include "kernels/fixed/multiply_rate.h"
#include "lib/device/launch.h"
#include "lib/fixed/mandelbrot.h"
#include "lib/fixed/operations.h"
#include "lib/transfer/transfer.h"
#include "tests/kernels/trials.h"

enum { NUMBERS = 131, PIXELS = 19 * 10 };

struct batch {
    unsigned words;
    uint32_t *u, *v;
};

static enum gpu_status operate(struct context *s, void *context) {
    const struct batch *t = context;
    const size_t words = NUMBERS * t->words;
    uint32_t r[NUMBERS * 8], right[NUMBERS * 8];
    ck_assert_int_eq(operations_verify(s, t->words), GPU_OK);
    struct number u = number_up(s, SLOT_U, t->u, words), v = number_up(s, SLOT_V, t->v, words);
    for (unsigned operation = 0; operation < FIXED_OPERATIONS; operation++) {
        struct number to = number_up(s, SLOT_R, NULL, words);
        struct operations_batch b = {to.mem, u.mem, v.mem, NUMBERS, t->words, operation, 45};
        ck_assert_int_eq(operations_run(s, &b), GPU_OK);
        number_down(s, r, to);
        operations_host(right, t->u, t->v, NUMBERS, t->words, operation, 45);
        ck_assert_msg(memcmp(r, right, words * sizeof *r) == 0, "operation %u of %u words",
                      operation, t->words);
    }
    return GPU_OK;
}

START_TEST(batches_of_numbers) {
    uint32_t u[NUMBERS * 8], v[NUMBERS * 8];
    open_host(ALGORITHM_AUTO);
    for (unsigned words = 4; words <= 8; words += 2) {
        struct batch t = {words, u, v};
        testing_words(u, NUMBERS * words);
        testing_words(v, NUMBERS * words);
        with_device(operate, &t);
    }
}
END_TEST

static enum gpu_status draw(struct context *s, void *view) {
    uint32_t right[2][PIXELS], got[2][PIXELS];
    mandelbrot_host(view, right[0], right[1]);
    ck_assert_int_eq(mandelbrot_device(s, view, got[0], got[1]), GPU_OK);
    ck_assert(memcmp(got, right, sizeof got) == 0);
    return GPU_OK;
}

START_TEST(views) {
    static const unsigned kinds[] = {0, 4, 6, 8};
    open_host(ALGORITHM_AUTO);
    for (int i = 0; i < 4; i++) {
        struct mandelbrot_view v = {.words = kinds[i], .width = 19, .rows = 10, .most = 150};
        v.first_row = 2;
        if (kinds[i]) { /* the left edge is -2, the top edge 1, the distance between pixels 1/6 */
            v.left.fixed[kinds[i] - 1] = (uint32_t)-2;
            v.top.fixed[kinds[i] - 1] = 1;
            v.step.fixed[kinds[i] - 2] = UINT32_MAX / 6;
        } else {
            v.left.real = -2, v.top.real = 1, v.step.real = 1 / 6.;
        }
        with_device(draw, &v);
    }
}
END_TEST

/* Runs the kernel that measures the multiplication rate, in one work-group, and checks its
 * result. */
static enum gpu_status multiply(struct context *s, void *unused) {
    uint32_t r[RATE_THREADS];
    struct number to = number_up(s, SLOT_R, NULL, RATE_THREADS);
    (void)unused;
    ck_assert_int_eq(launch_multiply_rate(s, launch_row(1), to.mem, 3, 1), GPU_OK);
    number_down(s, r, to);
    for (uint32_t i = 0; i < RATE_THREADS; i++) {
        uint64_t all = 0;
        for (uint32_t k = 0; k < RATE_CHAINS; k++) {
            uint64_t sum = i;
            for (uint32_t n = 0; n < RATE_CHAINS; n++)
                sum += (uint64_t)(3 * (i + k)) * (3 * (i + (k + n) % RATE_CHAINS) ^ 3);
            all ^= sum;
        }
        ck_assert_uint_eq(r[i], (uint32_t)(all ^ all >> 32));
    }
    return GPU_OK;
}

START_TEST(products_in_registers) {
    int unused = 0;
    open_host(ALGORITHM_AUTO);
    with_device(multiply, &unused);
}
END_TEST

void add_fixed(TCase *tests) {
    tcase_add_test(tests, batches_of_numbers);
    tcase_add_test(tests, views);
    tcase_add_test(tests, products_in_registers);
}
