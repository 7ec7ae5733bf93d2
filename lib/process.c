/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The number of the process that memory belongs to. */
#include "config.h"

#include "process.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static _Atomic pid_t owner;
static _Thread_local int is_ours_at_fork;

int process_is_ours(void) {
    pid_t pid = atomic_load(&owner);
    return pid == 0 || pid == getpid();
}

static void before_fork(void) {
    is_ours_at_fork = process_is_ours();
}

static void after_fork_in_child(void) {
    if (is_ours_at_fork)
        atomic_store(&owner, getpid());
}

static void begin(void) {
    atomic_store(&owner, getpid());
    pthread_atfork(before_fork, NULL, after_fork_in_child);
}

void process_begin(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, begin);
}
