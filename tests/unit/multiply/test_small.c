/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests small products (lib/multiply/small.h, lib/multiply/direct.h), compared with GMP's: sizes
 * around the limits of each plan, squares, low products, products modulo B^n - 1 and B^n + 1 (B =
 * 2^64). A CPU device takes long to build each plan's kernel, so it tests only the plans of 2^8 and
 * 2^10 digits, or all with MPGPU_TEST_BLOCKS=1. */
#include <string.h>

#include "kernels/small/small.h"
#include "lib/multiply/small.h"
#include "lib/session/session.h"
#include "lib/transfer/transfer.h"
#include "tests/support/on_limbs.h"

static void open_for_blocks(struct test_backend backend) {
    char conf[80];
    snprintf(conf, sizeof conf, "backend:%s,open:wait,log:1,watchdog:0,algorithm:block",
             backend.name);
    setenv("MPGPU_CONF", conf, 1);
    session_init();
}

static int cpu;

static enum gpu_status ask_for_cpu(struct context *s, void *unused) {
    (void)unused;
    cpu = s->dev.caps.is_cpu;
    return GPU_OK;
}

/* Returns true if the plan of 2^log digits is tested on this backend. CPUs and GPUs have the same
 * kernels here, so the test skips the run with the kernels of GPUs. */
static int is_tested(unsigned log, struct test_backend backend) {
    int unused = 0;
    if (backend.kernels_of_gpus) {
        testing_skip("kernels of GPUs: here the same as those of CPUs");
        return 0;
    }
    ck_assert_int_eq(session_run(ask_for_cpu, &unused, sizeof unused, 0), OUTCOME_DONE);
    if (!cpu || log == 8 || log == 10 || testing_option("MPGPU_TEST_BLOCKS", 0))
        return 1;
    testing_skip("2^%u digits, which a CPU builds for long: MPGPU_TEST_BLOCKS=1 does it", log);
    return 0;
}

/* Multiplies random operands of the given lengths. If the lengths are equal, sometimes computes a
 * square. */
static void compare_random(enum partial kind, size_t rn, size_t an, size_t bn) {
    size_t un = an < bn ? bn : an, vn = an < bn ? an : bn;
    mp_limb_t *up = limbs(un), *vp = limbs(vn);
    testing_limbs(up, un);
    testing_limbs(vp, vn);
    partial_compare(kind, rn, up, un, un == vn && testing_below(4) == 0 ? up : vp, vn);
    free(up);
    free(vp);
}

/* Column by column. */
START_TEST(tiny) {
    open_for_blocks(backends[_i]);
    for (size_t un = 1; un <= 70; un++)
        for (size_t vn = 1; vn <= un; vn += 1 + testing_below(9))
            compare_random(LOW, un + vn, un, vn);
}
END_TEST

static const int logs = SMALL_MAX_LOG - SMALL_MIN_LOG + 1;

/* Tests each transform length. The product fills the transform, nearly fills it, or is just longer
 * than half. Operands have equal or different lengths; some have all bits set, for the longest
 * carries. */
START_TEST(each_length) {
    unsigned log = SMALL_MIN_LOG + (unsigned)(_i % logs);
    const size_t n = SMALL_DIGITS(log),
                 totals[] = {n, n - 1, n - 7, n / 4 * 3, n / 2 + 1, n / 2 + 2};
    open_for_blocks(backends[_i / logs]);
    if (!is_tested(log, backends[_i / logs]))
        return;
    for (size_t k = 0; k < 6 * sizeof totals / sizeof *totals; k++) {
        size_t total = totals[k / 6], shares[] = {total / 2, total / 2, total / 3, 1, 2};
        size_t vn = k % 6 < 5 ? shares[k % 6] : 1 + testing_below(total / 2);
        compare_random(LOW, total, total - vn, vn);
    }
    mp_limb_t *ones = limbs(n);
    memset(ones, 0xff, n * sizeof *ones);
    partial_compare(LOW, n, ones, n / 2, ones, n / 2);
    partial_compare(LOW, n, ones, n / 2, ones + 1, n / 2);
    partial_compare(LOW, n, ones, n - 3, ones, 3);
    partial_compare(PLUS, n / 2, ones, n / 2, ones, n / 2);
    free(ones);
}
END_TEST

/* Tests products modulo B^n - 1 or B^n + 1 (B = 2^64) that the host reduces, because they are
 * shorter than the transform. */
START_TEST(reduced) {
    unsigned log = SMALL_MIN_LOG + (unsigned)(_i % logs);
    const size_t n = SMALL_DIGITS(log);
    open_for_blocks(backends[_i / logs]);
    if (!is_tested(log, backends[_i / logs]))
        return;
    for (int k = 0; k < 40; k++) {
        size_t rn = n / 4 + 1 + testing_below(n / 4), un = k % 2 ? rn : rn - testing_below(rn / 8);
        size_t vn = k % 4 ? un - testing_below(un / 8) : un;
        compare_random(MINUS, rn, un, vn);
        compare_random(PLUS, rn, un, vn);
        compare_random(PLUS, rn, un, 1 + testing_below(vn));
        compare_random(LOW, 1 + testing_below(un + vn), un, vn);
    }
}
END_TEST

/* Operands and result of a product on the device. Lengths are in 32-bit words, and may be odd. */
struct words {
    uint32_t *r;
    const uint32_t *u, *v;
    size_t un, vn;
};

static enum gpu_status multiply_words(struct context *s, void *words) {
    const struct words *w = words;
    const size_t all = w->un + w->vn;
    struct small_plan plan;
    struct number u, v, r;
    ck_assert(small_plan_init(&plan, &s->dev.caps, 1, w->un, w->vn));
    enum gpu_status status = small_prepare(s, &plan);
    status = status ? status : number_in_slot(s, SLOT_U, w->un, &u);
    status = status ? status : number_in_slot(s, SLOT_V, w->vn, &v);
    status = status ? status : number_in_slot(s, SLOT_R, all, &r);
    status = status ? status : transfer_up(s->transfer, &s->queue, u.mem, 0, w->u, 4 * w->un);
    status = status ? status : transfer_up(s->transfer, &s->queue, v.mem, 0, w->v, 4 * w->vn);
    status = status ? status : small_mul(s, &plan, r, u, v);
    return status ? status : transfer_down(s->transfer, &s->queue, w->r, r.mem, 0, 4 * all);
}

START_TEST(numbers_on_the_device) {
    unsigned log = SMALL_MIN_LOG + (unsigned)(_i % logs);
    open_for_blocks(backends[_i / logs]);
    if (!is_tested(log, backends[_i / logs]))
        return;
    for (int k = 0; k < 10; k++) {
        size_t n = SMALL_DIGITS(log), vn = 1 + testing_below(n), un = 2 * n - 2 - vn,
               all = (un + vn + 3) / 2;
        mp_limb_t *up = limbs(all), *vp = limbs(all), *rp = limbs(all), *right = limbs(2 * all);
        testing_limbs(up, all);
        testing_limbs(vp, all);
        struct words w = {(uint32_t *)rp, (uint32_t *)up, (uint32_t *)vp, un, vn};
        ck_assert_int_eq(session_run(multiply_words, &w, sizeof w, 0), OUTCOME_DONE);
        memset((uint32_t *)up + un, 0, 4 * (2 * all - un));
        memset((uint32_t *)vp + vn, 0, 4 * (2 * all - vn));
        mpn_mul_n(right, up, vp, all);
        ck_assert_msg(memcmp(rp, right, 4 * (un + vn)) == 0, "%zu by %zu words", un, vn);
        free(up), free(vp), free(rp), free(right);
    }
}
END_TEST

/* Returns by how much the check's sum changes if `bit` of `limb`, which is limb number j,
 * changes. */
static uint64_t change(uint64_t limb, unsigned bit, uint64_t j) {
    const uint64_t changed = limb ^ UINT64_C(1) << bit;
    return (small_mixed(changed) - small_mixed(limb)) * (2 * j + 1);
}

/* If two bits change, their changes of the check's sum must never cancel. Tests bits in
 * neighbouring limbs, in the first and last limb of the longest product, and in the middle. */
START_TEST(two_changed_bits) {
    const uint64_t last = SMALL_DIGITS(SMALL_MAX_LOG) - 1, limbs[] = {0, 1, 2, last / 2, last};
    const uint64_t values[] = {0, ~UINT64_C(0), UINT64_C(0x123456789abcdef)};
    for (unsigned a = 0; a < 64; a++)
        for (unsigned b = 0; b < 64; b++)
            for (size_t i = 0; i < 5; i++)
                for (size_t k = 0; k < i; k++)
                    for (size_t x = 0; x < 9; x++)
                        ck_assert_uint_ne(change(values[x / 3], a, limbs[i]) +
                                              change(values[x % 3], b, limbs[k]),
                                          0);
}
END_TEST

START_TEST(longest_plan) {
    struct gpu_caps caps = {.cluster = 16, .local_bytes = 48 << 10};
    /* words of each operand: `two` for the plan of 2^13 digits, `most` for the longest plan */
    const uint64_t two = 2u << 12, most = 2 * 3u << 11;
    struct small_plan plan;
    ck_assert(small_plan_init(&plan, &caps, 0, two, two));
    ck_assert_uint_eq(plan.log_n, 13);
    for (uint64_t words = two + 1; words <= most; words += most - two - 1) {
        caps.cluster = 16;
        ck_assert(small_plan_init(&plan, &caps, 0, words, words));
        ck_assert_uint_eq(plan.log_n, 14);
        caps.cluster = 0;
        ck_assert(!small_plan_init(&plan, &caps, 0, words, words));
        ck_assert(small_plan_init(&plan, &caps, 1, words, words));
    }
    ck_assert(!small_plan_init(&plan, &caps, 1, most + 2, most));
}
END_TEST

int main(void) {
    return run_on_backends("block",
                           TESTS(PER_DEVICE(tiny, 1), ONCE(longest_plan), ONCE(two_changed_bits),
                                 PER_DEVICE(each_length, logs), PER_DEVICE(reduced, logs),
                                 PER_DEVICE(numbers_on_the_device, logs)),
                           NULL);
}
