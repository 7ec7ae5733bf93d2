/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The belt between host memory of any kind and the device: a ring of page-locked memory,
 * which threads fill or empty chunk by chunk while the link works.
 *
 * The device never touches other memory than the belt, even where it is the CPU and
 * could: when a call fails, a copy may still be under way, and then it must not come
 * into memory that the program has back. */
#ifndef MPGPU_STAGING_H
#define MPGPU_STAGING_H

#include "gpu/gpu.h"

struct staging;

/* is_another: there is one on this device. */
int staging_open(const struct gpu_device *dev, int is_another, struct staging **bp);
void staging_close(struct staging *b);

/* Upload through `queue`; all of it is in the queue on return, and src is not needed any
 * more. */
int staging_up(struct staging *b, const struct gpu_queue *queue, gpu_mem dst, size_t offset,
               const void *src, size_t bytes);

/* The event behind all uploads so far, which stays the belt's until its next call; NULL if they
 * have all been seen to end. */
gpu_event_impl *staging_last(const struct staging *b);

/* Download through `queue`, which reads behind all uploads so far; complete on return, and
 * with it what was in the queue before. */
int staging_down(struct staging *b, const struct gpu_queue *queue, void *dst, gpu_mem src,
                 size_t offset, size_t bytes);

/* Nothing is under way on the belt any more: the caller has seen the end of the queues
 * that it gave. */
void staging_clear(struct staging *b);

/* Then: clear what it has carried, where the option asks for it. */
void staging_wipe(struct staging *b);

#endif
