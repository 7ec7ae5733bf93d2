/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Ends a process whose main thread has ended by pthread_exit, when the program's other threads have
 * ended too.
 * Names show to whom a thread belongs. This library's threads are named WORKER_NAME. A driver's
 * threads inherit that name from the thread that starts them, or have a name that the backend
 * knows. A thread with any other name belongs to the program, and keeps the process alive. */
#include "config.h"

#define _GNU_SOURCE 1 /* pipe2 */
#include "lib/process/last_thread.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/process.h"
#include "lib/process/event.h"
#include "lib/process/worker.h"

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

/* Sets *all to the count of all threads, and *of_program to the count of the program's threads.
 * Sets both to 1 if the threads cannot be listed. */
static void count(int *all, int *of_program) {
    DIR *tasks = opendir("/proc/self/task");
    *all = *of_program = !tasks;
    for (struct dirent *entry; tasks && (entry = readdir(tasks)) != NULL;) {
        if (*entry->d_name == '.')
            continue;
        ++*all;
        *of_program += is_of_program(entry->d_name);
    }
    if (tasks)
        closedir(tasks);
}

/* Returns true if the program has used up the file descriptors, so that the two descriptors that
 * `count` needs are missing. */
static bool lacks_descriptors(void) {
    int two[2];
    if (pipe2(two, O_CLOEXEC) != 0)
        return errno == EMFILE;
    close(two[0]);
    close(two[1]);
    return false;
}

/* Gives this thread its own, empty table of file descriptors. If the system cannot do that, the
 * thread continues to share the program's table. */
static void leave_descriptors(void) {
#ifdef SYS_close_range
    enum { UNSHARE = 2 };
    syscall(SYS_close_range, 0u, ~0u, UNSHARE);
#endif
}

/* Waits until the program has no thread. Requires two equal counts in a row, because a list of
 * threads that changes while it is read may be incomplete. */
static void watch(void *unused) {
    const struct timespec pause = {0, 20000000};
    int all, of_program, before = 0;
    (void)unused;
    for (;;) {
        if (lacks_descriptors())
            leave_descriptors();
        count(&all, &of_program);
        if (of_program == 0 && all == before)
            break;
        before = of_program ? 0 : all;
        nanosleep(&pause, NULL);
    }
    event_post(&ended);
}

/* Ends the process when `ended` is posted. It is a thread of its own, which still has the program's
 * file descriptors, because exit flushes the program's streams. */
static void wait_and_exit(void *unused) {
    (void)unused;
    while (!event_sleep(&ended, 1, EVENT_FOREVER))
        continue;
    before_exit();
    exit(EXIT_SUCCESS);
}

void last_thread_watch(void (*function)(void)) {
    before_exit = function;
    if (worker_start(wait_and_exit, NULL))
        worker_start(watch, NULL);
}
