/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Operands on their way: each part is uploaded when the first kernel that reads it is
 * about to be launched, so that the link brings one operand while the device works on
 * another. */
#ifndef MPGPU_UPLOADS_H
#define MPGPU_UPLOADS_H

#include <stdbool.h>

#include "lib/device/number.h"

/* x is to come from `host`.  GPU_FAILED where more than UPLOADS_MOST are to. */
enum gpu_status uploads_add(struct context *s, struct number x, const void *host);

/* Upload what x, or a part of it, lacks, and all before that; nothing if it is not
 * expected.  Whatever reads a number that may be expected calls this before. */
enum gpu_status uploads_wait(struct context *s, struct number x);

/* The same in steps: a piece that x lacks, which counts as brought; false where it lacks none. */
bool uploads_next(struct context *s, struct number x, struct upload *piece);
enum gpu_status uploads_bring(struct context *s, const struct upload *piece);

/* Whether anything is still to come. */
bool uploads_pending(const struct context *s);

/* Nothing is expected any more. */
void uploads_forget(struct context *s);

#endif
