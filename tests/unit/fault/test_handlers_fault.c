/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests signal handlers of the program that run while a call waits for a device that does not
 * answer. The handlers return, leave the call by siglongjmp, or fork. In each test one backend call
 * hangs until the handler has run.
 *
 * After a handler has returned, the device must compute the call. After a handler has left a call,
 * nothing may read the call's operands or write its result, and no fault may be counted. The device
 * must then compute the thread's next call. After a fork, GMP must compute the child's call.
 *
 * MPGPU_TEST_PLACES is the number of an operation's backend calls that are tried; 0: all calls.
 * MPGPU_TEST_OPERATION chooses one composite operation by its name. */
#include "config.h"

#include <string.h>
#include <sys/wait.h>

#include "compat/intercept/call.h"
#include "lib/base/conf.h"
#include "lib/gmp/memory.h"
#include "lib/session/session_device.h"
#include "lib/session/session_run.h"
#include "tests/support/testing.h"
#include "tests/unit/fault/fault_composites.h"
#include "tests/unit/fault/fault_handlers.h"
#include "tests/unit/fault/fault_operations.h"

const struct gpu_backend *const gpu_backends[] = {&fault_backend, NULL};

enum { PLACES = 6, CHILD_SECONDS = 60 };

static atomic_int handled, skipped;

static void answer_and_return(int signal) {
    (void)signal;
    atomic_fetch_add(&handled, 1);
    fault_answer();
}

/* number of the composite operation */
static int composite;
/* may_wait: the latest call of streams_acquire_all had time to wait. fork_may_wait: the call in the
 * handler's fork had time to wait, although the handler had interrupted a wait for a job. */
static bool may_wait, fork_may_wait;
/* forks by handlers that had interrupted a wait for a job of this operation */
static int forks_in_jobs;

bool __real_streams_acquire_all(struct streams *s, int64_t end);
bool __wrap_streams_acquire_all(struct streams *s, int64_t end);

/* Records whether the replaced function, by which fork waits for the device, has time to wait.
 * Calls that function. */
bool __wrap_streams_acquire_all(struct streams *s, int64_t end) {
    may_wait = end > event_clock();
    return __real_streams_acquire_all(s, end);
}

static void fork_and_return(int signal) {
    const bool is_in_job = session_run_is_suspended();
    may_wait = false;
    child = fork();
    fork_may_wait = may_wait && is_in_job;
    forks_in_jobs += is_in_job;
    if (child == 0)
        alarm(CHILD_SECONDS);
    else
        answer_and_return(signal);
}

/* Returns true if a stream (a queue of device work) is in a state in which the device may write to
 * the program's memory. */
static bool is_writing(void) {
    for (int i = 0; i < STREAMS_MOST; i++)
        if (atomic_load(&session_device(0)->streams.stream[i].lease.acquired) > 0)
            return true;
    return false;
}

static bool is_interruptible(void) {
    const bool is_so = !is_writing();
    atomic_fetch_add(&skipped, !is_so);
    return is_so;
}

static const char *plan_text(void) {
    return fault_text(&fault_plan);
}

static void begin_life_without(void) {
    begin_life((struct fault_plan){.alone = 1});
    ck_assert_int_eq(session_wait(), OUTCOME_DONE);
}

static void end_life(void) {
    fault_answer();
    session_calm();
    ck_assert_int_eq(session_wait(), OUTCOME_DONE);
    ck_assert_int_eq(session_faults(), 0);
    die();
    check_released();
}

/* Returns the distance between two backend calls that are tried. */
static long step(long places) {
    long wanted = (long)testing_option("MPGPU_TEST_PLACES", PLACES);
    return wanted == 0 || places <= wanted ? 1 : places / wanted;
}

/* ---- composite operations: after a handler has left a call, the test makes the operands
 * unreadable */

static long calls_of(void (*call)(void)) {
    begin_life_without();
    long before = fault_count.calls;
    call();
    long calls = fault_count.calls - before;
    composite_check("no faults");
    end_life();
    return calls;
}

static void check_sent(void) {
    unsigned long sent = call_sent();
    composite_call();
    composite_check(plan_text());
    ck_assert_msg(call_sent() > sent, "%s: not sent: %s", composite_name(), plan_text());
}

static void leave_composite(long place) {
    begin_life_without();
    if (run_interrupted(composite_call, place, leave)) {
        composite_protect();
        fault_answer();
        session_calm();
        composite_restore(plan_text());
    } else
        composite_check(plan_text());
    check_sent();
    end_life();
}

static void return_to_composite(long place) {
    begin_life_without();
    unsigned long sent = call_sent();
    atomic_store(&handled, 0);
    run_interrupted(composite_call, place, answer_and_return);
    composite_check(plan_text());
    ck_assert_msg(call_sent() > sent, "%s: not sent: %s", composite_name(), plan_text());
    end_life();
}

/* A handler forks during the operation. Parent and child must both compute the right result. The
 * fork must not wait for the job that the handler has interrupted: it ends only after the handler.
 */
static void fork_in_composite(long place) {
    int status = 0;
    begin_life_without();
    child = -1;
    fork_may_wait = false;
    run_interrupted(composite_call, place, fork_and_return);
    composite_check(plan_text());
    ck_assert_msg(!fork_may_wait, "%s: fork waits: %s", composite_name(), plan_text());
    if (child == 0)
        _exit(0);
    if (child > 0)
        waitpid(child, &status, 0);
    child = -1;
    ck_assert_msg(status == 0, "%s: a child: %x: %s", composite_name(), status, plan_text());
    end_life();
}

static void prepare(int i) {
    may_interrupt = is_interruptible;
    setenv("MPGPU_CONF",
           "open:wait,watchdog:0,dispatch:fixed,mul:1,sqr:1,mulmod:1,add:never,verify:device", 1);
    fault_plan.real = reals[i];
    call_init();
}

START_TEST(composite_calls) {
    const char *only = getenv("MPGPU_TEST_OPERATION");
    prepare(_i);
    for (composite = 0; composite < composites_count(); composite++) {
        fault_restart();
        fault_plan.devices = 0;
        session_anew();
        composite_choose(composite);
        session_put_down();
        if (only && strcmp(only, composite_name()) != 0)
            continue;
        long calls = calls_of(composite_call);
        forks_in_jobs = 0;
        for (long place = 1; place <= calls; place += step(calls)) {
            leave_composite(place);
            return_to_composite(place);
            fork_in_composite(place);
        }
        ck_assert_msg(forks_in_jobs > 0, "%s: no fork in a job", composite_name());
    }
    printf("%d not interrupted\n", (int)skipped);
}
END_TEST

/* ---- operations on limbs: after a handler has left a call, the test checks that nothing writes
 * the call's result */

static enum operation chosen;
static enum outcome outcome;

static void operate_chosen(void) {
    outcome = operate(chosen);
}

static void check_done(const char *what) {
    ck_assert_msg(outcome == OUTCOME_DONE && result_is_right(chosen) && operation_survived(chosen),
                  "operation %d: %s: outcome %d: %s", chosen, what, outcome, plan_text());
}

static void leave_operation(long place) {
    begin_life_without();
    if (run_interrupted(operate_chosen, place, leave)) {
        result_cover();
        fault_answer();
        session_calm();
        ck_assert_msg(result_is_covered(), "operation %d: written late: %s", chosen, plan_text());
        ck_assert(operands_survived());
    } else
        check_done("not left");
    operate_chosen();
    check_done("after it");
    end_life();
}

static void return_to_operation(long place) {
    begin_life_without();
    run_interrupted(operate_chosen, place, answer_and_return);
    check_done("returned");
    end_life();
}

START_TEST(operations) {
    prepare(_i);
    memory_least = 1;
    operations_prepare();
    for (chosen = 0; chosen < OPERATIONS; chosen++) {
        begin_life_without();
        long before = fault_count.calls;
        operate_chosen();
        check_done("no faults");
        long calls = fault_count.calls - before;
        end_life();
        for (long place = 1; place <= calls; place += step(calls)) {
            leave_operation(place);
            return_to_operation(place);
        }
    }
    printf("%d not interrupted\n", (int)skipped);
}
END_TEST

int main(void) {
    session_open_any();
    return run_on_real_backends("signal handlers",
                                TESTS(PER_DEVICE(composite_calls, 1), PER_DEVICE(operations, 1)));
}
