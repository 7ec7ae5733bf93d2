/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Records to which process the library's memory belongs, and reads files under /proc. */
#include "config.h"

#include "lib/base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "lib/base/at_fork.h"

static _Atomic pid_t owner;
static _Thread_local bool is_ours_at_fork;

bool process_is_ours(void) {
    pid_t pid = atomic_load(&owner);
    return pid == 0 || pid == getpid();
}

static atomic_bool has_one_thread;

void process_forbid_threads(void) {
    atomic_store(&has_one_thread, true);
}

bool process_forbids_threads(void) {
    return atomic_load(&has_one_thread);
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
    at_fork(before_fork, NULL, after_fork_in_child);
}

bool process_text(const char *path, char *text, size_t size) {
    int saved = errno, file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = file < 0 ? 0 : read(file, text, size - 1);
    if (file >= 0)
        close(file);
    errno = saved;
    text[n > 0 ? n : 0] = 0;
    return n > 0;
}

void process_begin(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, begin);
}
