/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A program starts a server for itself and for the programs that run later
 * (lib/session/start/starting.c).  So the server resets what it has inherited from the program.  A
 * private server, which serves only that program, keeps CPU affinity and priority. */
#define _GNU_SOURCE 1 /* sched_setaffinity, pthread_setattr_default_np */
#include "config.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tools/serve/serve.h"

enum {
    IOPRIO_WHO_PROCESS = 1, /* of ioprio_set(2) */
    USUAL_STACK = 8 << 20   /* bytes */
};

/* Resets signals that the program blocks or ignores.  The program's signal handlers do not survive
 * exec. */
static void reset_signals(void) {
    sigset_t none;
    for (int i = 1; i < NSIG; i++)
        signal(i, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Allows all CPUs of the system, because the program may be bound to one. */
static void use_all_cpus(void) {
    cpu_set_t all;
    memset(&all, 0xff, sizeof all);
    sched_setaffinity(0, sizeof all, &all);
}

/* Resets the priority. A program that is not allowed to reset its priority starts no server
 * (gpu/served/served_start.c). */
static void reset_priority(void) {
    const struct sched_param none = {.sched_priority = 0};
    sched_setscheduler(0, SCHED_OTHER, &none);
    setpriority(PRIO_PROCESS, 0, 0);
    syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, 0);
}

static void use_all_files(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

/* Raises the limit of stacks to the usual one.  Also raises the size of new threads' stacks, which
 * the C library has derived from the inherited limit. */
static void use_usual_stacks(void) {
    struct rlimit limit;
    pthread_attr_t attributes;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= USUAL_STACK)
        return;
    limit.rlim_cur = limit.rlim_max < USUAL_STACK ? limit.rlim_max : USUAL_STACK;
    setrlimit(RLIMIT_STACK, &limit);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, USUAL_STACK);
    pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
}

bool serve_on_demand_begin(bool is_private) {
    reset_signals();
    use_all_files();
    use_usual_stacks();
    if (!is_private) {
        use_all_cpus();
        reset_priority();
    }
    return chdir("/") == 0;
}
