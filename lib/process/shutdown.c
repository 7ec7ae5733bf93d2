/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The end of the program, and fork. */
#include "config.h"

#include "lib/process/shutdown.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "gpu/gpu.h"
#include "lib/process/next_in_libc.h"
#include "lib/process/last_thread.h"
#include "lib/base/process.h"
#include "lib/process/atexit_guard.h"
#include "lib/process/worker.h"

enum { EXIT_SECONDS = 10, FORK_SECONDS = 2 }; /* the longest waits */

static int (*_Atomic hold)(int seconds); /* set last */
static void (*let_go)(void);
static int (*inside)(void);
static atomic_int ending, in_child, main_has_ended;
static _Thread_local int fork_holds; /* between prepare and its end */

UNSANITIZED int shutdown_now(void) {
    return atomic_load(&ending);
}

int shutdown_in_child(void) {
    return atomic_load_explicit(&in_child, memory_order_relaxed) || !process_is_ours();
}

/* Nobody may be at work in a driver when what it has registered for the end is run. */
static void wait_for_all(void) {
    if (!inside() && hold(EXIT_SECONDS))
        let_go();
    else
        atexit_guard_forbid();
}

/* The first call does it; the others come when the first has waited, or end the wait: another
 * thread that calls exit, or a handler of a signal. */
static void leave(void) {
    static atomic_int waited;
    if (shutdown_in_child())
        return;
    if (!atomic_exchange(&ending, 1)) {
        gpu_stop();
        wait_for_all();
        atomic_store(&waited, 1);
    } else if (!atomic_load(&waited)) {
        atexit_guard_forbid();
    }
}

void shutdown_begin(void) {
    if (hold)
        leave();
}

static void before_fork(void) {
    fork_holds = !shutdown_in_child() && !inside() && hold(FORK_SECONDS);
}

static void after_fork(void) {
    if (fork_holds)
        let_go();
}

static void after_fork_in_child(void) {
    atomic_store(&in_child, 1);
    atexit_guard_forbid();
}

/* What libstdc++ registers thread_local destructors with, which exit() runs before all handlers. */
extern int __cxa_thread_atexit_impl(void (*function)(void *), void *object, void *library)
    __attribute__((weak));
extern void *__dso_handle __attribute__((visibility("hidden")));

static void leave_by_handler(void *unused) {
    (void)unused;
    leave();
}

/* Once there are threads of ours and the main thread has ended: the program's threads go on, and
 * with the last of them the process has to end. */
static void watch_threads(void) {
    static atomic_int watched;
    if (hold && atomic_load(&main_has_ended) && !atomic_exchange(&watched, 1))
        last_thread_watch(leave);
}

/* At pthread_exit of the main thread, which runs destructors of keys but not those. */
static void end_main_thread(void *unused) {
    (void)unused;
    if (shutdown_in_child())
        return;
    atomic_store(&main_has_ended, 1);
    watch_threads();
}

static pthread_key_t key;
static int has_key;

static int is_main_thread(void) {
    return syscall(SYS_gettid) == (long)getpid();
}

/* The C library has room for so many keys without asking for memory, which a program with a malloc
 * of its own may not have before main. */
enum { KEYS_WITHOUT_MEMORY = 32 };

static __attribute__((constructor)) void watch_main_thread(void) {
    has_key = pthread_key_create(&key, end_main_thread) == 0;
    if (has_key && key < KEYS_WITHOUT_MEMORY && is_main_thread())
        pthread_setspecific(key, &key);
}

/* Where nothing of ours stands in front of the C library, as a plug-in has brought this library,
 * the end of the main thread is still seen first. */
static void watch_this_thread(void) {
    if (!is_main_thread())
        return;
    if (__cxa_thread_atexit_impl)
        __cxa_thread_atexit_impl(leave_by_handler, NULL, &__dso_handle);
    if (has_key)
        pthread_setspecific(key, &key);
}

void shutdown_prepare(int (*hold_function)(int seconds), void (*let_go_function)(void),
                     int (*inside_function)(void)) {
    let_go = let_go_function;
    inside = inside_function;
    hold = hold_function;
    pthread_atfork(before_fork, after_fork, after_fork_in_child);
    shutdown_prepare_again();
    watch_this_thread();
    watch_threads();
}

/* Not through atexit, which leads to lib/process/atexit_guard.c. */
UNSANITIZED void shutdown_prepare_again(void) {
    if (atomic_load(&hold) && !shutdown_now() && next_in_libc()->cxa_atexit)
        next_in_libc()->cxa_atexit(leave_by_handler, NULL, &__dso_handle);
}
