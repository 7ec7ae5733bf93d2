/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The end of the program, and fork. */
#include "config.h"

#include "leaving.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../gpu/gpu.h"
#include "last.h"
#include "takedown.h"

enum { EXIT_SECONDS = 10, FORK_SECONDS = 2 }; /* the longest waits */

static int (*_Atomic hold)(int seconds); /* set last */
static void (*let_go)(void);
static int (*inside)(void);
static atomic_int ending, in_child, main_has_ended;
static _Thread_local int fork_holds; /* between prepare and its end */

int leaving_now(void) {
    return atomic_load(&ending);
}

int leaving_in_child(void) {
    return atomic_load_explicit(&in_child, memory_order_relaxed);
}

/* Nobody may be at work in a driver when what it has registered for the end is run. */
static void wait_for_all(void) {
    if (!inside() && hold(EXIT_SECONDS))
        let_go();
    else
        takedown_forbid();
}

/* The first call does it; the others come when the first has waited, or end the wait: another
 * thread that calls exit, or a handler of a signal. */
static void leave(void) {
    static atomic_int waited;
    if (leaving_in_child())
        return;
    if (!atomic_exchange(&ending, 1)) {
        gpu_stop();
        wait_for_all();
        atomic_store(&waited, 1);
    } else if (!atomic_load(&waited)) {
        takedown_forbid();
    }
}

void leaving_begin(void) {
    if (hold)
        leave();
}

static void before_fork(void) {
    fork_holds = !inside() && hold(FORK_SECONDS);
}

static void after_fork(void) {
    if (fork_holds)
        let_go();
}

static void after_fork_in_child(void) {
    atomic_store(&in_child, 1);
    takedown_forbid();
}

/* What libstdc++ registers thread_local destructors with.  exit() runs those of
 * its thread before any handler of atexit.  That order matters: libraries that a
 * driver brings register destructors while they are loaded, and these would run
 * while our thread is still inside them if the program ended just then. */
extern int __cxa_thread_atexit_impl(void (*function)(void *), void *object, void *library)
    __attribute__((weak));
extern void *__dso_handle __attribute__((visibility("hidden")));

static void leave_main_thread(void *unused) {
    (void)unused;
    leaving_begin();
}

/* Once there are threads of ours and the main thread has ended: the program's threads go on, and
 * with the last of them the process has to end. */
static void watch_threads(void) {
    static atomic_int watched;
    if (hold && atomic_load(&main_has_ended) && !atomic_exchange(&watched, 1))
        last_watch(leave);
}

/* At pthread_exit of the main thread, which runs destructors of keys but not those. */
static void end_main_thread(void *unused) {
    (void)unused;
    atomic_store(&main_has_ended, 1);
    if (!leaving_in_child())
        watch_threads();
}

static __attribute__((constructor)) void watch_main_thread(void) {
    static pthread_key_t key;
    if (syscall(SYS_gettid) != (long)getpid())
        return;
    if (__cxa_thread_atexit_impl)
        __cxa_thread_atexit_impl(leave_main_thread, NULL, &__dso_handle);
    if (pthread_key_create(&key, end_main_thread) == 0)
        pthread_setspecific(key, &key);
}

void leaving_prepare(int (*hold_function)(int seconds), void (*let_go_function)(void),
                     int (*inside_function)(void)) {
    let_go = let_go_function;
    inside = inside_function;
    hold = hold_function;
    pthread_atfork(before_fork, after_fork, after_fork_in_child);
    atexit(leave);
    watch_threads();
}

void leaving_prepare_again(void) {
    if (!leaving_now())
        atexit(leave);
}
