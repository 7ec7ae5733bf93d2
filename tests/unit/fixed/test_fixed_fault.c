/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests fixed-point operations on a device that fails. In each session one backend call fails; then
 * the device must return an error or the host's result. After a wrong result of a self-test, the
 * device must return an error. */
#include <string.h>

#include "lib/fixed/mandelbrot.h"
#include "lib/fixed/operations.h"
#include "lib/session/session.h"
#include "lib/transfer/transfer.h"
#include "tests/support/session_anew.h"
#include "tests/support/testing.h"
#include "tests/unit/fault/fault_lives.h"

const struct gpu_backend *const gpu_backends[] = {&fault_backend, NULL};

enum { WIDTH = 13, ROWS = 9, PIXELS = WIDTH * ROWS, WORDS = 4, NUMBERS = 5 };

static const uint32_t u[NUMBERS * WORDS] = {~0u, 0, 7, 1, 0, ~0u, ~0u, ~0u, 5, 6, 7, 8};

static struct mandelbrot_view view(void) {
    struct mandelbrot_view v = {.words = WORDS, .width = WIDTH, .rows = ROWS, .most = 100};
    v.left.fixed[WORDS - 1] = (uint32_t)-2;
    v.top.fixed[WORDS - 1] = 1;
    v.step.fixed[WORDS - 2] = UINT32_MAX / 5;
    return v;
}

/* The results of a session, and the expected ones. */
static struct {
    uint32_t iterations[PIXELS], magnitudes[PIXELS], squares[NUMBERS * WORDS];
} got, right;

static enum gpu_status draw(struct context *s, void *unused) {
    struct mandelbrot_view v = view();
    (void)unused;
    return mandelbrot_device(s, &v, got.iterations, got.magnitudes);
}

static enum gpu_status square_there(struct context *s, gpu_mem numbers) {
    struct operations_batch b = {numbers, numbers, numbers, NUMBERS, WORDS, FIXED_OPERATE_SQR, 0};
    enum gpu_status status = transfer_up(s->transfer, &s->queue, numbers, 0, u, sizeof u);
    if (status == GPU_OK)
        status = operations_run(s, &b);
    return status ? status
                  : transfer_down(s->transfer, &s->queue, got.squares, numbers, 0, sizeof u);
}

static enum gpu_status square(struct context *s, void *unused) {
    gpu_mem numbers;
    (void)unused;
    enum gpu_status status = context_alloc(s, sizeof u, &numbers);
    if (status != GPU_OK)
        return status;
    status = square_there(s, numbers);
    context_release(s, numbers, sizeof u);
    return status;
}

/* Draws a view and squares numbers on the device, and checks what the device has computed. Returns
 * true if it has computed both. */
static int compute(void) {
    int unused = 0;
    memset(&got, 0, sizeof got);
    int drawn = session_run(draw, &unused, sizeof unused, 0) == OUTCOME_DONE;
    int squared = session_run(square, &unused, sizeof unused, 0) == OUTCOME_DONE;
    ck_assert(!drawn || (memcmp(got.iterations, right.iterations, sizeof got.iterations) == 0 &&
                         memcmp(got.magnitudes, right.magnitudes, sizeof got.magnitudes) == 0));
    ck_assert(!squared || memcmp(got.squares, right.squares, sizeof got.squares) == 0);
    return drawn && squared;
}

static int live(struct fault_plan plan) {
    begin_life(plan);
    return compute();
}

static void end_life(void) {
    die();
    check_dead("a life");
}

/* Computes the expected results, then runs a session without faults. Returns the number of the
 * session's backend calls. */
static long begin(int i) {
    struct mandelbrot_view v = view();
    setenv("MPGPU_CONF", "open:wait,log:0", 1);
    fault_plan.real = reals[i];
    session_init();
    mandelbrot_host(&v, right.iterations, right.magnitudes);
    operations_host(right.squares, u, u, NUMBERS, WORDS, FIXED_OPERATE_SQR, 0);
    ck_assert(live((struct fault_plan){0}));
    long calls = fault_count.calls;
    end_life();
    return calls;
}

START_TEST(each_call_fails) {
    long calls = begin(_i);
    int failed = 0;
    for (long call = opening_calls + 1; call <= calls; call++)
        for (int k = 0; k < STATUSES; k++) {
            failed += !live((struct fault_plan){.call = call, .status = statuses[k]});
            ck_assert_int_eq(fault_count.faults, 1);
            end_life();
        }
    printf("%s: %d of %ld lives with a fault\n", reals[_i]->name, failed,
           STATUSES * (calls - opening_calls));
    ck_assert_int_gt(failed, 0);
}
END_TEST

/* Makes the result of the first launch of each self-test wrong. */
START_TEST(wrong_self_tests_are_found) {
    begin(_i);
    /* launch 1 belongs to the self-test of views, launch 3 to that of operations */
    for (int launch = 1; launch <= 3; launch += 2)
        for (unsigned long bit = 0; bit < 32; bit += 7) {
            ck_assert(!live((struct fault_plan){.launch = opening_launches + launch, .bit = bit}));
            ck_assert_int_gt(session_faults(), 0);
            end_life();
        }
}
END_TEST

int main(void) {
    session_open_any();
    return run_on_real_backends("fixed_fault", TESTS(PER_DEVICE(each_call_fails, 1),
                                                     PER_DEVICE(wrong_self_tests_are_found, 1)));
}
