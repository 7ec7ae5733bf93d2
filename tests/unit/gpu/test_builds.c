/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests builds of programs by several processes at the same time. Each program must be built only
 * once, by one process. If a process ends during its build, another one must build the program. */
#include <check.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpu/build/builds.h"
#include "tests/support/testing.h"

static struct builds *shared;
static unsigned started; /* number of programs for which helper processes were started */

static void start(unsigned count) {
    started = count;
}

static void set_up(void) {
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(shared, MAP_FAILED);
    started = 0;
    builds_share(shared, start);
}

static void tear_down(void) {
    munmap(shared, sizeof *shared);
}

static const uint16_t list[] = {7, 5, 3, 1};

/* Returns true for programs 5 and 1, as if the device's cache lacked them. */
static bool is_missing(const void *dev, enum gpu_program program) {
    ck_assert_ptr_eq(dev, list);
    return program == 5 || program == 1;
}

static struct gpu_builds_numbers numbers(void) {
    struct gpu_builds_numbers n;
    gpu_builds_ask(&n);
    return n;
}

START_TEST(test_missing) {
    gpu_expect(true, 2, 4, list);
    builds_ahead(3, true, is_missing, list);
    ck_assert_uint_eq(started, 2);
    ck_assert_int_eq(shared->device, 3);
    ck_assert_uint_eq(shared->missing.count, 2);
    ck_assert_uint_eq(shared->missing.first, 1);
    ck_assert_uint_eq(shared->missing.program[0], 5);
    ck_assert_uint_eq(shared->missing.program[1], 1);
    ck_assert_uint_eq(numbers().wanted, 1); /* only the programs of the first device are counted */
    started = 0;
    builds_ahead(3, true, is_missing, list);
    ck_assert_uint_eq(started, 0); /* once */
}
END_TEST

START_TEST(test_once) {
    ck_assert(builds_begin(4));
    /* a helper process must not begin a build that this process has begun */
    ck_assert(!builds_take(4));
    ck_assert_uint_eq(numbers().wanted, 1);
    ck_assert_uint_eq(numbers().done, 0);
    builds_end(4, true);
    ck_assert(!builds_begin(4)); /* another process has built the program, so it is in the cache */
    ck_assert_uint_eq(numbers().done, 1);
    ck_assert(builds_begin(6));
    builds_end(6, false);
    /* the build has failed, so any process that needs the program must try again */
    ck_assert(builds_begin(6));
    builds_end(6, true);
}
END_TEST

static pid_t helper(bool ends_well) {
    pid_t pid = fork();
    if (pid == 0) {
        bool taken = builds_take(8);
        usleep(200000);
        if (ends_well)
            builds_end(8, true);
        _exit(taken ? 0 : 1);
    }
    while (atomic_load(&shared->owner[8]) == 0)
        usleep(1000);
    return pid;
}

START_TEST(test_waits_for_helper) {
    int status = -1;
    pid_t pid = helper(true);
    ck_assert(!builds_begin(8));
    ck_assert_uint_eq(atomic_load(&shared->owner[8]), BUILDS_DONE);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
}
END_TEST

START_TEST(test_helper_ends) {
    pid_t pid = helper(false);
    /* the helper process has ended during its build, so the caller must build */
    ck_assert(builds_begin(8));
    ck_assert_uint_eq(atomic_load(&shared->owner[8]), (unsigned)getpid());
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
    builds_end(8, true);
}
END_TEST

/* While the program is ending (after gpu_stop), no thread may wait until a helper process has built
 * a program. */
START_TEST(test_stopped) {
    pid_t pid = helper(true);
    gpu_stop();
    ck_assert(!builds_begin(8));
    ck_assert_uint_eq(atomic_load(&shared->owner[8]), (unsigned)pid);
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}
END_TEST

START_TEST(test_clock) {
    struct builds_clock begun = builds_clock();
    usleep(1000);
    uint64_t before = gpu_builds_waited_here();
    builds_wait_ended(begun); /* nothing was built */
    ck_assert_uint_eq(gpu_builds_waited_here(), before);
    builds_count();
    builds_wait_ended(begun);
    ck_assert_uint_ge(gpu_builds_waited_here(), before + 1000000);
    ck_assert_uint_eq(numbers().waited_ns, gpu_builds_waited_here());
}
END_TEST

int main(void) {
    testing_set_up = set_up;
    testing_tear_down = tear_down;
    return testing_main("builds", 60,
                        TESTS(ONCE(test_missing), ONCE(test_once), ONCE(test_waits_for_helper),
                              ONCE(test_helper_ends), ONCE(test_stopped), ONCE(test_clock)));
}
