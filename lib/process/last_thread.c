/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The end of a process whose main thread has ended.
 *
 * Whose a thread is, its name tells: ours have WORKER_NAME, and a thread inherits the name of the
 * one that makes it, as drivers make theirs in ours; or it has one that the backend knows.  Any
 * other name is the program's, and keeps the process alive. */
#include "config.h"

#include "lib/process/last_thread.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/process.h"
#include "lib/process/worker.h"

static void (*before_exit)(void);

/* "TID (NAME) STATE ...", cut off where it does not matter; 0 if the thread has gone. */
static int read_stat(const char *tid, char *text, size_t size) {
    char path[300];
    snprintf(path, sizeof path, "/proc/self/task/%s/stat", tid);
    return process_text(path, text, size);
}

/* The program's, and not ended. */
static int is_of_program(const char *tid) {
    char text[256];
    if (!read_stat(tid, text, sizeof text))
        return 0;
    char *name = strchr(text, '('), *end = strrchr(text, ')');
    if (!name || !end || end[1] == 0)
        return 1;
    *end = 0;
    return !worker_has_name(name + 1) && end[2] != 'Z' && end[2] != 'X';
}

/* Threads in the list, and those of the program among them; 1 for both if it cannot be read. */
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

/* Twice in a row and the same: a list that changes while it is read may lack some. */
static void watch(void *unused) {
    const struct timespec pause = {0, 20000000};
    int all, of_program, before = 0;
    (void)unused;
    for (;;) {
        count(&all, &of_program);
        if (of_program == 0 && all == before)
            break;
        before = of_program ? 0 : all;
        nanosleep(&pause, NULL);
    }
    before_exit();
    exit(EXIT_SUCCESS);
}

void last_thread_watch(void (*function)(void)) {
    before_exit = function;
    worker_start(watch, NULL);
}
