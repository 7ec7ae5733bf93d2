/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests that the program's result is GMP's, whatever fails on the device. A session opens a device,
 * computes a few operations and closes the device. In each session one fault is tried: a call
 * fails, several calls fail, a call hangs, memory is short, the host reads a wrong word, or a
 * launch leaves a wrong word on the device. Operands must be unchanged, results right, and nothing
 * may stay allocated. */
#include <stdlib.h>
#include <string.h>

#include "compat/intercept/call.h"
#include "lib/base/conf.h"
#include "lib/gmp/memory.h"
#include "lib/session/session.h"
#include "tests/support/session_anew.h"
#include "tests/support/testing.h"
#include "tests/unit/fault/fault_devices.h"
#include "tests/unit/fault/fault_operations.h"

const struct gpu_backend *const gpu_backends[] = {&fault_backend, NULL};

/* ---- sessions */

/* The operations of a session. SHORT_ONES: all except BY_SSA and WRAPAROUND, which take long. */
enum choice { SHORT_ONES, ALL };
static enum operation chosen[OPERATIONS];
static int choices;

static void choose_operations(enum choice choice) {
    choices = choice == ALL ? OPERATIONS : BY_SSA;
    for (int i = 0; i < choices; i++)
        chosen[i] = (enum operation)i;
}

/* Chooses the operations of a session: first `op`, in which the fault occurs; then at most `more`
 * short operations that follow `op` in enum operation. If no such operation follows, TINY is the
 * second operation. */
static void choose_operation(int op, int more) {
    chosen[0] = (enum operation)op;
    chosen[1] = TINY;
    choices = 2;
    for (int i = 1; i <= more && op + i < BY_SSA; i++) {
        chosen[i] = (enum operation)(op + i);
        choices = i + 1;
    }
}

/* The fault plan of the current session, kept for error messages. */
static struct fault_plan lived;

static const char *plan_text(void) {
    return fault_text(&lived);
}

static void check_nothing_alive(void) {
    ck_assert_msg(
        !fault_count.devices && !fault_count.queues && !fault_count.buffers &&
            !fault_count.blocks && !fault_count.pins && !fault_count.events,
        "alive after %s: %ld devices, %ld queues, %ld buffers, %ld blocks, %ld pins, %ld events",
        plan_text(), fault_count.devices, fault_count.queues, fault_count.buffers,
        fault_count.blocks, fault_count.pins, fault_count.events);
}

/* Runs one operation and checks its outcome: it may fail only after a fault, or if the device is
 * not open. Operands must be unchanged, and a computed result must be right. */
static void check_operation(enum operation op) {
    int open = session_wait() == OUTCOME_DONE;
    long faults = fault_count.faults;
    enum outcome outcome = operate(op);
    int hit = fault_count.faults > faults, done = outcome == OUTCOME_DONE;
    int fits = !open ? outcome == OUTCOME_NONE
                     : done || (hit && (outcome == OUTCOME_FAILED || outcome == OUTCOME_MEMORY));
    ck_assert_msg(fits, "operation %d: outcome %d: %s", op, outcome, plan_text());
    ck_assert_msg(operation_survived(op), "operation %d: operands: %s", op, plan_text());
    ck_assert_msg(!done || result_is_right(op), "operation %d: wrong: %s", op, plan_text());
    ck_assert_msg(fault_count.strays == 0, "operation %d: strays: %s", op, plan_text());
}

/* Removes all faults from the plan and closes the session. */
static void die(void) {
    fault_plan.call = fault_plan.refused = fault_plan.read = fault_plan.launch = 0;
    fault_plan.most = 0;
    session_put_down();
}

static unsigned long any_bit(void) {
    static long calls;
    return drawn(++calls);
}

/* Numbers of backend calls, kernel requests, reads and launches. `opening` has the numbers after
 * the opening of this session, `first` those after its first operation. */
struct counts {
    long calls, kernels, reads, launches;
};
static struct counts opening, first;

static struct counts count_now(void) {
    return (struct counts){fault_count.calls, fault_count.kernels, fault_count.reads,
                           fault_count.launches};
}

/* Runs a session with the fault plan, and leaves the session open. Returns true if the session has
 * opened a device. Afterwards fault_count has the calls, reads and launches of the whole
 * session. */
static int live(struct fault_plan plan) {
    fault_restart();
    plan.real = fault_plan.real;
    plan.devices = plan.devices ? plan.devices : 1;
    fault_plan = lived = plan;
    session_anew();
    int open = session_wait() == OUTCOME_DONE;
    opening = count_now();
    ck_assert_msg(open || fault_count.faults > 0, "not open: %s", plan_text());
    for (int i = 0; i < choices; i++) {
        check_operation(chosen[i]);
        first = i == 0 ? count_now() : first;
    }
    int left_alone = open && session_wait() == OUTCOME_NONE;
    ck_assert_msg(left_alone >= (session_faults() >= 3), "in use: %s", plan_text());
    ck_assert_msg(left_alone <= (plan.every > 0), "not in use: %s", plan_text());
    return open;
}

/* Runs a session without faults. Returns the number of its backend calls. */
static long live_without(void) {
    ck_assert(live((struct fault_plan){0}));
    long calls = fault_count.calls;
    printf("%s: %ld calls, %ld of them while it opens, %ld reads\n", fault_plan.real->name, calls,
           opening.calls, (long)fault_count.reads);
    die();
    check_nothing_alive();
    return calls;
}

static long begin(int i, const char *conf) {
    setenv("MPGPU_CONF", conf, 1);
    fault_plan.real = reals[i];
    call_init();
    memory_least = 1;
    operations_prepare();
    return live_without();
}

/* Prepares sessions that skip the self-tests, so that faults come after the device is open. Returns
 * the number of backend calls of such a session without faults. */
static long begin_known(int i, const char *conf) {
    begin(i, conf);
    fault_is_known = true;
    return live_without();
}

static const int statuses[] = {GPU_FAILED, GPU_NOMEM, GPU_NOBUILD};
enum { STATUSES = sizeof statuses / sizeof *statuses };

/* CUT limits memory, so the slots for small products may fail to open. If the planned fault then
 * hits the wait for the device, the slots' memory stays allocated (session_way_failed). */
static bool may_keep_slots(void) {
    return chosen[0] == CUT && session_way_failed() &&
           (strcmp(fault_failed, "fault_event_record") == 0 ||
            strcmp(fault_failed, "fault_event_wait") == 0);
}

static void live_with_one_fault(struct fault_plan plan) {
    live(plan);
    ck_assert_int_eq(fault_count.faults, 1);
    const bool keeps = may_keep_slots();
    die();
    if (!keeps)
        check_nothing_alive();
    fault_forget();
}

/* Runs one session for each call, in which that call fails with GPU_FAILED or GPU_NOMEM. Then runs
 * one session for each kernel request, which fails with GPU_NOBUILD. */
static void each_call_fails_once(struct counts from, struct counts to) {
    for (long call = from.calls + 1; call <= to.calls; call++)
        live_with_one_fault(
            (struct fault_plan){.call = call, .status = drawn(call) % 2 ? GPU_FAILED : GPU_NOMEM});
    for (long kernel = from.kernels + 1; kernel <= to.kernels; kernel++)
        live_with_one_fault((struct fault_plan){.refused = kernel});
}

START_TEST(each_call_of_opening_fails) {
    choose_operations(SHORT_ONES);
    begin(_i, "open:wait");
    each_call_fails_once((struct counts){0}, opening);
}
END_TEST

START_TEST(each_call_fails) {
    choose_operation(_i % OPERATIONS, 1);
    begin_known(_i / OPERATIONS, "open:wait");
    each_call_fails_once(opening, first);
}
END_TEST

/* Runs sessions in which backend calls keep failing. In the first session, the first failing call
 * is number `call` or later; in each further session it is a later call. After that call every n-th
 * call fails, for a random n from 1 to 60. If waiting for the device fails, too, the device's
 * memory stays allocated. */
static void calls_keep_failing_from(long call, long calls) {
    static const long distances[] = {1, 2, 3, 5, 17, 60};
    enum { DISTANCES = sizeof distances / sizeof *distances };
    keeps_memory = 1;
    for (call = sweep_from(call, 2); call <= calls; call += sweep_step(2)) {
        long distance = distances[drawn(call) % DISTANCES];
        int open = live((struct fault_plan){
            .call = call, .every = distance, .status = statuses[drawn(-call) % STATUSES]});
        bool keeps = !open || session_way_failed();
        die();
        if (!keeps)
            check_nothing_alive();
        fault_forget();
    }
}

START_TEST(calls_of_opening_keep_failing) {
    choose_operations(SHORT_ONES);
    begin(_i, "open:wait");
    calls_keep_failing_from(1, opening.calls);
}
END_TEST

START_TEST(calls_keep_failing) {
    choose_operation(_i % OPERATIONS, OPERATIONS);
    begin_known(_i / OPERATIONS, "open:wait");
    calls_keep_failing_from(opening.calls + 1, first.calls);
}
END_TEST

/* The first of two devices fails at a call of its opening, or returns a wrong word in its
 * self-test. The library must then use the second device, unless the first is still usable. */
START_TEST(next_device) {
    choose_operation(PRODUCT, 1);
    begin(_i, "open:wait");
    long calls = opening.calls, reads = opening.reads;
    for (long call = sweep_from(1, 2); call <= calls; call += sweep_step(2)) {
        enum gpu_status status = statuses[drawn(call) % STATUSES];
        ck_assert(live((struct fault_plan){.call = call, .status = status, .devices = 2}));
        /* only GPU_FAILED always makes the first device unusable; after another status the library
         * may use this device without some capabilities */
        ck_assert(opening.calls > calls || status != GPU_FAILED);
        die();
        check_nothing_alive();
    }
    for (long read = 1; read <= reads; read++) {
        ck_assert(!live((struct fault_plan){.read = read, .bit = any_bit()}));
        die();
        ck_assert(live((struct fault_plan){.read = read, .bit = 31, .devices = 2}));
        die();
        check_nothing_alive();
    }
}
END_TEST

/* Runs operations until the device hangs, and one more. Returns 0 if the library has stopped using
 * the device before it hangs: on a busy machine the watchdog's time can pass without a hang. */
static int operate_until_hang(void) {
    for (int i = 0, over = 0; i < choices && !over; i++) {
        over = fault_count.faults > 0;
        enum outcome outcome = operate(chosen[i]);
        if (outcome != OUTCOME_DONE && fault_count.faults == 0)
            return 0;
        ck_assert_msg(outcome == (over                     ? OUTCOME_NONE
                                  : fault_count.faults > 0 ? OUTCOME_FAILED
                                                           : OUTCOME_DONE),
                      "outcome %d: %s", outcome, plan_text());
    }
    ck_assert_msg(fault_count.faults == 1, "%s", plan_text());
    return 1;
}

/* Makes a device hang. The library must stop using it after the watchdog's time. When the device
 * answers later, it must not write to the program's memory any more. */
static int live_hanging(long call, double watchdog) {
    fault_restart();
    fault_plan = lived = (struct fault_plan){
        .real = fault_plan.real, .devices = 1, .call = call, .status = FAULT_HANGS};
    mpgpu_conf.watchdog = watchdog;
    session_anew();
    int hung = operate_until_hang();
    ck_assert_int_eq(session_wait(), OUTCOME_NONE);
    /* If the device still works, pinning.c may be replacing the pages of the result. Waits until
     * this is done, because result_cover writes to these pages. */
    if (!hung) {
        fault_answer();
        session_calm();
    }
    result_cover();
    fault_answer();
    session_calm();
    ck_assert_msg(result_is_covered(), "written late: %s", plan_text());
    ck_assert(operands_survived());
    die();
    check_nothing_alive();
    return hung;
}

/* Makes a call hang, one in each session. Tries only every third call, because the library waits
 * for all calls in the same way. */
static void each_call_hangs_from(long call, long calls) {
    keeps_memory = 1;
    for (call = sweep_from(call, 3); call <= calls; call += sweep_step(3))
        for (double watchdog = 0.02; !live_hanging(call, watchdog); watchdog *= 2)
            ck_assert_msg(watchdog < 60, "given up at call %ld", call);
}

START_TEST(each_call_of_opening_hangs) {
    choose_operations(SHORT_ONES);
    begin(_i, "open:wait");
    each_call_hangs_from(1, opening.calls);
}
END_TEST

START_TEST(each_call_hangs) {
    choose_operation(_i % OPERATIONS, 1);
    begin_known(_i / OPERATIONS, "open:wait");
    each_call_hangs_from(opening.calls + 1, first.calls);
}
END_TEST

START_TEST(memory_is_short) {
    choose_operations(ALL);
    begin(_i, "open:wait");
    for (size_t most = 1 << 12; most < 1 << 24; most += most / 8) {
        live((struct fault_plan){.most = most});
        die();
        check_nothing_alive();
    }
}
END_TEST

/* ---- wrong words, with operations called by their public names */

/* Runs a session of GMP functions with a wrong word in its first operation: in read number `read`
 * or launch number `launch`. If the word belongs to a self-test, the library does not use that
 * kernel. Returns the number of faults that the library has counted. */
static int live_verified(long read, long launch) {
    fault_restart();
    session_anew();
    ck_assert_int_eq(session_wait(), OUTCOME_DONE);
    fault_plan.read = read > 0 ? opening.reads + read : 0;
    fault_plan.launch = launch > 0 ? opening.launches + launch : 0;
    fault_plan.bit = any_bit();
    lived = fault_plan;
    for (int i = 0; i < choices; i++) {
        unsigned long sent = call_sent();
        int found = session_faults(), in_use = session_wait() == OUTCOME_DONE;
        operate_as_program(chosen[i]);
        first = i == 0 ? count_now() : first;
        ck_assert_msg(result_is_right(chosen[i]), "operation %d: wrong: %s", chosen[i],
                      plan_text());
        ck_assert_msg(operands_survived(), "operation %d: operands: %s", chosen[i], plan_text());
        ck_assert_msg(call_sent() - sent == (in_use && session_faults() == found),
                      "operation %d: %lu sent: %s", chosen[i], call_sent() - sent, plan_text());
    }
    ck_assert_int_eq(fault_count.faults, read > 0 || launch > 0);
    int found = session_faults();
    die();
    check_nothing_alive();
    return found;
}

static const char *const verified[] = {"open:wait,mul:1,sqr:1,mulmod:1,add:1,verify:residue",
                                       "open:wait,mul:1,sqr:1,mulmod:1,add:1,verify:full"};
enum { VERIFIED = sizeof verified / sizeof *verified };

START_TEST(each_wrong_word_is_found) {
    choose_operation(_i % OPERATIONS, 1);
    begin_known(_i / OPERATIONS / VERIFIED, verified[_i / OPERATIONS % VERIFIED]);
    ck_assert_int_eq(live_verified(0, 0), 0);
    long reads = first.reads - opening.reads;
    for (int k = 0; k < 2; k++)
        for (long read = 1; read <= reads; read++)
            ck_assert_msg(live_verified(read, 0) == 1, "not found: %s", plan_text());
}
END_TEST

static bool is_small(enum operation op) {
    return op == SMALL || op == TINY || op == LOW || op == MINUS;
}

/* Returns true if the library has found enough of the wrong words on the device. Some words are
 * never read, so they change nothing: up to three in five for small products, up to one in five for
 * most operations, none for WRAPAROUND. */
static bool are_enough(enum operation op, long found, long wrong) {
    return op == WRAPAROUND ? found == wrong
           : is_small(op)   ? 5 * found >= 2 * wrong
                            : 5 * found > 4 * wrong;
}

/* Operations that are not small may also launch small_mul, for the self-test of small products.
 * A launch of small_mul gets a wrong word in its tables, which this test does not read. So such
 * launches do not count, except for the small operations. */
START_TEST(each_wrong_launch_is_found) {
    char unnoticed[400] = "";
    long found = 0, wrong = 0;
    enum operation op = (enum operation)(_i % OPERATIONS);
    choose_operation(op, 1);
    begin_known(_i / OPERATIONS, "open:wait,mul:1,sqr:1,mulmod:1,add:1,verify:device");
    ck_assert_int_eq(live_verified(0, 0), 0);
    const long launches = first.launches - opening.launches;
    for (long i = 0; i < 3 * launches; i++) {
        const long launch = i % launches + 1;
        const bool is_found = live_verified(0, launch) > 0;
        if (!is_small(op) && strcmp(fault_spoiled, "small_mul") == 0)
            continue;
        const size_t at = strlen(unnoticed);
        wrong++;
        found += is_found;
        if (!is_found)
            snprintf(unnoticed + at, sizeof unnoticed - at, " %ld %s", launch, fault_spoiled);
    }
    ck_assert_int_gt(wrong, 0);
    ck_assert_msg(are_enough(op, found, wrong), "operation %d: %ld found of %ld, not%s", op, found,
                  wrong, unnoticed);
}
END_TEST

int main(void) {
    session_open_any();
    return run_on_real_backends(
        "fault",
        TESTS(PER_DEVICE(each_call_of_opening_fails, 1), PER_DEVICE(each_call_fails, OPERATIONS),
              PER_DEVICE(calls_of_opening_keep_failing, 1),
              PER_DEVICE(calls_keep_failing, OPERATIONS), PER_DEVICE(next_device, 1),
              PER_DEVICE(each_call_of_opening_hangs, 1), PER_DEVICE(each_call_hangs, OPERATIONS),
              PER_DEVICE(memory_is_short, 1),
              PER_DEVICE(each_wrong_word_is_found, OPERATIONS * VERIFIED),
              PER_DEVICE(each_wrong_launch_is_found, OPERATIONS)));
}
