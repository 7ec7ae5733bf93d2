/* SPDX-License-Identifier: LGPL-3.0-or-later
 * This library's threads. */
#include "config.h"

#include "lib/process/worker.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "gpu/gpu.h"
#include "lib/process/floating.h"
#include "lib/process/surroundings.h"

enum { STACK_BYTES = 16 << 20, SLICE_NS = 100000 };

static atomic_int any; /* true once a thread has been started */

struct job {
    void (*function)(void *);
    void *argument;
};

/* Asks the kernel for short time slices, so that a waking thread interrupts other threads earlier
 * if all CPUs are busy. Linux before 6.12 ignores this. */
static void ask_for_short_slices(void) {
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    } attributes = {.size = sizeof attributes, .policy = SCHED_OTHER, .runtime = SLICE_NS};
    if (syscall(SYS_sched_getscheduler, 0) != SCHED_OTHER || prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != 0)
        return; /* the program has chosen another scheduler, or filters its system calls */
    errno = 0;
    attributes.nice = getpriority(PRIO_PROCESS, 0);
    if (errno == 0)
        syscall(SYS_sched_setattr, 0, &attributes, 0);
}

/* Functions of a program built with ThreadSanitizer. If only the program is built with it, these
 * annotations prevent false reports of races, because ThreadSanitizer does not see this library's
 * atomic operations. */
typedef void annotate_function(const char *file, int line);
#ifndef __SANITIZE_THREAD__
#pragma weak AnnotateIgnoreReadsBegin
#pragma weak AnnotateIgnoreReadsEnd
#pragma weak AnnotateIgnoreWritesBegin
#pragma weak AnnotateIgnoreWritesEnd
annotate_function AnnotateIgnoreReadsBegin, AnnotateIgnoreReadsEnd, AnnotateIgnoreWritesBegin,
    AnnotateIgnoreWritesEnd;
#else
static annotate_function *const AnnotateIgnoreReadsBegin,
    *const AnnotateIgnoreReadsEnd, *const AnnotateIgnoreWritesBegin, *const AnnotateIgnoreWritesEnd;
#endif

static void annotate(annotate_function *reads, annotate_function *writes) {
    if (reads && writes) {
        reads(__FILE__, __LINE__);
        writes(__FILE__, __LINE__);
    }
}

static void end_annotation(void *unused) {
    (void)unused;
    annotate(AnnotateIgnoreReadsEnd, AnnotateIgnoreWritesEnd);
}

static void *thread_main(void *allocated) {
    struct job job = *(struct job *)allocated;
    floating_default(); /* a new thread inherits its creator's floating-point state */
    free(allocated);
    pthread_setname_np(pthread_self(), WORKER_NAME);
    /* after this call, short sleeps take 20 us instead of 70 */
    prctl(PR_SET_TIMERSLACK, 1ul, 0ul, 0ul, 0ul);
    ask_for_short_slices();
    annotate(AnnotateIgnoreReadsBegin, AnnotateIgnoreWritesBegin);
    /* end_annotation also runs if the function ends by pthread_exit */
    pthread_cleanup_push(end_annotation, NULL);
    job.function(job.argument);
    pthread_cleanup_pop(1);
    return NULL;
}

/* Starts a detached thread, which frees `job`. Returns false if that fails. */
static bool make_thread(struct job *job) {
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all, before;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    atomic_store(&any, 1);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool is_made = pthread_create(&thread, &attributes, thread_main, job) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return is_made;
}

bool worker_start(void (*function)(void *), void *argument) {
    struct job *job = surroundings_forbid_threads() ? NULL : malloc(sizeof *job);
    if (!job)
        return false;
    *job = (struct job){function, argument};
    if (make_thread(job))
        return true;
    free(job);
    return false;
}

bool worker_has_name(const char *name) {
    return strcmp(name, WORKER_NAME) == 0 || gpu_is_thread(name);
}

static bool calling_thread_is_worker(void) {
    char name[16] = "";
    return pthread_getname_np(pthread_self(), name, sizeof name) == 0 && worker_has_name(name);
}

UNSANITIZED bool worker_is_here(void) {
    return atomic_load(&any) && calling_thread_is_worker();
}
