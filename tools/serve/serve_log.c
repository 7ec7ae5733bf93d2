/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Writes the log of mpgpu-serve. */
#include "config.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "tools/serve/serve.h"

static int most = 1;

void serve_log_begin(void) {
    int file;
    do
        file = open("/dev/null", O_RDWR);
    while (file >= 0 && file <= STDERR_FILENO);
    if (file >= 0)
        close(file);
}

void serve_log_level(int level) {
    most = level > 1 ? level : 1;
}

void serve_log(int level, const char *format, ...) {
    char line[1024];
    va_list list;
    if (level > most)
        return;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    fprintf(stderr, "mpgpu-serve: %s\n", line);
}
