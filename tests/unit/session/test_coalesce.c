/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests small products of several threads, which the library coalesces: it computes them in common
 * launches. Results must be right, whatever the options, the threads and other activities of the
 * process. PoCL computes the products column by column, unless algorithm:block is set. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/conf.h"
#include "lib/session/coalesce.h"
#include "lib/session/session_device.h"
#include "lib/session/session.h"
#include "tests/support/coalesced.h"
#include "tests/support/session_anew.h"
#include "tests/support/testing.h"
#include "tests/unit/fault/fault_devices.h"

const struct gpu_backend *const gpu_backends[] = {&fault_backend, NULL};

enum { THREADS = 8, ROUNDS = 30, COLUMNS = 128, TRANSFORMS = 500, NEEDED_QUEUES = 5 };

static void begin(int i, const char *conf) {
    char all[128];
    snprintf(all, sizeof all, "dispatch:fixed,mul:1,sqr:1,mulmod:1,%s", conf);
    begin_session(reals[i], coalesced_prepare, all);
}

/* Checks that all products were computed and right, and that the device is still in use. If
 * `coalesced` is true, the library must have used common launches; otherwise it must not. */
static void check(const struct coalesced *g, bool coalesced) {
    char about[512];
    session_describe(about, sizeof about);
    ck_assert_msg(g->done == (long)(g->threads * g->rounds),
                  "%ld done, %ld not, %ld wrong; outcome %d; %d faults; device: %s", g->done,
                  g->not_done, g->wrong, g->outcome, session_faults(), about);
    ck_assert_int_eq(session_faults(), 0);
    ck_assert_int_eq(coalesce_is_open(&session_device(0)->coalesce), coalesced);
}

static void work(struct coalesced g, bool coalesced) {
    coalesced_run(&g);
    check(&g, coalesced);
}

static const struct {
    const char *conf;
    unsigned long most; /* limbs */
    /* calls GMP's public functions, because there the host checks the results */
    bool as_program;
} ways[] = {
    {"verify:device", COLUMNS, false},
    {"verify:off", COLUMNS, false},
    {"verify:residue", COLUMNS, true},
    {"verify:full", COLUMNS, true},
    {"verify:device,clear:true", COLUMNS, false},
    {"verify:device,streams:3", COLUMNS, false},
    {"verify:device,algorithm:block", TRANSFORMS, false},
    {"verify:off,algorithm:block", TRANSFORMS, false},
    {"verify:full,algorithm:block", TRANSFORMS, true},
    {"verify:device,algorithm:block,clear:true", TRANSFORMS, false},
};
enum { WAYS = sizeof ways / sizeof *ways };

START_TEST(right_by_all_ways) {
    begin(_i / WAYS, ways[_i % WAYS].conf);
    work((struct coalesced){.threads = THREADS,
                            .rounds = ROUNDS,
                            .most = ways[_i % WAYS].most,
                            .as_program = ways[_i % WAYS].as_program},
         true);
    end_session();
}
END_TEST

/* Tests many more threads than slots. A slot is a place for one small product in the memory that
 * the kernels read. */
START_TEST(more_threads_than_slots) {
    begin(_i, "verify:device");
    struct coalesced g = {.threads = 2 * COALESCE_SLOTS, .rounds = ROUNDS, .most = 40};
    coalesced_run(&g);
    check(&g, true);
    ck_assert_int_lt(fault_count.launches, g.done);
    end_session();
}
END_TEST

START_TEST(many_threads_once) {
    begin(_i, "verify:device");
    work((struct coalesced){.threads = 1000, .rounds = 1, .most = COLUMNS}, true);
    end_session();
}
END_TEST

/* If the device allows fewer queues than coalesced products need, the library must compute each
 * product by itself. */
START_TEST(fewer_queues) {
    for (long more = 0; more <= NEEDED_QUEUES; more++) {
        begin(_i, "verify:device");
        fault_plan.queues = fault_count.queues + more;
        struct coalesced g = {.threads = THREADS, .rounds = 4, .most = COLUMNS};
        coalesced_run(&g);
        check(&g, fault_count.faults == 0);
        ck_assert_int_eq(coalesce_is_open(&session_device(0)->coalesce), more >= NEEDED_QUEUES);
        end_session();
    }
}
END_TEST

static const struct {
    const char *conf;
    bool coalesced;
} limits[] = {{"memory:4M", false}, {"memory:16M", false}, {"memory:1G", true}};
enum { LIMITS = sizeof limits / sizeof *limits };

START_TEST(little_memory) {
    begin(_i / LIMITS, limits[_i % LIMITS].conf);
    work((struct coalesced){.threads = THREADS, .rounds = ROUNDS, .most = COLUMNS},
         limits[_i % LIMITS].coalesced);
    end_session();
}
END_TEST

/* Runs in a child of fork, where no device is usable: GMP must compute. */
static int be_child(void) {
    mp_limb_t x[40], r[80], squares = 0;
    if (session_wait() != OUTCOME_FORKED)
        return 1;
    memset(x, 0xff, sizeof x);
    mpn_mul_n(r, x, x, 40); /* B = 2^64: (B^40 - 1)^2 = B^80 - 2 B^40 + 1 */
    for (int i = 1; i < 40; i++)
        squares |= r[i] | ~r[i + 40];
    return r[0] == 1 && r[40] == ~(mp_limb_t)1 && squares == 0 ? 0 : 2;
}

static void fork_often(void) {
    for (int k = 0; k < 20; k++) {
        int status = 0;
        pid_t child = fork();
        if (child == 0)
            _exit(be_child());
        waitpid(child, &status, 0);
        ck_assert_int_eq(status, 0);
        usleep(1000);
    }
}

START_TEST(forks) {
    struct coalesced g = {.threads = THREADS, .rounds = 200, .most = 60};
    begin(_i, "verify:device");
    coalesced_begin(&g);
    fork_often();
    coalesced_end(&g);
    check(&g, true);
    end_session();
}
END_TEST

/* The main thread repeatedly stops the coalescing of products (coalesce_pause) and continues it.
 * All products of the other threads must be computed. */
START_TEST(held) {
    struct coalesced g = {.threads = 2 * COALESCE_SLOTS, .rounds = 20, .most = 60};
    begin(_i, "verify:device");
    coalesced_begin(&g);
    for (int k = 0; k < 20; k++) {
        struct coalesce *g = &session_device(0)->coalesce;
        ck_assert(coalesce_pause(g, event_clock() + event_nanoseconds(60)));
        coalesce_trim(g);
        coalesce_resume(g);
        usleep(1000);
    }
    coalesced_end(&g);
    check(&g, true);
    end_session();
}
END_TEST

/* Ends the process while its threads multiply, or before they have begun to multiply. */
static _Noreturn void end_at_work(int i, unsigned microseconds) {
    static struct coalesced g = {.threads = THREADS, .rounds = 1u << 30, .most = 60};
    begin(i, "verify:device");
    coalesced_begin(&g);
    usleep(microseconds);
    exit(0);
}

START_TEST(exits) {
    for (unsigned k = 0; k < 10; k++) {
        int status = 0;
        time_t start = time(NULL);
        pid_t child = fork();
        if (child == 0)
            end_at_work(_i, k * 7000);
        waitpid(child, &status, 0);
        ck_assert_int_eq(status, 0);
        ck_assert_int_lt(time(NULL) - start, 8);
    }
}
END_TEST

int main(void) {
    session_open_any();
    return run_on_real_backends(
        "coalesce", TESTS(PER_DEVICE(right_by_all_ways, WAYS),
                          PER_DEVICE(more_threads_than_slots, 1), PER_DEVICE(many_threads_once, 1),
                          PER_DEVICE(fewer_queues, 1), PER_DEVICE(little_memory, LIMITS),
                          PER_DEVICE(forks, 1), PER_DEVICE(held, 1), PER_DEVICE(exits, 1)));
}
