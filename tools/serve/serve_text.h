/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Programs that clients have written at run time: all clients share them. */
#ifndef MPGPU_SERVE_TEXT_H
#define MPGPU_SERVE_TEXT_H

#include "tools/serve/serve.h"

/* Builds {body, bytes}, which ends with a 0 and may change meanwhile: *id is its kernel's number,
 * of `threads` work-items to a group. */
enum gpu_status serve_text_build(struct serve_device *d, const char *body, uint64_t bytes,
                                 uint64_t threads, uint64_t *id);

/* The kernel of such a number, and what arguments it takes; NULL where there is none. */
const char *serve_text_get(struct serve_device *d, uint64_t id, gpu_kernel_impl **kernel);

/* The letters of a kernel's head (struct gpu_kernel_head) in `takes`, of GPU_KERNEL_ARGS; false
 * where it has none that we know. */
bool serve_text_takes(const char *body, char *takes);

#endif
