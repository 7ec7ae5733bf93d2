/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Messages to standard error, as it was when the library was loaded. A line is written by one
 * write(), so that lines of several threads and processes stay whole. A program may close this
 * descriptor and reuse its number for a file of its own. So before each write, the library checks
 * that the descriptor still has the same file. */
#include "config.h"

#include "lib/base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/started.h"

int mpgpu_log_level;

/* The file that descriptor 2 refers to at the start; all zero if the descriptor was closed. */
static USED_AT_START struct stat standard_error;
static USED_AT_START atomic_int copy; /* copy of descriptor 2, closed at exec; 0: none */

static USED_AT_START char no_path[] = "", options_name[] = "MPGPU_CONF";

/* The least number for the library's duplicate of standard error: programs expect low numbers for
 * their own files. */
enum { COPY_AT_LEAST = 200 };

static bool is_standard_error(int descriptor) {
    struct stat now;
    return standard_error.st_mode && descriptor > 0 && fstat(descriptor, &now) == 0 &&
           now.st_dev == standard_error.st_dev && now.st_ino == standard_error.st_ino &&
           now.st_rdev == standard_error.st_rdev;
}

void mpgpu_log_keep(void) {
    if (is_standard_error(copy) || !is_standard_error(STDERR_FILENO))
        return;
    int made = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, COPY_AT_LEAST);
    copy = made >= 0 ? made : fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

/* Records which file standard error is. Uses fstatat with `no_path`, because the C library's fstat
 * would cause one more page fault. */
AT_START void mpgpu_log_look(void) {
    if (fstatat(STDERR_FILENO, no_path, &standard_error, AT_EMPTY_PATH) != 0)
        standard_error = (struct stat){0};
    copy = 0;
}

/* Returns true if the options, which are not parsed yet, may ask for messages. */
static bool are_wanted(const char *options) {
    return options &&
           (strstr(options, "stats") || strstr(options, "log") || strstr(options, "confirm"));
}

/* Records standard error when the library is loaded: later the program may have closed or replaced
 * it. */
static __attribute__((constructor)) void look_at_standard_error(void) {
    int saved = errno;
    mpgpu_log_look();
    if (!getauxval(AT_SECURE) && are_wanted(getenv(options_name)))
        mpgpu_log_keep();
    errno = saved;
}

static const char prefix[] = "mpgpu: ";

/* Makes text from outside (options, drivers) fit in one line. */
static void one_line(char *text) {
    for (; *text; text++) {
        if ((unsigned char)*text < ' ' || *text == 127)
            *text = ' ';
    }
}

/* Returns the signals that a write may cause, except signals that are already pending. */
static sigset_t signals_of_write(void) {
    static const int ends[] = {SIGPIPE, SIGXFSZ};
    sigset_t waiting, set;
    sigpending(&waiting);
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (!sigismember(&waiting, ends[i]))
            sigaddset(&set, ends[i]);
    return set;
}

bool mpgpu_log_write(int descriptor, const char *text, size_t length) {
    sigset_t set = signals_of_write(), before;
    pthread_sigmask(SIG_BLOCK, &set, &before);
    const ssize_t written = write(descriptor, text, length);
    const bool done = written == (ssize_t)length;
    const int why = written < 0 || done ? errno : ENOSPC;
    if (!done)
        while (sigtimedwait(&set, NULL, &(struct timespec){0}) > 0)
            ;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = why;
    return done;
}

static void __attribute__((format(printf, 1, 0))) print(const char *format, va_list args) {
    char line[4096];
    const size_t room = sizeof line - sizeof prefix; /* leaves one byte for the line's end */
    int saved = errno, kept = copy, to = is_standard_error(kept) ? kept : STDERR_FILENO;
    memcpy(line, prefix, sizeof prefix);
    int length = vsnprintf(line + sizeof prefix - 1, room, format, args);
    if (length >= 0 && is_standard_error(to)) {
        one_line(line);
        size_t end = strlen(line);
        line[end] = '\n';
        mpgpu_log_write(to, line, end + 1); /* if this fails, nothing can report it */
    }
    errno = saved;
}

bool mpgpu_log_is_terminal(void) {
    int saved = errno;
    bool is_terminal = is_standard_error(STDERR_FILENO) && isatty(STDERR_FILENO);
    errno = saved;
    return is_terminal;
}

void mpgpu_log_progress(const char *format, ...) {
    static const char erase[] = "\r\033[K";
    char line[256], text[200] = "";
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    length = snprintf(line, sizeof line, "%s%s%s", erase, length > 0 ? prefix : "", text);
    if (mpgpu_log_is_terminal())
        mpgpu_log_write(STDERR_FILENO, line, (size_t)length);
}

void mpgpu_log(int level, const char *format, ...) {
    if (level > mpgpu_log_level)
        return;
    va_list args;
    va_start(args, format);
    print(format, args);
    va_end(args);
}

void mpgpu_say(const char *format, ...) {
    va_list args;
    va_start(args, format);
    print(format, args);
    va_end(args);
}
