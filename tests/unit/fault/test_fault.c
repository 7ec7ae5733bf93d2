/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Whatever fails on the device, the program's result is GMP's.
 *
 * A life opens a device, computes a few things and closes it.  Each call of a life fails once, with
 * each status; then several fail; each hangs; memory is short; each word that is read is wrong
 * once, and one word after each launch.  Operands survive, results are right, and nothing is left
 * allocated. */
#include <stdlib.h>

#include "compat/intercept/call.h"
#include "lib/base/conf.h"
#include "lib/gmp/memory.h"
#include "lib/session/session.h"
#include "tests/support/session_anew.h"
#include "tests/support/testing.h"
#include "tests/unit/fault/fault_devices.h"
#include "tests/unit/fault/fault_operations.h"

const struct gpu_backend *const gpu_backends[] = {&fault_backend, NULL};

/* ---- lives */

/* The operations of a life: BY_SSA and WRAPAROUND, which take long, are alone, but that some tests
 * have all in a life. */
enum choice { SHORT_ONES, SSA_ALONE, WRAPAROUND_ALONE, ALL };
enum { CHOICES = ALL };
static int first_operation, last_operation;

static void choose_operations(enum choice choice) {
    static const struct {
        enum operation first, last;
    } chosen[] = {[SHORT_ONES] = {0, BY_SSA - 1},
                  [SSA_ALONE] = {BY_SSA, BY_SSA},
                  [WRAPAROUND_ALONE] = {WRAPAROUND, WRAPAROUND},
                  [ALL] = {0, WRAPAROUND}};
    first_operation = (int)chosen[choice].first;
    last_operation = (int)chosen[choice].last;
}

/* The plan of this life. */
static struct fault_plan lived;

static char *plan_text(void) {
    static char text[200];
    snprintf(
        text, sizeof text,
        "call %ld every %ld status %d refused %ld read %ld launch %ld bit %lu most %zu devices %d",
        lived.call, lived.every, lived.status, lived.refused, lived.read, lived.launch, lived.bit,
        lived.most, lived.devices);
    return text;
}

static void check_nothing_alive(void) {
    ck_assert_msg(
        !fault_count.devices && !fault_count.queues && !fault_count.buffers &&
            !fault_count.blocks && !fault_count.pins && !fault_count.events,
        "alive after %s: %ld devices, %ld queues, %ld buffers, %ld blocks, %ld pins, %ld events",
        plan_text(), fault_count.devices, fault_count.queues, fault_count.buffers,
        fault_count.blocks, fault_count.pins, fault_count.events);
}

/* One operation: its outcome is one that its faults allow. */
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

/* The end of a life, without faults. */
static void die(void) {
    fault_plan.call = fault_plan.refused = fault_plan.read = fault_plan.launch = 0;
    fault_plan.most = 0;
    session_put_down();
}

/* Another one at each call.  GMP's random numbers would be the device's already. */
static unsigned long any_bit(void) {
    static uint64_t calls;
    return ++calls * 0x9e3779b97f4a7c15u >> 40;
}

/* Of the life at hand. */
static long opening_calls, opening_kernels, opening_reads, opening_launches;

/* A life under a plan.  Returns whether there was a device when it began; `calls`
 * and the other counts are those of its end. */
static int live(struct fault_plan plan) {
    fault_restart();
    plan.real = fault_plan.real;
    plan.devices = plan.devices ? plan.devices : 1;
    fault_plan = lived = plan;
    session_anew();
    int open = session_wait() == OUTCOME_DONE;
    opening_calls = fault_count.calls;
    opening_kernels = fault_count.kernels;
    opening_reads = fault_count.reads;
    opening_launches = fault_count.launches;
    ck_assert_msg(open || fault_count.faults > 0, "not open: %s", plan_text());
    for (int op = first_operation; op <= last_operation; op++)
        check_operation((enum operation)op);
    int left_alone = open && session_wait() == OUTCOME_NONE;
    ck_assert_msg(left_alone >= (session_faults() >= 3), "in use: %s", plan_text());
    ck_assert_msg(left_alone <= (plan.every > 0), "not in use: %s", plan_text());
    return open;
}

/* A life without faults; returns the number of its calls. */
static long live_without(void) {
    ck_assert(live((struct fault_plan){0}));
    long calls = fault_count.calls;
    printf("%s: %ld calls, %ld of them while it opens, %ld reads\n", fault_plan.real->name, calls,
           opening_calls, (long)fault_count.reads);
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

/* The same; faults come once the device is open. */
static long begin_known(int i, const char *conf) {
    begin(i, conf);
    fault_is_known = true;
    return live_without();
}

static const int statuses[] = {GPU_FAILED, GPU_NOMEM, GPU_NOBUILD};
enum { STATUSES = sizeof statuses / sizeof *statuses };

static void live_with_one_fault(struct fault_plan plan) {
    live(plan);
    ck_assert_int_eq(fault_count.faults, 1);
    die();
    check_nothing_alive();
}

/* GPU_NOBUILD comes from where kernels are asked for. */
static void each_call_fails_once(long call, long calls, long kernel, long kernels) {
    for (; call <= calls; call++) {
        live_with_one_fault((struct fault_plan){.call = call, .status = GPU_FAILED});
        live_with_one_fault((struct fault_plan){.call = call, .status = GPU_NOMEM});
    }
    for (; kernel <= kernels; kernel++)
        live_with_one_fault((struct fault_plan){.refused = kernel});
}

START_TEST(each_call_of_opening_fails) {
    choose_operations(SHORT_ONES);
    begin(_i, "open:wait");
    each_call_fails_once(1, opening_calls, 1, opening_kernels);
}
END_TEST

START_TEST(each_call_fails) {
    choose_operations(_i % CHOICES);
    long calls = begin_known(_i / CHOICES, "open:wait");
    each_call_fails_once(opening_calls + 1, calls, opening_kernels + 1, fault_count.kernels);
}
END_TEST

/* From each call on every so many fail, another number at each.  If the device cannot be waited for
 * when its opening has failed, or that of the gathered products' way, what was made stays. */
static void calls_keep_failing_from(long call, long calls) {
    static const long distances[] = {1, 2, 3, 5, 17, 60};
    enum { DISTANCES = sizeof distances / sizeof *distances };
    keeps_memory = 1;
    for (; call <= calls; call++) {
        long distance = distances[call % DISTANCES];
        int open = live((struct fault_plan){
            .call = call, .every = distance, .status = statuses[call / DISTANCES % STATUSES]});
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
    calls_keep_failing_from(1, opening_calls);
}
END_TEST

START_TEST(calls_keep_failing) {
    choose_operations(_i % CHOICES);
    long calls = begin_known(_i / CHOICES, "open:wait");
    calls_keep_failing_from(opening_calls + 1, calls);
}
END_TEST

/* The first device fails at each call of its opening, or brings a wrong word to its
 * known-answer test, and the second is taken. */
START_TEST(next_device) {
    choose_operations(SHORT_ONES);
    begin(_i, "open:wait");
    long calls = opening_calls, reads = opening_reads;
    for (long call = 1; call <= calls; call++) {
        enum gpu_status status = statuses[call % STATUSES];
        ck_assert(live((struct fault_plan){.call = call, .status = status, .devices = 2}));
        /* (there are ways that a device goes on without) */
        ck_assert(opening_calls > calls || status != GPU_FAILED);
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

/* Operations until the one in which the device stops answering, and one more.  0 where
 * it was given up before, on a machine that is too busy for this watchdog. */
static int operate_until_hang(void) {
    for (int op = first_operation, over = 0; op <= last_operation && !over; op++) {
        over = fault_count.faults > 0;
        enum outcome outcome = operate((enum operation)op);
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

/* A device that stops answering is given up in time; when it answers after all, the
 * program has its memory back and keeps it. */
static int live_hanging(long call, double watchdog) {
    fault_restart();
    fault_plan = lived = (struct fault_plan){
        .real = fault_plan.real, .devices = 1, .call = call, .status = FAULT_HANGS};
    mpgpu_conf.watchdog = watchdog;
    session_anew();
    int hung = operate_until_hang();
    ck_assert_int_eq(session_wait(), OUTCOME_NONE);
    if (!hung) { /* it is at work: pinning.c may be moving the pages that are to be covered */
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

static void each_call_hangs_from(long call, long calls) {
    keeps_memory = 1;
    for (; call <= calls; call++)
        for (double watchdog = 0.05; !live_hanging(call, watchdog); watchdog *= 2)
            ck_assert_msg(watchdog < 60, "given up at call %ld", call);
}

START_TEST(each_call_of_opening_hangs) {
    choose_operations(SHORT_ONES);
    begin(_i, "open:wait");
    each_call_hangs_from(1, opening_calls);
}
END_TEST

START_TEST(each_call_hangs) {
    choose_operations(_i % CHOICES);
    long calls = begin_known(_i / CHOICES, "open:wait");
    each_call_hangs_from(opening_calls + 1, calls);
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

/* ---- wrong words, and what a program sees of them */

/* A life with GMP's functions and a wrong word in one of its operations: that which
 * read or launch number so-and-so brings: in a known answer, it ends the device's use.
 * Returns the faults found. */
static int live_verified(long read, long launch) {
    fault_restart();
    session_anew();
    ck_assert_int_eq(session_wait(), OUTCOME_DONE);
    fault_plan.read = read > 0 ? opening_reads + read : 0;
    fault_plan.launch = launch > 0 ? opening_launches + launch : 0;
    fault_plan.bit = any_bit();
    lived = fault_plan;
    for (int op = first_operation; op <= last_operation; op++) {
        unsigned long sent = call_sent();
        int found = session_faults(), in_use = session_wait() == OUTCOME_DONE;
        operate_as_program((enum operation)op);
        ck_assert_msg(result_is_right((enum operation)op), "operation %d: wrong: %s", op,
                      plan_text());
        ck_assert_msg(operands_survived(), "operation %d: operands: %s", op, plan_text());
        ck_assert_msg(call_sent() - sent == (in_use && session_faults() == found),
                      "operation %d: %lu sent: %s", op, call_sent() - sent, plan_text());
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
    choose_operations(_i % CHOICES);
    begin_known(_i / CHOICES / VERIFIED, verified[_i / CHOICES % VERIFIED]);
    ck_assert_int_eq(live_verified(0, 0), 0);
    long reads = fault_count.reads - opening_reads;
    for (int k = 0; k < 8; k++)
        for (long read = 1; read <= reads; read++)
            ck_assert_msg(live_verified(read, 0) == 1, "not found: %s", plan_text());
}
END_TEST

/* Words wrong on the device; a few are never read, so make no fault.  In WRAPAROUND all are. */
START_TEST(each_wrong_launch_is_found) {
    int found = 0, wraparound = _i % CHOICES == WRAPAROUND_ALONE;
    choose_operations(_i % CHOICES);
    begin_known(_i / CHOICES, "open:wait,mul:1,sqr:1,mulmod:1,add:1,verify:device");
    ck_assert_int_eq(live_verified(0, 0), 0);
    long launches = fault_count.launches - opening_launches;
    for (int k = 0; k < 5; k++)
        for (long launch = 1; launch <= launches; launch++)
            found += live_verified(0, launch);
    printf("%d found of %ld\n", found, 5 * launches);
    ck_assert_int_ge(found, wraparound ? 5 * launches : 4 * launches + 1);
}
END_TEST

int main(void) {
    session_open_any();
    return run_on_real_backends(
        "fault",
        TESTS(PER_DEVICE(each_call_of_opening_fails, 1), PER_DEVICE(each_call_fails, CHOICES),
              PER_DEVICE(calls_of_opening_keep_failing, 1), PER_DEVICE(calls_keep_failing, CHOICES),
              PER_DEVICE(next_device, 1), PER_DEVICE(each_call_of_opening_hangs, 1),
              PER_DEVICE(each_call_hangs, CHOICES), PER_DEVICE(memory_is_short, 1),
              PER_DEVICE(each_wrong_word_is_found, CHOICES * VERIFIED),
              PER_DEVICE(each_wrong_launch_is_found, CHOICES)));
}
