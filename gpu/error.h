/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Private to gpu/: error texts, log messages, and the stop flag. */
#ifndef MPGPU_GPU_ERROR_H
#define MPGPU_GPU_ERROR_H

#include "gpu/gpu.h"

/* Levels of gpu_log; lib/base/log.h has the same numbers. */
enum { GPU_LOG_WARNING = 1, GPU_LOG_INFO = 2, GPU_LOG_DETAIL = 3 };

/* Sets the text that gpu_error_text() returns in this thread. Returns `status`. */
enum gpu_status gpu_fail(enum gpu_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Sends a message to the function set by gpu_set_logger, if any. */
void gpu_log(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns true after gpu_stop(), when the process is ending: then begin nothing that takes long. */
bool gpu_stopped(void);

#endif
