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

/* The latter in two steps, as transfer_begin_up says. */
enum gpu_status uploads_begin(struct context *s, const struct upload *piece, bool *is_begun);
enum gpu_status uploads_end(struct context *s);

/* Whether anything is still to come; and whether anything of x is. */
bool uploads_pending(const struct context *s);
bool uploads_lack(const struct context *s, struct number x);

/* Nothing is expected any more. */
void uploads_forget(struct context *s);

#endif
