/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests the device's own check of batch comparisons and selections: it must fail if any word of the
 * result was changed. tests/unit/job/test_jobs.c compares the results with GMP's. */
#include "lib/multiply/batch_order.h"
#include "lib/transfer/transfer.h"
#include "tests/support/backends.h"
#include "tests/support/job_cases.h"

static const size_t sizes[] = {31, 32, 33, 63, 64, 65, 127, 128, 129, 130, 257, 1023, 2050, 4097};

/* ---- the check */

static gpu_mem upload(struct context *s, enum context_slot slot, const mp_limb_t *x, size_t n) {
    gpu_mem mem = {0};
    ck_assert_int_eq(context_buffer(s, slot, n * sizeof *x, &mem), GPU_OK);
    ck_assert_int_eq(transfer_up(s->transfer, &s->queue, mem, 0, x, n * sizeof *x), GPU_OK);
    return mem;
}

/* Runs the device's check on the right result, which it must accept, and on results with one bit
 * changed, which it must reject. */
static void spoil(struct context *s, const struct batch_order *op, const mp_limb_t *right,
                  size_t n) {
    ck_assert_int_eq(batch_order_check(s, op), GPU_OK);
    for (int turn = 0; turn < 9; turn++) {
        size_t at = turn == 0 ? 0 : turn == 1 ? n - 1 : testing_below(n);
        mp_limb_t wrong = right[at] ^ (mp_limb_t)1 << testing_below(64);
        ck_assert_int_eq(transfer_up(s->transfer, &s->queue, op->r, at * 8, &wrong, 8), GPU_OK);
        ck_assert_int_eq(batch_order_check(s, op), GPU_FAILED);
        ck_assert_int_eq(transfer_up(s->transfer, &s->queue, op->r, at * 8, right + at, 8), GPU_OK);
    }
    ck_assert_int_eq(batch_order_check(s, op), GPU_OK);
}

static void spoil_case(struct context *s, enum job_op op, size_t count, size_t n) {
    struct job_case c;
    struct batch_order o = {.kind = op == JOB_batch_cmp ? BATCH_COMPARE : BATCH_SELECT,
                            .count = count,
                            .words = 2 * (uint32_t)n};
    const size_t limbs = op == JOB_batch_cmp ? count : count * n;
    job_case_make(&c, op, count, n, 0, testing_below(UINT32_MAX));
    o.u = upload(s, SLOT_U, c.up[0], count * n);
    o.v = upload(s, SLOT_V, c.up[1], count * n);
    if (op == JOB_batch_select)
        o.c = upload(s, SLOT_FLAGS, c.up[2], count);
    o.r = upload(s, SLOT_R, c.right[0], limbs);
    spoil(s, &o, c.right[0], limbs);
    job_case_free(&c);
}

static void spoil_both(struct context *s, size_t count, size_t n) {
    spoil_case(s, JOB_batch_cmp, count, n);
    spoil_case(s, JOB_batch_select, count, n);
}

static enum gpu_status spoil_all(struct context *s, void *unused) {
    (void)unused;
    for (size_t n = 1; n <= 18; n++)
        spoil_both(s, 1 + testing_below(700), n);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        spoil_both(s, 1 + testing_below(8000 / sizes[i] + 2), sizes[i]);
    return GPU_OK;
}

START_TEST(wrong_words_are_found) {
    int unused = 0;
    use_backend(backends[_i], VERIFY_DEVICE);
    mpgpu_log_level = 0;
    ck_assert_int_eq(session_run(spoil_all, &unused, sizeof unused, 0), OUTCOME_DONE);
}
END_TEST

int main(void) {
    setenv("MPGPU_CONF", "open:wait,watchdog:0,batch:1,mul:never,sqr:never,add:never", 1);
    return run_on_backends("batch_order", TESTS(PER_DEVICE(wrong_words_are_found, 1)), NULL);
}
