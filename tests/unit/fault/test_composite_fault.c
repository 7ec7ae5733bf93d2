/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests composite operations (GMP functions that compute several products) on a device that fails.
 * In each session one operation runs with one fault: a call fails or hangs, calls keep failing,
 * memory is short, or a word that is read or that a launch has written is wrong. The result must be
 * GMP's, operands must be unchanged, and nothing may stay allocated.
 *
 * MPGPU_TEST_PLACES is the number of positions at which a fault is tried; 0: at every position.
 * MPGPU_TEST_OPERATION chooses one operation by its name, MPGPU_TEST_ONLY one test. */
#include <string.h>

#include "compat/intercept/call.h"
#include "lib/base/conf.h"
#include "lib/device/answers.h"
#include "lib/memory/reclaim.h"
#include "lib/session/session.h"
#include "tests/support/session_anew.h"
#include "tests/support/testing.h"
#include "tests/unit/fault/fault_composites.h"
#include "tests/unit/fault/fault_devices.h"

const struct gpu_backend *const gpu_backends[] = {&fault_backend, NULL};

enum { PLACES = 4, FAULTS = 3, ANSWERS_BYTES = ANSWERS_MOST * sizeof(uint64_t) };

static const int statuses[] = {GPU_FAILED, GPU_NOMEM, GPU_NOBUILD};
enum { STATUSES = sizeof statuses / sizeof *statuses };

static const char *plan_text(void) {
    static char text[300];
    snprintf(text, sizeof text, "%s: %s", composite_name(), fault_text(&fault_plan));
    return text;
}

/* Opens a device without faults, on which a single allocation may have at most `most` bytes (0: no
 * limit). Returns false if the device cannot be opened with so little memory. */
static bool begin_life(size_t most) {
    learn_opening();
    fault_restart();
    fault_plan.most = most;
    /* allows only one kernel at a time; begin_session in fault_devices.h says why */
    fault_plan.alone = 1;
    session_anew();
    return session_wait() == OUTCOME_DONE;
}

static void end_life(void) {
    session_calm();
    fault_plan.call = fault_plan.read = fault_plan.launch = 0;
    fault_plan.most = 0;
    session_put_down();
    check_released();
}

/* The numbers of backend calls, reads and launches that one operation makes. Each of them is a
 * position for a fault. */
struct places {
    long calls, reads, launches;
};

static struct places counted(void) {
    return (struct places){fault_count.calls, fault_count.reads, fault_count.launches};
}

/* Runs the operation in a session without faults, which must use the device. Returns its numbers of
 * backend calls, reads and launches. */
static struct places measure(void) {
    ck_assert(begin_life(0));
    struct places before = counted();
    unsigned long sent = call_sent();
    composite_call();
    struct places after = counted();
    composite_check("no faults");
    sent = call_sent() - sent;
    ck_assert_msg(sent > 0 && sent <= composite_sends(), "%s: %lu sent", composite_name(), sent);
    ck_assert_int_eq(session_faults(), 0);
    end_life();
    return (struct places){after.calls - before.calls, after.reads - before.reads,
                           after.launches - before.launches};
}

/* Returns the distance between two positions at which a fault is tried. */
static long step(long places) {
    long wanted = (long)testing_option("MPGPU_TEST_PLACES", PLACES);
    return wanted == 0 || places <= wanted ? 1 : places / wanted;
}

/* Plans faults: backend call number `call`, counted from now, fails with `status`. If `every` is
 * not 0, every `every`-th call after it fails, too. */
static void fail_from_now(long call, long every, int status) {
    fault_plan.every = every;
    fault_plan.status = status;
    fault_plan.call = fault_count.calls + call;
}

/* Checks that the library stops using the device after FAULTS faults, and not before. */
static void check_use(void) {
    bool in_use = session_wait() == OUTCOME_DONE;
    ck_assert_msg(in_use == (session_faults() < FAULTS), "%d faults, in use %d: %s",
                  session_faults(), in_use, plan_text());
}

static void each_call_fails_of(struct places places) {
    for (long call = 1, k = 0; call <= places.calls; call += step(places.calls), k++) {
        ck_assert(begin_life(0));
        fail_from_now(call, 0, statuses[k % STATUSES]);
        composite_call();
        composite_check(plan_text());
        ck_assert_msg(session_faults() <= 1, "%d faults: %s", session_faults(), plan_text());
        ck_assert_msg(fault_count.strays == 0, "strays: %s", plan_text());
        check_use();
        end_life();
        /* Returns freed memory to the system, as after ten idle seconds, so that the next
         * session's memory has new pages. */
        reclaim_purge(0);
    }
}

/* Backend calls keep failing. If waiting for the device fails, too, the device's memory must stay
 * allocated. */
static void calls_keep_failing_of(struct places places) {
    static const long distances[] = {1, 2, 5, 17, 60};
    enum { DISTANCES = sizeof distances / sizeof *distances };
    keeps_memory = 1;
    for (long call = 1, k = 0; call <= places.calls; call += step(places.calls), k++) {
        ck_assert(begin_life(0));
        fail_from_now(call, distances[k % DISTANCES], statuses[k / DISTANCES % STATUSES]);
        for (int again = 0; again < 2; again++) {
            composite_call();
            composite_check(plan_text());
        }
        if (session_faults() >= FAULTS)
            ck_assert_msg(session_wait() == OUTCOME_NONE, "in use: %s", plan_text());
        session_calm();
        fault_plan.call = 0;
        session_put_down();
        fault_forget();
    }
}

/* Runs the operation while a call hangs. Returns false if the library has stopped using the device
 * before that call: on a busy machine the watchdog's time can pass without a hang. */
static bool hang(long call, double watchdog) {
    ck_assert(begin_life(0));
    mpgpu_conf.watchdog = watchdog;
    fail_from_now(call, 0, FAULT_HANGS);
    composite_call();
    bool has_hung = fault_count.faults > 0;
    composite_check(plan_text());
    /* if true, the operation made fewer calls than when it was measured, so none hung */
    bool in_use = session_wait() == OUTCOME_DONE;
    ck_assert_msg(!has_hung || !in_use, "in use: %s", plan_text());
    composite_call();
    composite_protect();
    fault_answer();
    session_calm();
    composite_restore(plan_text());
    mpgpu_conf.watchdog = 0;
    end_life();
    return has_hung || in_use;
}

static void each_call_hangs_of(struct places places) {
    keeps_memory = 1;
    for (long call = 1; call <= places.calls; call += 2 * step(places.calls))
        for (double watchdog = 0.1; !hang(call, watchdog); watchdog *= 4)
            ck_assert_msg(watchdog < 60, "given up: %s", plan_text());
}

static void memory_is_short_of(struct places places) {
    (void)places;
    for (size_t most = 1 << 14; most < 1 << 23; most += most / 2) {
        bool open = begin_life(most);
        composite_call();
        composite_check(plan_text());
        ck_assert_msg(session_faults() == 0, "%d faults: %s", session_faults(), plan_text());
        ck_assert_msg(open == (session_wait() == OUTCOME_DONE), "in use: %s", plan_text());
        end_life();
    }
}

/* Returns the next number of a pseudo-random sequence. */
static unsigned long any_bit(void) {
    static uint64_t calls;
    return ++calls * 0x9e3779b97f4a7c15u >> 40;
}

enum { FLAG_BYTES = 2 * sizeof(uint32_t), STATE_BYTES = 2 * sizeof(uint64_t), WHOLE_BYTES = 2048 };

/* Tests operations that the device computes as one job. Makes a word wrong in a read of at least
 * WHOLE_BYTES. each_wrong_answer tests shorter reads. */
static void each_wrong_word_of_whole(struct places places) {
    for (long read = 1; read <= places.reads; read++) {
        ck_assert(begin_life(0));
        fault_plan.bit = any_bit();
        fault_plan.read_least = WHOLE_BYTES;
        fault_plan.read_most = ANSWERS_BYTES - 1;
        fault_plan.read = fault_count.reads + read;
        composite_call();
        long faults = fault_count.faults;
        composite_check(plan_text());
        ck_assert_msg(session_faults() == faults, "%d faults: %s", session_faults(), plan_text());
        end_life();
        if (faults == 0)
            break;
    }
}

/* Makes a word wrong on its way to the host. With an option `verify` by which the host checks
 * results, the host must find each wrong word. If the word belongs to a self-test, the library must
 * not use that kernel. */
static void each_wrong_word_of(struct places places) {
    if (composite_is_whole()) {
        each_wrong_word_of_whole(places);
        return;
    }
    for (long read = 1; read <= places.reads; read += step(places.reads)) {
        ck_assert(begin_life(0));
        fault_plan.bit = any_bit();
        fault_plan.read = fault_count.reads + read;
        composite_call();
        composite_check(plan_text());
        ck_assert_msg(session_faults() == 1, "%d faults: %s", session_faults(), plan_text());
        end_life();
    }
}

/* Short reads that are made wrong. They return flags and other small results of the device, such as
 * whether its check has passed. */
static const struct answer {
    size_t least, most; /* only reads of this many bytes are counted */
    uint64_t entry;     /* that is wrong */
    /* how many bits of the data can be changed, beginning at the word `entry` */
    unsigned long bits;
} answers[] = {{0, FLAG_BYTES, 0, 64},
               {0, FLAG_BYTES, 0, 1},
               {STATE_BYTES, STATE_BYTES, 0, 128}, /* the check's state */
               {ANSWERS_BYTES, ANSWERS_BYTES, ANSWER_OPEN, 64}};
enum { ANSWERS = sizeof answers / sizeof *answers };

/* Runs the operation with a wrong word in read number `read` of this kind. Returns false if the
 * operation makes fewer such reads. */
static bool live_with_wrong_answer(const struct answer *answer, long read) {
    ck_assert(begin_life(0));
    fault_plan.bit = 64 * answer->entry + any_bit() % answer->bits;
    fault_plan.read_least = answer->least;
    fault_plan.read_most = answer->most;
    fault_plan.read = fault_count.reads + read;
    composite_call();
    bool is_there = fault_count.faults > 0;
    composite_check(plan_text());
    ck_assert_msg(session_faults() <= 1, "%d faults: %s", session_faults(), plan_text());
    end_life();
    return is_there;
}

static void each_wrong_answer_of(struct places places) {
    for (int i = 0; i < ANSWERS; i++)
        for (long read = 1; read <= places.reads; read++)
            if (!live_with_wrong_answer(&answers[i], read))
                break;
}

/* launches after which the check has found the wrong word, and all launches with a wrong word */
static long found, spoiled;

/* Makes a word on the device wrong after a launch, one launch in each session. The word is part of
 * the number that the launch has written, or the first word of the launch's buffer. */
static void each_wrong_launch_of(struct places places) {
    for (long launch = 1; launch <= places.launches; launch += step(places.launches)) {
        ck_assert(begin_life(0));
        fault_plan.bit = any_bit();
        fault_plan.in_number = launch % 4 != 0;
        fault_plan.launch = fault_count.launches + launch;
        composite_call();
        composite_check(plan_text());
        ck_assert_msg(session_faults() <= 1, "%d faults: %s", session_faults(), plan_text());
        found += session_faults();
        spoiled++;
        end_life();
    }
}

static const char device_check[] = "open:wait,watchdog:0,dispatch:fixed,mul:1,sqr:1,mulmod:1,"
                                   "add:never,verify:device";
static const char residues[] = "open:wait,watchdog:0,dispatch:fixed,mul:1,sqr:1,mulmod:1,"
                               "add:never,verify:residue";
static const char in_full[] = "open:wait,watchdog:0,dispatch:fixed,mul:1,sqr:1,mulmod:1,"
                              "add:never,verify:full";

/* Runs the test for each operation. With verify:full it leaves out operations that the device
 * computes as one job with verify:residue, because GMP computes these. */
static void for_each_operation(int i, const char *conf, void (*test)(struct places places)) {
    const char *only = getenv("MPGPU_TEST_OPERATION");
    setenv("MPGPU_CONF", conf, 1);
    fault_plan.real = reals[i];
    call_init();
    for (int op = 0; op < composites_count(); op++) {
        fault_restart();
        fault_plan.devices = 0;
        session_anew();
        composite_choose(op);
        session_put_down();
        bool is_ours = conf != in_full || !composite_is_whole();
        if (is_ours && (!only || strcmp(only, composite_name()) == 0))
            test(measure());
    }
}

#define TEST(name, conf, of)                                                                       \
    START_TEST(name) {                                                                             \
        for_each_operation(_i, conf, of);                                                          \
    }                                                                                              \
    END_TEST

TEST(each_call_fails, device_check, each_call_fails_of)
TEST(calls_keep_failing, device_check, calls_keep_failing_of)
TEST(each_call_hangs, device_check, each_call_hangs_of)
TEST(memory_is_short, device_check, memory_is_short_of)
TEST(each_wrong_word_is_found, residues, each_wrong_word_of)
TEST(each_wrong_word_is_found_in_full, in_full, each_wrong_word_of)
TEST(each_wrong_answer, device_check, each_wrong_answer_of)

START_TEST(each_wrong_launch) {
    for_each_operation(_i, device_check, each_wrong_launch_of);
    printf("%ld found of %ld\n", found, spoiled);
    ck_assert_int_gt(3 * found, spoiled);
}
END_TEST

int main(void) {
    session_open_any();
    return run_on_real_backends(
        "composite faults",
        TESTS(PER_DEVICE(each_call_fails, 1), PER_DEVICE(calls_keep_failing, 1),
              PER_DEVICE(each_call_hangs, 1), PER_DEVICE(memory_is_short, 1),
              PER_DEVICE(each_wrong_word_is_found, 1),
              PER_DEVICE(each_wrong_word_is_found_in_full, 1), PER_DEVICE(each_wrong_answer, 1),
              PER_DEVICE(each_wrong_launch, 1)));
}
