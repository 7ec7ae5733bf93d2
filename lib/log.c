/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Messages to stderr.  A line is formatted into one buffer and written with one
 * write(), so that lines of several threads and processes stay whole. */
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int mpgpu_log_level;

static int is_closed; /* standard error, from the start: its number belongs to others then */

/* The one thing done while the library is loaded: at the first message the program may
 * have opened a file of its own under that number. */
static __attribute__((constructor)) void look_at_standard_error(void) {
    is_closed = fcntl(STDERR_FILENO, F_GETFD) < 0;
}

static const char prefix[] = "mpgpu: ";

/* Text from outside (options, drivers) must not break the line. */
static void one_line(char *text) {
    for (; *text; text++) {
        if ((unsigned char)*text < ' ' || *text == 127)
            *text = ' ';
    }
}

static void __attribute__((format(printf, 1, 0))) print(const char *format, va_list args) {
    if (is_closed)
        return;
    char line[4096];
    const size_t room = sizeof line - sizeof prefix; /* keeps a byte for the line's end */
    int saved = errno;
    memcpy(line, prefix, sizeof prefix);
    int length = vsnprintf(line + sizeof prefix - 1, room, format, args);
    if (length >= 0) {
        one_line(line);
        size_t end = strlen(line);
        line[end] = '\n';
        ssize_t written = write(STDERR_FILENO, line, end + 1);
        (void)written; /* nobody to tell */
    }
    errno = saved;
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
