/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes one product on several devices, one of which fails, computes wrong words or hangs at
 * some call. The result must be GMP's, computed on all devices together or on one of them. Every
 * test runs in a separate process. */
#include "tests/support/shards_fault.h"

static const struct shards_devices devices[] = {{"with copies", "0+1", 2, true},
                                                {"without", "0+1", 2, false},
                                                {"with copies, in the pool", "0+1", 2, true}};
/* KINDS leaves out the last kind, whose operands are in the pool (the library's memory for large
 * results). Only each_call_fails and one_hangs use this kind. */
enum { ALL_KINDS = sizeof devices / sizeof *devices, KINDS = ALL_KINDS - 1 };
enum { UN = 900, VN = 700, LONGER = 4 };

static struct shards_case product;

/* Opens the devices and computes the product twice without faults. */
static void begin(int kind) {
    size_t times = kind < KINDS ? 1 : LONGER;
    shards_begin(&devices[kind], "shard:1");
    backend.locks_for_all = twin_real()->locks_for_all;
    product = shards_case_in(kind < KINDS ? malloc : pool_alloc, times * UN, times * VN);
    testing_limbs(product.up, times * (UN + VN));
    for (int k = 0; k < 2; k++) {
        calm();
        ck_assert_int_eq(shards_multiply(&product, false), OUTCOME_DONE);
        shards_check(&product, devices[kind].name);
    }
    note_calls();
    for (int i = 0; i < 2; i++) {
        ck_assert_int_gt(calls[i], 5);
        ck_assert_uint_eq(shards_calls((unsigned)i), product.calls[i] + 1);
    }
}

static void multiply(int twin) {
    enum outcome outcome = shards_multiply(&product, false);
    ck_assert_msg(outcome == OUTCOME_DONE, "outcome %d: %s", outcome, what(twin));
    shards_check(&product, what(twin));
}

/* Checks that the library still uses both devices, each for a part of a product. */
static void check_well(void) {
    calm();
    multiply(0);
    for (int i = 0; i < 2; i++)
        ck_assert_uint_eq(shards_calls((unsigned)i), product.calls[i] + 1);
}

/* By either device. */
START_TEST(each_call_fails) {
    static const int statuses[] = {GPU_FAILED, GPU_NOMEM};
    begin(_i);
    for (int k = 0; k < 4; k++)
        for (long call = 1; call <= calls[k / 2]; call++) {
            calm();
            twins[k / 2].status = statuses[k % 2];
            twins[k / 2].call = call;
            multiply(k / 2);
        }
    check_well();
}
END_TEST

/* After one device has failed repeatedly, the other one must compute the whole product. After both
 * devices have failed, GMP must compute it. */
START_TEST(one_keeps_failing) {
    begin(_i / 2);
    int bad = _i % 2;
    atomic_store(&twins[bad].launch, GPU_FAILED);
    for (int k = 0; k < 5; k++)
        multiply(bad);
    ck_assert(!session_is_usable(bad));
    ck_assert(session_is_usable(!bad));
    atomic_store(&twins[!bad].launch, GPU_FAILED);
    for (int k = 0; k < 5; k++)
        ck_assert_int_ne(shards_multiply(&product, false), OUTCOME_DONE);
    ck_assert(!session_is_usable(!bad));
}
END_TEST

/* The calls of the product are divided into PARTS ranges. In each test the first call of one range
 * hangs. */
enum { PARTS = 7 };

START_TEST(one_hangs) {
    int kind = _i / (2 * PARTS), twin = _i / PARTS % 2;
    begin(kind);
    mpgpu_conf.watchdog = 1;
    twins[twin].status = TWIN_HANGS;
    twins[twin].call = 1 + calls[twin] * (_i % PARTS) / PARTS;
    double clock = stats_clock();
    multiply(twin);
    ck_assert_msg(stats_clock() - clock < 60, "%s: too late", what(twin));
    ck_assert(!session_is_usable(twin));
    mpgpu_conf.watchdog = 0;
    multiply(twin);
    twin_answer(); /* late: nothing changes */
    multiply(twin);
}
END_TEST

/* Changes a bit of a number that one device writes, or of a number that it copies from the other
 * device. */
START_TEST(each_wrong_word) {
    int twin = _i % 2;
    begin(_i / 2);
    wrong_is_counted = false;
    ck_assert_int_gt(writes[twin], 0);
    for (long wrong = 1; wrong <= writes[twin]; wrong++) {
        calm();
        twins[twin].wrong = wrong;
        multiply(twin);
        ck_assert_int_ge(twins[twin].writes, wrong);
    }
    check_well();
}
END_TEST

int main(void) {
    return twins_main("shards_fault",
                      TESTS(LOOP(each_call_fails, ALL_KINDS), LOOP(one_keeps_failing, 2 * KINDS),
                            LOOP(one_hangs, 2 * ALL_KINDS * PARTS),
                            LOOP(each_wrong_word, 2 * KINDS)));
}
