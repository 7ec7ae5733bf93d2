/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Error texts, log messages, and the stop flag of the device layer gpu/. */
#include "gpu/error.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

#include "gpu/gpu.h"

static THREAD_MEMORY struct text { char text[512]; } last;
static atomic_bool is_lost; /* an error text was lost, because a thread had no memory for it */
static void (*_Atomic logger)(int level, const char *text);
static atomic_int stopped;

const char *gpu_status_text(int status) {
    switch (status) {
    case GPU_OK:
        return "no error";
    case GPU_ABSENT:
        return "no such device";
    case GPU_NOMEM:
        return "out of memory";
    case GPU_NOBUILD:
        return "program does not build";
    case GPU_LEFT:
        return "its caller has left";
    default:
        return "device failure";
    }
}

const char *gpu_error_text(void) {
    const struct text *text = THREAD_MEMORY_FIND(last);
    return text ? text->text : atomic_load(&is_lost) ? "no memory for the text of a failure" : "";
}

enum gpu_status gpu_fail(enum gpu_status status, const char *format, ...) {
    struct text *text = THREAD_MEMORY_GET(last);
    va_list list;
    if (!text) {
        atomic_store(&is_lost, true);
        return status;
    }
    va_start(list, format);
    vsnprintf(text->text, sizeof text->text, format, list);
    va_end(list);
    return status;
}

void gpu_set_logger(void (*function)(int level, const char *text)) {
    atomic_store(&logger, function);
}

void gpu_log(int level, const char *format, ...) {
    void (*function)(int, const char *) = atomic_load(&logger);
    if (!function)
        return;
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    function(level, text);
}

void gpu_stop(void) {
    atomic_store(&stopped, 1);
}

bool gpu_stopped(void) {
    return atomic_load(&stopped);
}
