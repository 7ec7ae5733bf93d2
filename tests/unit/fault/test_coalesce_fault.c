/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests small products of four threads at once, which the device computes in common launches, while
 * the device fails. In each session calls fail, a call hangs, or a read returns a wrong word. Every
 * result must be GMP's, and after a wrong word GMP must recompute only one product.
 * MPGPU_TEST_PLACES is the number of calls at which a fault is tried; 0: at every call. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compat/intercept/call.h"
#include "lib/base/conf.h"
#include "lib/session/session_device.h"
#include "lib/session/session.h"
#include "tests/support/coalesced.h"
#include "tests/support/session_anew.h"
#include "tests/support/testing.h"
#include "tests/unit/fault/fault_devices.h"

const struct gpu_backend *const gpu_backends[] = {&fault_backend, NULL};

enum { THREADS = 4, ROUNDS = 6, COLUMNS = 64, TRANSFORMS = 400, PLACES = 24, FAULTS = 3 };

/* Two kinds of small products: computed column by column, and by transforms. A CPU uses transforms
 * only with algorithm:block. */
static const struct {
    const char *conf;
    unsigned long most;
} kinds[] = {{"algorithm:auto", COLUMNS}, {"algorithm:block", TRANSFORMS}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const char *plan_text(void) {
    return fault_text(&fault_plan);
}

static void begin(int i, const char *more) {
    char all[128];
    snprintf(all, sizeof all, "dispatch:fixed,mul:1,sqr:1,mulmod:1,%s,%s", kinds[i % KINDS].conf,
             more);
    begin_session(reals[i / KINDS], coalesced_prepare, all);
}

static struct coalesced four(int i, bool as_program) {
    struct coalesced g = {.threads = THREADS,
                          .rounds = ROUNDS,
                          .most = kinds[i % KINDS].most,
                          .as_program = as_program};
    coalesced_run(&g);
    ck_assert_msg(g.wrong == 0, "%ld wrong: %s", g.wrong, plan_text());
    return g;
}

/* Counts the backend calls and reads for the products of four threads, including the preparation
 * before the first common launch. */
static void measure(int i, const char *more, long *calls, long *reads) {
    begin(i, more);
    long before = fault_count.calls, reads_before = fault_count.reads;
    struct coalesced g = four(i, false);
    ck_assert_int_eq(g.done, THREADS * ROUNDS);
    ck_assert(coalesce_is_open(&session_device(0)->coalesce));
    *calls = fault_count.calls - before;
    *reads = fault_count.reads - reads_before;
    end_session();
}

/* Returns the distance between two backend calls that are made to fail. */
static long step(long calls) {
    long places = (long)testing_option("MPGPU_TEST_PLACES", PLACES);
    return places == 0 || calls <= places ? 1 : calls / places;
}

static void fail_from_now(long call, long every, int status) {
    fault_plan.every = every;
    fault_plan.status = status;
    fault_plan.call = fault_count.calls + call;
}

static const int statuses[] = {GPU_FAILED, GPU_NOMEM, GPU_NOBUILD};
enum { STATUSES = sizeof statuses / sizeof *statuses };

/* One backend call fails. The library may count at most one fault, and must continue to use the
 * device. */
START_TEST(each_call_fails) {
    long calls, reads;
    measure(_i, "verify:residue", &calls, &reads);
    for (long call = 1, k = 0; call <= calls; call += step(calls), k++) {
        begin(_i, "verify:residue");
        fail_from_now(call, 0, statuses[k % STATUSES]);
        four(_i, true);
        ck_assert_msg(session_faults() <= 1, "%d faults: %s", session_faults(), plan_text());
        ck_assert_msg(session_wait() == OUTCOME_DONE, "not in use: %s", plan_text());
        end_session();
    }
}
END_TEST

/* Backend calls keep failing until the limit of faults is reached. Then the library must stop using
 * the device, and no thread may wait for it. */
START_TEST(calls_keep_failing) {
    static const long distances[] = {1, 2, 3, 5, 17, 60};
    enum { DISTANCES = sizeof distances / sizeof *distances };
    long calls, reads;
    keeps_memory = 1;
    measure(_i, "verify:residue", &calls, &reads);
    for (long call = 1, k = 0; call <= calls; call += step(calls), k++) {
        begin(_i, "verify:residue");
        fail_from_now(call, distances[k % DISTANCES], statuses[k / DISTANCES % STATUSES]);
        four(_i, true);
        if (session_faults() >= FAULTS)
            ck_assert_msg(session_wait() == OUTCOME_NONE, "in use: %s", plan_text());
        session_calm();
        fault_plan.call = 0;
        session_put_down();
        /* sets the counts to 0: if waiting for the device fails, its memory stays allocated on
         * purpose */
        fault_forget();
    }
}
END_TEST

/* Forks, also while the device hangs. fork must not wait for the device, and at most a second for
 * other threads. */
static void fork_once(void) {
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, &status, 0);
    ck_assert_int_eq(status, 0);
}

/* Runs products on a device that hangs in backend call number `call`. The products of all threads
 * must end with right results. When the device answers later, it must not change the results. */
static void hang(int i, long call) {
    begin(i, "verify:residue");
    mpgpu_conf.watchdog = 0.3;
    fail_from_now(call, 0, FAULT_HANGS);
    four(i, true);
    bool has_hung = fault_count.faults > 0;
    if (has_hung) {
        ck_assert_msg(session_wait() == OUTCOME_NONE, "in use: %s", plan_text());
        fork_once();
        four(i, true);
    }
    coalesced_cover();
    fault_answer();
    end_session();
    ck_assert_msg(coalesced_is_covered(), "written late: %s", plan_text());
}

START_TEST(each_call_hangs) {
    long calls, reads;
    keeps_memory = 1;
    measure(_i, "verify:residue", &calls, &reads);
    for (long call = 1; call <= calls; call += step(calls))
        hang(_i, call);
}
END_TEST

/* Returns true if the library reads each result from the device. Otherwise kernels write results
 * directly into host memory; then no read can be wrong, and the test is skipped. */
static bool has_reads(int i, const char *more) {
    begin(i, more);
    four(i, false);
    long before = fault_count.reads;
    four(i, false);
    bool reads_all = fault_count.reads - before >= THREADS * ROUNDS;
    end_session();
    if (!reads_all)
        testing_skip("%s: results are not read, so no read of them can be wrong",
                     reals[i / KINDS]->name);
    return reads_all;
}

/* Changes a bit in the download of one product. GMP must compute that product again; the device
 * must have computed all others. */
static void find_wrong_word(int i, long read, unsigned long bit) {
    struct coalesced all_plans = {.threads = 1, .rounds = 40, .most = kinds[i % KINDS].most};
    begin(i, "verify:residue");
    coalesced_run(&all_plans);
    unsigned long sent = call_sent();
    fault_plan.bit = bit;
    fault_plan.read = fault_count.reads + read;
    four(i, true);
    ck_assert_int_eq(fault_count.faults, 1);
    ck_assert_msg(session_faults() == 1, "%d faults: %s", session_faults(), plan_text());
    ck_assert_msg(call_sent() - sent == THREADS * ROUNDS - 1, "%lu sent: %s", call_sent() - sent,
                  plan_text());
    ck_assert_int_eq(session_wait(), OUTCOME_DONE);
    end_session();
}

START_TEST(one_wrong_word_costs_one_product) {
    if (!has_reads(_i, "verify:residue"))
        return;
    for (unsigned long k = 0; k < PLACES; k++)
        find_wrong_word(_i, 1 + (long)k % (THREADS * ROUNDS), k * 2654435761u >> 3);
}
END_TEST

/* With verify:device, too, the device's own check must find the changed bit. */
START_TEST(check_of_columns) {
    if (_i % KINDS != 0 || !has_reads(_i, "verify:device"))
        return;
    for (unsigned long k = 0; k < PLACES; k++) {
        begin(_i, "verify:device");
        four(_i, false);
        fault_plan.bit = k * 2654435761u >> 3;
        fault_plan.read = fault_count.reads + 1 + (long)k % (THREADS * ROUNDS);
        struct coalesced g = four(_i, false);
        ck_assert_msg(g.not_done == 1 && session_faults() == 1, "%ld not done, %d faults: %s",
                      g.not_done, session_faults(), plan_text());
        ck_assert_int_eq(g.done, THREADS * ROUNDS - 1);
        end_session();
    }
}
END_TEST

/* Makes a word of one read wrong in each session. The reads include those of self-tests. */
static void find_each(int i, const char *verify) {
    long calls, reads;
    measure(i, verify, &calls, &reads);
    for (long read = 1; read <= reads; read += step(reads)) {
        begin(i, verify);
        fault_plan.bit = (unsigned long)read * 2654435761u >> 5;
        fault_plan.read = fault_count.reads + read;
        four(i, true);
        ck_assert_int_le(session_faults(), 1);
        end_session();
    }
}

START_TEST(each_wrong_word_is_found) {
    find_each(_i, "verify:residue");
}
END_TEST

START_TEST(each_wrong_word_is_found_in_full) {
    find_each(_i, "verify:full");
}
END_TEST

/* After three wrong words the library must stop using the device, and GMP must compute the threads'
 * products. */
START_TEST(three_wrong_words) {
    int faults = 0;
    if (!has_reads(_i, "verify:residue"))
        return;
    begin(_i, "verify:residue");
    for (int k = 0; k < 40 && session_wait() == OUTCOME_DONE; k++) {
        four(_i, true);
        fault_plan.bit = (unsigned long)k;
        fault_plan.read = fault_count.reads + 5;
        faults = session_faults();
    }
    ck_assert_int_ge(faults, FAULTS);
    ck_assert_int_eq(session_wait(), OUTCOME_NONE);
    fork_once();
    four(_i, true);
    end_session();
}
END_TEST

int main(void) {
    session_open_any();
    return run_on_real_backends(
        "coalesced faults",
        TESTS(PER_DEVICE(each_call_fails, KINDS), PER_DEVICE(calls_keep_failing, KINDS),
              PER_DEVICE(each_call_hangs, KINDS),
              PER_DEVICE(one_wrong_word_costs_one_product, KINDS),
              PER_DEVICE(check_of_columns, KINDS), PER_DEVICE(each_wrong_word_is_found, KINDS),
              PER_DEVICE(each_wrong_word_is_found_in_full, KINDS),
              PER_DEVICE(three_wrong_words, KINDS)));
}
