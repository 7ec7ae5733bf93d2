/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Private to the files of the twin backend (twin_backend.c, twin_peer.c). */
#ifndef MPGPU_TEST_TWIN_IMPL_H
#define MPGPU_TEST_TWIN_IMPL_H

#include "tests/support/twin_backend.h"

/* The structures to which pointers to gpu_device_impl and gpu_queue_impl point. Each has the index
 * of the twin, and the handle of the real backend. */
struct twin_device {
    int index;
    gpu_device_impl *real;
};
struct twin_queue {
    int index;
    gpu_queue_impl *real;
};

static inline struct twin_device *twin_device(gpu_device_impl *dev) {
    return (struct twin_device *)(void *)dev;
}

static inline struct twin_queue *twin_queue(gpu_queue_impl *q) {
    return (struct twin_queue *)(void *)q;
}

/* Counts a call of a simulated device (twin).  Returns GPU_OK, or the status that the test injects
 * into this call. */
enum gpu_status twin_due(int index);

/* Counts an error ("stray") if the memory belongs to another of the simulated devices (twins). */
void twin_look(gpu_mem mem, int index);

/* Records which kernel the calling thread launches next. */
void twin_note_kernel(enum gpu_kernel id);

/* Call it after each launch.  Counts the launch, unless its kernel checks results.  If the test has
 * chosen this launch to fail (`wrong` of struct twin), changes a word of the number that it
 * wrote. */
enum gpu_status twin_spoil_launch(struct twin_queue *q, const struct gpu_arg *args, unsigned nargs);

/* Copies from one simulated device (twin) to another, through host memory. */
enum gpu_status twin_peer_copy(gpu_queue_impl *q, gpu_mem dst, size_t offset, gpu_device_impl *from,
                               gpu_mem src, size_t src_offset, size_t bytes);

#endif
