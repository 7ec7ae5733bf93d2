/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Stops all use of devices at the end of the program and during fork. */
#define _GNU_SOURCE 1
#include "config.h"

#include "lib/process/shutdown.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "gpu/gpu.h"
#include "lib/base/at_fork.h"
#include "lib/base/process.h"
#include "lib/base/started.h"
#include "lib/process/atexit_guard.h"
#include "lib/process/event.h"
#include "lib/process/heap.h"
#include "lib/process/worker.h"

/* ---- functions that end the process after its main thread has called pthread_exit and the
 * program's other threads have ended.
 *
 * A thread's name shows to whom it belongs. This library's threads are named WORKER_NAME. A
 * driver's threads inherit that name, or have a name that the backend knows. Threads with any other
 * name belong to the program, and the process must not end before them. */

static void (*before_exit)(void);
static struct event ended; /* posted when the program's last thread has ended */

/* Reads /proc/self/task/TID/stat, "TID (NAME) STATE ...", perhaps truncated. Returns false if the
 * thread has ended. Returns true with an empty text if the file cannot be opened. */
static bool read_stat(const char *tid, char *text, size_t size) {
    char path[300];
    snprintf(path, sizeof path, "/proc/self/task/%s/stat", tid);
    if (process_text(path, text, size))
        return true;
    text[0] = 0;
    /* the thread exists, but without a free descriptor its name cannot be read */
    return access(path, F_OK) == 0;
}

/* Returns true if the thread belongs to the program and has not ended. */
static bool is_of_program(const char *tid) {
    char text[256];
    if (!read_stat(tid, text, sizeof text))
        return false;
    char *name = strchr(text, '('), *end = strrchr(text, ')');
    if (!name || !end || end[1] == 0)
        return true;
    *end = 0;
    return !worker_has_name(name + 1) && end[2] != 'Z' && end[2] != 'X';
}

/* Sets *all to the number of all threads, and *of_program to the number of the program's threads.
 * Sets both to 2 if the threads cannot be listed. */
static void count_threads_of_process(int *all, int *of_program) {
    DIR *tasks = opendir("/proc/self/task");
    *all = *of_program = tasks ? 0 : 2;
    for (struct dirent *entry; tasks && (entry = readdir(tasks)) != NULL;) {
        if (*entry->d_name == '.')
            continue;
        ++*all;
        *of_program += is_of_program(entry->d_name);
    }
    if (tasks)
        closedir(tasks);
}

/* Returns true if the program has used up its file descriptors: fewer than the two that
 * `count_threads_of_process` needs are left. */
static bool lacks_descriptors(void) {
    int two[2];
    if (pipe2(two, O_CLOEXEC) != 0)
        return errno == EMFILE;
    close(two[0]);
    close(two[1]);
    return false;
}

/* Gives this thread its own, empty table of file descriptors. On a system that cannot do that, the
 * thread continues to share the program's table. */
static void leave_descriptors(void) {
#ifdef SYS_close_range
    enum { UNSHARE = 2 };
    syscall(SYS_close_range, 0u, ~0u, UNSHARE);
#endif
}

/* Waits until the program has no thread. Requires two equal counts in a row, because a list of
 * threads that changes while it is read may be incomplete. */
static void watch_until_threads_end(void *unused) {
    const struct timespec pause = {0, 20000000};
    int all, of_program, before = 0;
    (void)unused;
    for (;;) {
        if (lacks_descriptors())
            leave_descriptors();
        count_threads_of_process(&all, &of_program);
        if (of_program == 0 && all == before)
            break;
        before = of_program ? 0 : all;
        nanosleep(&pause, NULL);
    }
    event_post(&ended);
}

/* Ends the process when `ended` is posted. Runs in a separate thread, which still has the program's
 * file descriptors, because exit flushes the program's streams. */
static void wait_and_exit(void *unused) {
    (void)unused;
    while (!event_sleep(&ended, 1, EVENT_FOREVER))
        continue;
    before_exit();
    exit(EXIT_SUCCESS);
}

/* Call it once, when the main thread has ended. Threads of this library or of a driver would
 * prevent the process from ending with the program's last thread. So when all of the program's
 * threads have ended, a thread of this library calls function() and exit(0). */
static void last_thread_watch(void (*function)(void)) {
    before_exit = function;
    if (worker_start(wait_and_exit, NULL))
        worker_start(watch_until_threads_end, NULL);
}

enum { EXIT_SECONDS = 10, FORK_SECONDS = 2 }; /* the longest waits */

static bool (*_Atomic acquire)(int seconds); /* set last */
static void (*release)(void);
static bool (*is_inside)(void);
static void (*renew)(bool);
static atomic_int ending, in_child, main_has_ended, watched;
/* the key of a thread-local value whose destructor runs when the main thread ends */
static USED_AT_START pthread_key_t key;
static USED_AT_START bool has_key;

/* True in the thread that forks, between before_fork and after_fork, if `acquire`
 * (shutdown_prepare) has succeeded. */
static THREAD_MEMORY bool has_acquired_devices;

bool shutdown_has_begun(void) {
    return atomic_load(&ending);
}

bool shutdown_is_prepared(void) {
    return atomic_load(&acquire) != NULL;
}

bool shutdown_was_forked(void) {
    return atomic_load_explicit(&in_child, memory_order_relaxed);
}

bool shutdown_is_in_child(void) {
    return shutdown_was_forked() || !process_is_ours();
}

void shutdown_set_in_child(void) {
    atomic_store(&in_child, 1);
}

/* Waits until no thread is inside a driver. If that takes too long, prevents the drivers' exit
 * handlers. Does not wait in a process without a driver: threads that only use a server may be
 * interrupted at any point. */
static void wait_for_all(void) {
    if (!is_inside() && acquire(gpu_has_driver() ? EXIT_SECONDS : 0))
        release();
    else
        atexit_guard_forbid();
}

/* Ends the use of devices at the end of the program. Only the first call waits for drivers. A call
 * of exit during this wait, by another thread or a signal handler, prevents the drivers' exit
 * handlers instead. */
static void begin_shutdown(void) {
    static atomic_int waited;
    if (shutdown_is_in_child())
        return;
    if (!atomic_exchange(&ending, 1)) {
        atexit_guard_end();
        gpu_stop();
        wait_for_all();
        atomic_store(&waited, 1);
    } else if (!atomic_load(&waited)) {
        atexit_guard_forbid();
    }
}

void shutdown_begin(void) {
    if (acquire)
        begin_shutdown();
}

static void before_fork(void) {
    bool *has_acquired = shutdown_is_prepared() ? THREAD_MEMORY_GET(has_acquired_devices) : NULL;
    if (!has_acquired) /* without thread-local memory the fork continues as if `acquire` had failed
                        */
        return;
    *has_acquired = process_is_ours() && !is_inside() && acquire(FORK_SECONDS);
}

bool shutdown_fork_has_acquired(void) {
    const bool *has_acquired = THREAD_MEMORY_FIND(has_acquired_devices);
    return has_acquired && *has_acquired;
}

static void after_fork(void) {
    if (shutdown_fork_has_acquired())
        release();
}

/* In a child of fork, makes the calling thread the main thread: the thread that has forked is the
 * only one there. */
static void renew_main_thread(void) {
    atomic_store(&main_has_ended, 0);
    atomic_store(&watched, 0);
    if (has_key)
        pthread_setspecific(key, &key);
}

static void after_fork_in_child(void) {
    atomic_store(&in_child, 1);
    renew_main_thread();
    atexit_guard_forbid();
    renew(shutdown_fork_has_acquired());
}

/* The function by which libstdc++ registers destructors of thread_local objects. exit() runs these
 * destructors before all exit handlers. */
extern int __cxa_thread_atexit_impl(void (*function)(void *), void *object, void *library)
    __attribute__((weak));
extern void *__dso_handle __attribute__((visibility("hidden")));

static void begin_by_handler(void *unused) {
    (void)unused;
    begin_shutdown();
}

/* Starts last_thread_watch if this library has threads and the main thread has ended. The program's
 * other threads then continue, and the process ends with the last of them. */
static void watch_threads(void) {
    if (acquire && atomic_load(&main_has_ended) && !atomic_exchange(&watched, 1))
        last_thread_watch(begin_shutdown);
}

/* Returns true if the calling thread is the program's only thread: in two counts in a row, see
 * watch_until_threads_end. A new thread of this library has the program's name for a moment, so
 * this function tries for about 20 ms. */
static bool is_last_of_program(void) {
    const struct timespec pause = {0, 1000000};
    int all, of_program, alone = 0;
    for (int i = 0; i < 20 && alone < 2; i++) {
        count_threads_of_process(&all, &of_program);
        alone = of_program == 1 ? alone + 1 : 0;
        if (alone < 2)
            nanosleep(&pause, NULL);
    }
    return alone == 2;
}

/* The key whose destructor runs last in each round of destructors, and the number of rounds. */
static pthread_key_t late_key;
static int rounds;

/* In the last round of destructors calls exit, if the main thread is the program's last one. The C
 * library would do so, and so run the destructors of the thread's thread_local objects, but for
 * threads of this library or of a driver. */
static void destroy_late(void *unused) {
    (void)unused;
    if (++rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
        pthread_setspecific(late_key, &late_key);
    } else if (acquire && !heap_is_needed() && is_last_of_program()) {
        begin_shutdown();
        exit(EXIT_SUCCESS);
    }
}

/* The destructor of `key`, which pthread_exit runs in the main thread. Destructors run in the order
 * of their keys, and those of the program's keys come before exit. So this function creates a
 * further key. */
static void end_main_thread(void *unused) {
    static bool has_late_key;
    (void)unused;
    if (!process_is_ours())
        return;
    atomic_store(&main_has_ended, 1);
    watch_threads();
    if (!has_late_key)
        has_late_key = pthread_key_create(&late_key, destroy_late) == 0;
    if (!has_late_key || pthread_getspecific(late_key))
        return;
    rounds = 0;
    pthread_setspecific(late_key, &late_key);
}

static AT_START bool is_main_thread(void) {
    return syscall(SYS_gettid) == syscall(SYS_getpid);
}

/* How many keys the C library supports without allocating memory for their values. A program with
 * its own malloc may be unable to allocate before main. */
enum { KEYS_WITHOUT_MEMORY = 32 };

static __attribute__((constructor)) void watch_main_thread(void) {
    has_key = pthread_key_create(&key, end_main_thread) == 0;
    if (has_key && key < KEYS_WITHOUT_MEMORY && is_main_thread())
        pthread_setspecific(key, &key);
}

/* If the calling thread is the main thread, registers begin_by_handler as a destructor that runs at
 * the thread's end, before all exit handlers. Needed if a plug-in has loaded this library: this
 * library's `exit` then does not replace the C library's. Registering calls the program's malloc.
 * If that is forbidden, the library has no threads that an exit must wait for, and registers
 * nothing. */
static void watch_this_thread(void) {
    if (!is_main_thread())
        return;
    if (__cxa_thread_atexit_impl && !heap_is_needed())
        __cxa_thread_atexit_impl(begin_by_handler, NULL, &__dso_handle);
    if (has_key)
        pthread_setspecific(key, &key);
}

void shutdown_prepare(bool (*acquire_function)(int seconds), void (*release_function)(void),
                      bool (*is_inside_function)(void), void (*renew_function)(bool)) {
    release = release_function;
    renew = renew_function;
    is_inside = is_inside_function;
    acquire = acquire_function;
    at_fork(before_fork, after_fork, after_fork_in_child);
    atexit_guard_run_first(begin_by_handler);
    watch_this_thread();
    watch_threads();
}
