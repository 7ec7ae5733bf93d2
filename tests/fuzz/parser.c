/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Replaces lib/base/log.c in the fuzz targets that test parsers: counts and checks warnings
 * instead of printing them. */
#include "config.h"

#include "tests/fuzz/parser.h"

#include <stdarg.h>

#include "lib/base/log.h"

int mpgpu_log_level;
int parser_warnings;

void mpgpu_say(const char *format, ...) {
    char line[4096];
    va_list args;
    va_start(args, format);
    int size = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    FUZZ_CHECK(size > 0 && (size_t)size < sizeof line);
    parser_check_warning(line);
    parser_warnings++;
}

void mpgpu_log(int level, const char *format, ...) {
    (void)level;
    (void)format;
}

void mpgpu_log_keep(void) {
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    return 0;
}
