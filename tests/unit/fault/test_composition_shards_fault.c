/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Runs one composite operation (one of several products) on two devices, one of which fails,
 * computes wrong words or hangs at some call. Either the result is GMP's, computed on both devices
 * or on one; or the operation fails and its operands are unchanged. Every test runs in a separate
 * process. Each test tries about twelve calls, the first chosen at random; with MPGPU_TEST_STEP=1
 * it tries each call. */
#include "tests/support/shards_composite.h"
#include "tests/support/shards_fault.h"

static const struct shards_devices devices = {"with copies", "0+1", 2, true};

/* Operations that consist of few products. Most products are split into halves, one for each
 * device. */
static const struct {
    enum job_op op;
    size_t n;
} operations[] = {{JOB_tdiv_qr, 12500}, {JOB_powm, 6400}};
enum { OPERATIONS = sizeof operations / sizeof *operations };

static struct composite_case composite;

static void make(int operation) {
    composite_begin(&devices, "shard:1");
    composite_case_make(&composite, operations[operation].op, operations[operation].n,
                        COMPOSITE_CASE_PLAIN);
}

/* Opens the devices, runs the operation without faults, and counts the backend calls of each
 * device. */
static void begin(int operation) {
    make(operation);
    /* the second run may still enlarge buffers, so the calls of the third run are counted */
    for (int k = 0; k < 3; k++) {
        calm();
        ck_assert_int_eq(composite_run(&composite, "no fault"), OUTCOME_DONE);
        ck_assert(composite_was_shared());
    }
    note_calls();
    for (int i = 0; i < 2; i++) {
        ck_assert_uint_eq(shards_calls((unsigned)i), composite_calls[i] + 1);
        ck_assert_int_gt(writes[i], 20);
    }
}

/* Runs the operation, which must succeed. If `may_lack` is true, it may also fail for lack of
 * memory. */
static void operate(int twin, bool may_lack) {
    enum outcome outcome = composite_run(&composite, what(twin));
    ck_assert_msg(may_lack || outcome == OUTCOME_DONE, "outcome %d: %s", outcome, what(twin));
}

/* Checks that the library still uses both devices, each for a part of the operation. */
static void check_well(void) {
    calm();
    operate(0, false);
    ck_assert(composite_was_shared());
}

static long step_of(long count) {
    return (long)testing_option("MPGPU_TEST_STEP", (unsigned long)(count / 12 + 1));
}

static long first_of(long count) {
    return 1 + (long)testing_below((unsigned long)step_of(count));
}

/* Makes calls of one device fail, one call in each run. The operation must still succeed, and the
 * library must continue to use both devices. */
static void fail_each(int operation, int twin, enum gpu_status status) {
    begin(operation);
    for (long call = first_of(calls[twin]); call <= calls[twin]; call += step_of(calls[twin])) {
        calm();
        twins[twin].status = status;
        twins[twin].call = call;
        operate(twin, false);
        ck_assert_msg(session_is_usable(0) && session_is_usable(1), "%s: left alone", what(twin));
        ck_assert_int_le(session_device((unsigned)twin)->faults, status == GPU_FAILED);
        ck_assert_int_eq(session_device((unsigned)!twin)->faults, 0);
    }
    check_well();
}

START_TEST(each_call_fails) {
    fail_each(_i / 2, _i % 2, GPU_FAILED);
}
END_TEST

START_TEST(each_call_lacks_memory) {
    fail_each(_i / 2, _i % 2, GPU_NOMEM);
}
END_TEST

/* After one device has failed repeatedly, the other one must compute the whole operation. After
 * both devices have failed, the operation must fail. */
START_TEST(one_keeps_failing) {
    begin(_i / 2);
    int bad = _i % 2;
    atomic_store(&twins[bad].launch, GPU_FAILED);
    for (int k = 0; k < 5; k++)
        operate(bad, false);
    ck_assert(!session_is_usable(bad));
    ck_assert(session_is_usable(!bad));
    atomic_store(&twins[!bad].launch, GPU_FAILED);
    for (int k = 0; k < 5; k++) {
        ck_assert_int_ne(composite_run(&composite, what(!bad)), OUTCOME_DONE);
    }
    ck_assert(!session_is_usable(!bad));
}
END_TEST

/* The calls of the operation are divided into PARTS ranges. In each test the first call of one
 * range hangs. */
enum { PARTS = 3 };

START_TEST(one_hangs) {
    int operation = _i / (2 * PARTS), twin = _i / PARTS % 2;
    begin(operation);
    mpgpu_conf.watchdog = 6;
    twins[twin].status = TWIN_HANGS;
    twins[twin].call = 1 + calls[twin] * (_i % PARTS) / PARTS;
    double clock = stats_clock();
    operate(twin, false);
    ck_assert_msg(stats_clock() - clock < 90, "%s: too late", what(twin));
    ck_assert(!session_is_usable(twin));
    ck_assert(session_is_usable(!twin));
    mpgpu_conf.watchdog = 0;
    operate(twin, false);
    twin_answer(); /* late: nothing changes */
    operate(twin, false);
    ck_assert(!composite_was_shared());
}
END_TEST

/* Runs the operation while one device writes or copies a wrong bit. The result must be right, and
 * the library must count no fault of a device. */
static void check_no_fault(int twin) {
    operate(twin, false);
    ck_assert_int_eq(session_device(0)->faults + session_device(1)->faults, 0);
}

enum { WORDS = 10 };

START_TEST(wrong_words) {
    int twin = _i % 2;
    begin(_i / 2);
    wrong_is_counted = false;
    for (int k = 0; k < WORDS; k++) {
        calm();
        twins[twin].wrong = 1 + (long)testing_below((unsigned long)writes[twin]);
        check_no_fault(twin);
        ck_assert_int_ge(twins[twin].writes, twins[twin].wrong);
    }
    check_well();
}
END_TEST

/* Makes a bit wrong in each copy between the devices, one copy in each run. Such a copy contains an
 * operand, or the half of a product that one device has computed. */
START_TEST(wrong_copies) {
    int twin = _i % 2;
    begin(_i / 2);
    wrong_is_counted = false;
    long copies = (long)twins[twin].peer_copies - (long)composite_copies[twin];
    for (long k = 1; k <= copies; k++) {
        calm();
        twins[twin].wrong_copy = twins[twin].peer_copies + k;
        check_no_fault(twin);
        ck_assert_int_ge(twins[twin].peer_copies, twins[twin].wrong_copy);
    }
    check_well();
}
END_TEST

/* Makes a random word wrong in each run, until the library no longer splits the operation between
 * the devices. This takes at least three runs, more if a wrong word changes nothing. Afterwards one
 * device may compute the operation alone. */
START_TEST(wrong_until_over) {
    int twin = _i, k = 0;
    begin(0);
    do {
        calm();
        twins[twin].wrong = 1 + (long)testing_below((unsigned long)writes[twin]);
        operate(twin, true);
    } while (composite_was_shared() && ++k < 40);
    ck_assert_int_ge(k, 3);
    ck_assert_int_lt(k, 40);
}
END_TEST

/* ---- replaces thread_pool_try, so that no thread can be started */

static atomic_bool has_no_threads;

bool __real_thread_pool_try(unsigned count, void (*work)(void *job, unsigned i), void *job);
bool __wrap_thread_pool_try(unsigned count, void (*work)(void *job, unsigned i), void *job);

bool __wrap_thread_pool_try(unsigned count, void (*work)(void *job, unsigned i), void *job) {
    return !atomic_load(&has_no_threads) && __real_thread_pool_try(count, work, job);
}

/* Two threads compute the halves of the operation and wait for each other. If no thread can be
 * started, one device must compute the operation alone. */
START_TEST(no_threads) {
    make(_i);
    atomic_store(&has_no_threads, true);
    operate(0, false);
    ck_assert(!composite_was_shared());
    atomic_store(&has_no_threads, false);
    check_well();
}
END_TEST

int main(void) {
    return twins_main(
        "composition_shards_fault",
        TESTS(LOOP(no_threads, OPERATIONS), LOOP(one_keeps_failing, 2 * OPERATIONS),
              LOOP(one_hangs, 2 * OPERATIONS * PARTS), LOOP(each_call_fails, 2 * OPERATIONS),
              LOOP(each_call_lacks_memory, 2 * OPERATIONS), LOOP(wrong_words, 2 * OPERATIONS),
              LOOP(wrong_copies, 2 * OPERATIONS), LOOP(wrong_until_over, 2)));
}
