/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests which thread runs a signal's handler while a thread waits in a call of the library. For a
 * signal to the process, it must be the main thread, as without the library, unless that blocks the
 * signal. */
#define _GNU_SOURCE 1 /* clone */
#include "config.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/process/signal_guard.h"
#include "tests/support/testing.h"

enum { STACK = 1 << 16, LOOKS = 20, LOOK_US = 2000 };

static atomic_int is_asleep, may_wake; /* the main thread */
static atomic_int ran_in;              /* the number of the thread that has run the handler */

static int number(void) {
    return (int)syscall(SYS_gettid);
}

static void note(int signal) {
    (void)signal;
    atomic_store(&ran_in, number());
}

/* Runs in a child that shares the caller's memory (vfork): sleeps until may_wake. Until the child
 * ends, the thread that created it can handle no signal, although it blocks none. */
static int sleep_in_child(void *unused) {
    (void)unused;
    atomic_store(&is_asleep, 1);
    while (!atomic_load(&may_wake))
        usleep(LOOK_US);
    return 0;
}

static void sleep_without_signals(void) {
    static _Alignas(16) char stack[STACK];
    int pid = clone(sleep_in_child, stack + STACK, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
    ck_assert_int_gt(pid, 0);
    waitpid(pid, NULL, 0);
}

static void look_often(void) {
    for (int i = 0; i < LOOKS; i++) {
        signal_guard_let_pass();
        usleep(LOOK_US);
    }
}

/* Sends a signal by the function `to`. Returns the number of the thread that has run the handler,
 * or 0 if none has. */
static int send(void (*to)(void)) {
    to();
    look_often();
    return atomic_exchange(&ran_in, 0);
}

static void to_process(void) {
    kill(getpid(), SIGUSR1);
}

static void to_thread(void) {
    pthread_kill(pthread_self(), SIGUSR1);
}

static int here, to_process_ran, to_thread_ran;

static void *wait_in_call(void *unused) {
    struct signal_guard guard;
    while (!atomic_load(&is_asleep))
        usleep(LOOK_US);
    here = number();
    signal_guard_begin(&guard);
    signal_guard_let_in(&guard);
    to_thread_ran = send(to_thread);
    to_process_ran = send(to_process);
    atomic_store(&may_wake, 1);
    while (to_process_ran == 0 && atomic_load(&ran_in) == 0)
        /* waits for the handler in the main thread, because signal_guard_end would otherwise run
         * the handler here */
        usleep(LOOK_US);
    signal_guard_end(&guard);
    return unused;
}

static pthread_t begin(int blocked) {
    pthread_t thread;
    sigset_t usr1;
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    signal(SIGUSR1, note);
    ck_assert_int_eq(pthread_create(&thread, NULL, wait_in_call, NULL), 0);
    pthread_sigmask(blocked ? SIG_BLOCK : SIG_UNBLOCK, &usr1, NULL);
    return thread;
}

START_TEST(main_thread_takes_it) {
    pthread_t thread = begin(0);
    sleep_without_signals();
    pthread_join(thread, NULL);
    ck_assert_int_eq(to_thread_ran, here);
    ck_assert_int_eq(to_process_ran, 0);
    ck_assert_int_eq(atomic_load(&ran_in), number());
}
END_TEST

START_TEST(main_thread_blocks_it) {
    pthread_t thread = begin(1);
    atomic_store(&is_asleep, 1);
    pthread_join(thread, NULL);
    ck_assert_int_eq(to_thread_ran, here);
    ck_assert_int_eq(to_process_ran, here);
}
END_TEST

int main(void) {
    return testing_main("signal guard", 4,
                        TESTS(ONCE(main_thread_takes_it), ONCE(main_thread_blocks_it)));
}
