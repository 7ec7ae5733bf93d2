/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Inside gpu/: how a call fails, messages, and the stop flag. */
#ifndef MPGPU_GPU_ERROR_H
#define MPGPU_GPU_ERROR_H

#include "gpu/gpu.h"

/* Levels of gpu_log, as lib/base/log.h has them. */
enum { GPU_LOG_WARNING = 1, GPU_LOG_INFO = 2, GPU_LOG_DETAIL = 3 };

/* Set the text that gpu_error_text() gives in this thread; returns status. */
enum gpu_status gpu_fail(enum gpu_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A message to the function that gpu_set_logger was given, if any. */
void gpu_log(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* True after gpu_stop(): start nothing that takes long. */
bool gpu_stopped(void);

#endif
