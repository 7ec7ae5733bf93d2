/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The end of a process whose main thread has ended.
 *
 * A thread's name tells whose it is.  Ours have WORKER_NAME, and a driver's threads inherit it from
 * the thread of ours that starts them, or have a name that the backend knows.  A thread of any
 * other name is the program's, and keeps the process alive. */
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
static struct event ended; /* the program's last thread */

/* "TID (NAME) STATE ...", perhaps cut off behind; false if the thread has gone. */
static bool read_stat(const char *tid, char *text, size_t size) {
    char path[300];
    snprintf(path, sizeof path, "/proc/self/task/%s/stat", tid);
    if (process_text(path, text, size))
        return true;
    text[0] = 0;
    return access(path, F_OK) == 0; /* without a descriptor its name is not known */
}

/* A thread of the program that has not ended. */
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

/* The threads in the list, and the program's among them; 1 and 1 if it cannot be read. */
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

/* Has the program taken the two descriptors that counting needs? */
static bool lacks_descriptors(void) {
    int two[2];
    if (pipe2(two, O_CLOEXEC) != 0)
        return errno == EMFILE;
    close(two[0]);
    close(two[1]);
    return false;
}

/* A table of descriptors of this thread's own, and empty; where the system can't, the program's. */
static void leave_descriptors(void) {
#ifdef SYS_close_range
    enum { UNSHARE = 2 };
    syscall(SYS_close_range, 0u, ~0u, UNSHARE);
#endif
}

/* The same numbers twice in a row: a list that changes while it is read may lack some. */
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

/* With the program's descriptors: exit writes what is left in streams. */
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
