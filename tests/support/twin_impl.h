/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Between the files of the backend of two devices. */
#ifndef MPGPU_TEST_TWIN_IMPL_H
#define MPGPU_TEST_TWIN_IMPL_H

#include "tests/support/twin_backend.h"

/* gpu_device_impl, gpu_queue_impl: which of the twins, and the real one. */
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

/* Counts a call: GPU_OK, or the status with which it is to fail. */
enum gpu_status twin_due(int index);

/* Counts a stray if the memory belongs to another twin. */
void twin_look(gpu_mem mem, int index);

/* The thread's next launch is of this kernel. */
void twin_note_kernel(enum gpu_kernel id);

/* Call it after a launch: counts the launch unless it is a check's, and changes a word of its
 * number if it is the launch that must go wrong. */
enum gpu_status twin_spoil_launch(struct twin_queue *q, const struct gpu_arg *args, unsigned nargs);

/* Copies through the host. */
enum gpu_status twin_peer_copy(gpu_queue_impl *q, gpu_mem dst, size_t offset, gpu_device_impl *from,
                               gpu_mem src, size_t src_offset, size_t bytes);

#endif
