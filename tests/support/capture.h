/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Captures the text that a test's calls write to stderr. */
#ifndef MPGPU_CAPTURE_H
#define MPGPU_CAPTURE_H

#include <check.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/log.h"

static FILE *capture_file;
static int capture_saved;

static inline void capture_begin(void) {
    capture_file = tmpfile();
    ck_assert_ptr_nonnull(capture_file);
    fflush(stderr);
    capture_saved = dup(STDERR_FILENO);
    dup2(fileno(capture_file), STDERR_FILENO);
    mpgpu_log_look();
}

/* Ends the capture.  Returns the captured text, which is valid until the next capture ends. */
static inline const char *capture_end(void) {
    static char text[16384];
    fflush(stderr);
    dup2(capture_saved, STDERR_FILENO);
    close(capture_saved);
    mpgpu_log_look();
    rewind(capture_file);
    text[fread(text, 1, sizeof text - 1, capture_file)] = 0;
    fclose(capture_file);
    return text;
}

static inline int count_lines(const char *text) {
    int lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

#define ck_assert_contains(text, part)                                                             \
    ck_assert_msg(strstr(text, part) != NULL, "\"%s\" is not in \"%s\"", part, text)

#endif
