/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests the device's check of comparison and selection in batches: with any word of the result
 * changed it must fail. tests/unit/job/test_jobs.c compares the results with GMP's. */
#include <string.h>

#include "compat/intercept/call.h"
#include "include/mpgpu.h"
#include "lib/base/conf.h"
#include "lib/gmp/gmp_internal.h"
#include "lib/multiply/batch_order.h"
#include "lib/transfer/transfer.h"
#include "tests/support/backends.h"

/* ---- pairs of operands: equal, different in one bit, also different below that bit, or random */

struct operands {
    size_t count, n;
    mp_limb_t *up, *vp, *cp, *orders, *chosen;
};

static void choose(mp_limb_t *up, mp_limb_t *vp, size_t n) {
    size_t i = testing_below(3) == 0 ? n - 1 : testing_below(n);
    testing_limbs(up, n);
    if (testing_below(4) == 0)
        testing_limbs(vp, n);
    else
        mpn_copyi(vp, up, (mp_size_t)n);
    if (testing_below(4) == 0)
        testing_limbs(vp, i + 1);
    if (testing_below(2) == 0)
        vp[i] ^= (mp_limb_t)1 << testing_below(64);
}

static struct operands operands(size_t count, size_t n) {
    struct operands o = {.count = count, .n = n};
    o.up = limbs(count * n);
    o.vp = limbs(count * n);
    o.cp = limbs(count);
    o.orders = limbs(count);
    o.chosen = limbs(count * n);
    for (size_t i = 0; i < count; i++) {
        mp_limb_t *up = o.up + i * n, *vp = o.vp + i * n;
        choose(up, vp, n);
        int order = mpn_cmp(up, vp, (mp_size_t)n);
        o.orders[i] = order > 0 ? 1 : order < 0 ? ~(mp_limb_t)0 : 0;
        o.cp[i] = testing_below(2) ? 0 : (mp_limb_t)1 << testing_below(64);
        mpn_copyi(o.chosen + i * n, o.cp[i] ? up : vp, (mp_size_t)n);
    }
    return o;
}

static void done(struct operands *o) {
    free(o->up);
    free(o->vp);
    free(o->cp);
    free(o->orders);
    free(o->chosen);
}

static const size_t sizes[] = {31, 32, 33, 63, 64, 65, 127, 128, 129, 130, 257, 1023, 2050, 4097};

/* ---- the check */

static gpu_mem upload(struct context *s, enum context_slot slot, const mp_limb_t *x, size_t n) {
    gpu_mem mem = {0};
    ck_assert_int_eq(context_buffer(s, slot, n * sizeof *x, &mem), GPU_OK);
    ck_assert_int_eq(transfer_up(s->transfer, &s->queue, mem, 0, x, n * sizeof *x), GPU_OK);
    return mem;
}

/* The check must accept the right result and must reject it with any bit of a limb changed. */
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

static void spoil_both(struct context *s, size_t count, size_t n) {
    struct operands o = operands(count, n);
    struct batch_order op = {.kind = BATCH_COMPARE, .count = count, .words = 2 * (uint32_t)n};
    op.u = upload(s, SLOT_U, o.up, count * n);
    op.v = upload(s, SLOT_V, o.vp, count * n);
    op.c = upload(s, SLOT_FLAGS, o.cp, count);
    op.r = upload(s, SLOT_R, o.orders, count);
    spoil(s, &op, o.orders, count);
    op.kind = BATCH_SELECT;
    op.r = upload(s, SLOT_R, o.chosen, count * n);
    spoil(s, &op, o.chosen, count * n);
    done(&o);
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
