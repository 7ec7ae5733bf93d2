/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Delayed uploads of operands. Each part is uploaded just before the launch of the first kernel
 * that reads it.  So the link uploads one operand while the device works on another. */
#ifndef MPGPU_UPLOADS_H
#define MPGPU_UPLOADS_H

#include <stdbool.h>

#include "lib/device/number.h"

/* Registers the upload of x from `host`. Returns GPU_FAILED above UPLOADS_MOST uploads. */
enum gpu_status uploads_add(struct context *s, struct number x, const void *host);

/* Uploads the missing words of x, or of a part of it, and all words below them. Does nothing if x
 * is not registered. Call it before any read of a number that may be registered. */
enum gpu_status uploads_wait(struct context *s, struct number x);

/* The steps of uploads_wait. uploads_next returns false if no piece of x is missing. Otherwise it
 * sets *piece to a missing piece and marks the piece as uploaded. uploads_bring then uploads the
 * piece. */
bool uploads_next(struct context *s, struct number x, struct upload *piece);
enum gpu_status uploads_bring(struct context *s, const struct upload *piece);

/* Upload a piece in two steps: uploads_begin starts the upload, uploads_end waits for it
 * (transfer_begin_up). */
enum gpu_status uploads_begin(struct context *s, const struct upload *piece, bool *is_begun);
enum gpu_status uploads_end(struct context *s);

/* uploads_pending returns true if any upload is incomplete; uploads_lack returns true if words of x
 * are not uploaded yet. */
bool uploads_pending(const struct context *s);
bool uploads_lack(const struct context *s, struct number x);

/* Discards all registered uploads. */
void uploads_forget(struct context *s);

#endif
