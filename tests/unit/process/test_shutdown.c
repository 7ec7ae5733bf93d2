/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests a program's exit while its device is being opened, computes, or hangs. The program is this
 * test itself, started with arguments. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/conf.h"
#include "lib/base/stats.h"
#include "lib/job/limbs.h"
#include "lib/session/session.h"
#include "tests/support/devices.h"
#include "tests/support/testing.h"

/* Multiplies for ever in a thread. With the argument "leave", this program opens the device, starts
 * such threads, and returns from main some time later. */
static void *square_for_ever(void *unused) {
    static const mp_limb_t up[3000] = {1};
    mp_limb_t *rp = malloc(6000 * sizeof *rp);
    for (;;)
        limbs_mul(rp, up, 3000, up, 3000);
    return unused;
}

static int leave(const char *microseconds, const char *threads) {
    pthread_t thread;
    session_init();
    session_ready();
    for (int k = atoi(threads); k > 0; k--)
        pthread_create(&thread, NULL, square_for_ever, NULL);
    usleep((useconds_t)atoi(microseconds));
    return 3;
}

/* An exit handler such as drivers register. It must not run while a thread is inside the driver. If
 * it does, the program exits with status 98, and the test fails. */
static void take_down(void *unused) {
    (void)unused;
    _exit(98);
}

/* __cxa_atexit registers exit handlers as C++ does for destructors of static objects. The test does
 * not use atexit, because sanitizers replace it. */
extern int __cxa_atexit(void (*function)(void *), void *argument, void *library);
extern void *__dso_handle __attribute__((visibility("hidden")));

static atomic_int hangs;

/* An operation that never ends, inside a driver that has registered the exit handler take_down. */
static enum gpu_status hang(struct context *s, void *unused) {
    (void)s, (void)unused;
    __cxa_atexit(take_down, NULL, &__dso_handle);
    atomic_store(&hangs, 1);
    for (;;)
        pause();
    return GPU_OK;
}

static void *begin_to_hang(void *unused) {
    int nothing = 0;
    session_run(hang, &nothing, sizeof nothing, 0);
    return unused;
}

/* Makes a thread hang in the driver. If `way` is "given up", the library stops using the device
 * after a second, the watchdog's time. Otherwise the device is still in use when the program or its
 * child exits. */
static int leave_hanging(const char *way) {
    pthread_t thread;
    session_init();
    if (session_wait() != OUTCOME_DONE)
        return 4;
    mpgpu_conf.watchdog = strcmp(way, "given up") == 0;
    pthread_create(&thread, NULL, begin_to_hang, NULL);
    while (!atomic_load(&hangs))
        usleep(1000);
    if (mpgpu_conf.watchdog > 0)
        pthread_join(thread, NULL);
    if (strcmp(way, "forked") != 0)
        return 3;
    if (fork() == 0)
        exit(3);
    int status;
    _exit(wait(&status) < 0 || !WIFEXITED(status) ? 5 : WEXITSTATUS(status));
}

/* Starts this program with these arguments. The program must exit with status 3. */
static void start(int i, const char *more, const char *first, const char *second,
                  const char *third) {
    int status;
    pid_t child = fork();
    if (child == 0) {
        configure(i, more);
        execl("/proc/self/exe", "test_leaving", first, second, third, NULL);
        _exit(1);
    }
    waitpid(child, &status, 0);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 3, "%s %s: status %x", first, second,
                  status);
}

/* Returns the most seconds that an exit may take. An exit waits for at most one build of a kernel,
 * and at most ten seconds; a busy machine needs more. */
static double leave_seconds(void) {
    return 60 * (double)testing_option("CK_TIMEOUT_MULTIPLIER", 1);
}

static void start_and_leave(int i, const char *more, unsigned microseconds, const char *threads) {
    char delay[16];
    snprintf(delay, sizeof delay, "%u", microseconds);
    double begin = stats_clock();
    start(i, more, "leave", delay, threads);
    ck_assert_double_lt(stats_clock() - begin, leave_seconds());
}

START_TEST(exit_while_opening) {
    for (int k = 0; k < 50; k++)
        start_and_leave(_i, "open:now", k < 10 ? 0 : testing_below(300000), "0");
}
END_TEST

START_TEST(exit_while_building) {
    setenv("POCL_KERNEL_CACHE", "0", 1); /* PoCL's own */
    for (int k = 0; k < 5; k++)
        start_and_leave(_i, "open:now,cache:/dev/null/none", testing_below(1000000), "0");
}
END_TEST

START_TEST(exit_while_working) {
    for (int k = 0; k < 20; k++)
        start_and_leave(_i, "open:wait", testing_below(100000), "2");
}
END_TEST

/* While a thread is inside the driver, the driver's exit handlers must not run, however long the
 * driver's call takes. */
START_TEST(exit_while_hanging) {
    static const char *ways[] = {"given up", "waited for", "forked"};
    for (int k = 0; k < 3; k++)
        start(_i, "open:wait,watchdog:0", "hang", ways[k], NULL);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_loop_test(tests, exit_while_opening, 0, device_count);
    tcase_add_loop_test(tests, exit_while_building, 0, device_count);
    tcase_add_loop_test(tests, exit_while_working, 0, device_count);
    tcase_add_loop_test(tests, exit_while_hanging, 0, device_count);
}

int main(int argc, char **argv) {
    session_open_any();
    if (argc == 4 && strcmp(argv[1], "leave") == 0)
        return leave(argv[2], argv[3]);
    if (argc == 3 && strcmp(argv[1], "hang") == 0)
        return leave_hanging(argv[2]);
    return run_on_devices("leaving", 600, add_tests);
}
