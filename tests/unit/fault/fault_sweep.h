/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Sweeps for tests of include/mpgpu.h on a device that fails. A sweep is a series of sessions; each
 * session opens the device and computes, with another fault: one backend call fails, several calls
 * fail, one call never returns, or one launch leaves a wrong word. */
#ifndef MPGPU_TEST_FAULT_SWEEP_H
#define MPGPU_TEST_FAULT_SWEEP_H

#include "compat/intercept/call.h"
#include "include/mpgpu.h"
#include "lib/base/conf.h"
#include "lib/gmp/real.h"
#include "lib/session/session.h"
#include "tests/support/session_anew.h"
#include "tests/support/testing.h"
#include "tests/unit/fault/fault_lives.h"

const struct gpu_backend *const gpu_backends[] = {&fault_backend, NULL};

/* What each test defines: `prepare` computes the right results once; `compute` makes a session's
 * calls and compares their results; `sent` is the number of these calls that a device without
 * faults computes. */
static const struct sweep {
    const char *name, *options;
    void (*prepare)(void), (*compute)(void);
    unsigned long sent;
} sweep;

/* Sets x to a pattern of at least `bits` bits. GMP's random numbers are not used: their first call
 * would make the library read its options too early. */
static void pattern(mpz_ptr x, unsigned long seed, unsigned long bits) {
    mpz_init_set_ui(x, seed);
    while (mpz_sizeinbase(x, 2) < bits) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        mpz_mul_2exp(x, x, 64);
        real.mpz_add_ui(x, x, seed ^ seed >> 29);
    }
}

static const char *plan_text(void) {
    return fault_text(&fault_plan);
}

static void must(int error) {
    ck_assert_msg(error == 0, "error %d (%s): %s", error, mpgpu_error(), plan_text());
}

static void live(struct fault_plan plan) {
    begin_life(plan);
    sweep.compute();
}

/* Runs a session without faults. Returns the number of backend calls in it. */
static long begin(int i) {
    setenv("MPGPU_CONF", sweep.options, 1);
    fault_plan.real = reals[i];
    call_init();
    sweep.prepare();
    unsigned long sent = call_sent();
    live((struct fault_plan){0});
    ck_assert_uint_eq(call_sent() - sent, sweep.sent);
    long calls = fault_count.calls;
    printf("%s: %ld calls, %ld of them while it opens\n", reals[i]->name, calls, opening_calls);
    die();
    check_dead(plan_text());
    return calls;
}

START_TEST(each_call_fails) {
    long calls = begin(_i);
    for (long call = opening_calls + 1; call <= calls; call++)
        for (int k = 0; k < STATUSES; k++) {
            live((struct fault_plan){.call = call, .status = statuses[k]});
            ck_assert_int_eq(fault_count.faults, 1);
            die();
            check_dead(plan_text());
        }
}
END_TEST

START_TEST(calls_keep_failing) {
    long calls = begin(_i);
    keeps_memory = 1;
    for (long call = opening_calls + 1; call <= calls; call++) {
        live_and_keep_failing(call, sweep.compute);
    }
}
END_TEST

/* In each session another backend call hangs. The library must stop using the device after the
 * watchdog's time; on a busy machine it may do so earlier. */
START_TEST(each_call_hangs) {
    long calls = begin(_i);
    keeps_memory = 1;
    mpgpu_conf.watchdog = 0.05;
    for (long call = opening_calls + 1; call <= calls; call++) {
        live_and_hang(call, sweep.compute);
    }
}
END_TEST

/* In each session the first word that a launch writes is wrong. The results must still be right. At
 * least a quarter of the faults must be noticed; some change nothing, such as a wrong lowest word
 * of an estimate. */
START_TEST(each_wrong_launch) {
    int found = 0;
    begin(_i);
    live((struct fault_plan){0});
    long first = opening_launches + 1, last = fault_count.launches;
    die();
    for (long launch = first; launch <= last; launch++) {
        live((struct fault_plan){.launch = launch, .bit = (unsigned long)launch * 7 % 32});
        found += session_faults() > 0;
        die();
        check_dead(plan_text());
    }
    printf("%d found of %ld\n", found, last - first + 1);
    ck_assert_int_gt(4 * found, last - first + 1);
}
END_TEST

static int run_sweep(void) {
    session_open_any();
    return run_on_real_backends(
        sweep.name, TESTS(PER_DEVICE(each_call_fails, 1), PER_DEVICE(calls_keep_failing, 1),
                          PER_DEVICE(each_call_hangs, 1), PER_DEVICE(each_wrong_launch, 1)));
}

#endif
