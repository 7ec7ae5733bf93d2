/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Private to the files of the backend whose launches go wrong. */
#ifndef MPGPU_TEST_INJECT_IMPL_H
#define MPGPU_TEST_INJECT_IMPL_H

#include <pthread.h>

#include "tests/unit/fault/inject_backend.h"

extern const struct gpu_backend *inject_real;
extern bool inject_is_cpu;
extern pthread_mutex_t inject_mutex; /* for all below */

/* A kernel's memory: device memory, or host memory (`host`) that the device can access. */
struct inject_memory {
    uint64_t h;
    size_t bytes;
    unsigned char *host;
    bool is_used;    /* a launch has used the memory since the host last wrote to it */
    bool is_by_host; /* the host was the last to write to it, in run number `run` */
    unsigned run;
};
struct inject_memory *inject_memory_of(gpu_mem mem); /* returns NULL for memory that is unknown
                                                        or released */

/* The arguments of a kernel's last launch. */
struct inject_call {
    unsigned x, y, nargs;
    struct gpu_arg args[GPU_KERNEL_ARGS];
};
struct inject_kernel {
    gpu_kernel_impl *impl;
    enum gpu_kernel id; /* GPU_KERNELS: a kernel that is built from text at run time */
    struct inject_call last;
};
struct inject_kernel *inject_kernel_of(gpu_kernel_impl *impl);

/* Returns true if this copy or zeroing must be skipped. */
bool inject_skips(enum inject_kind kind, size_t bytes);

/* Records that the host has written to memory. */
void inject_note_write(gpu_mem mem);

/* Records that the host reads memory. Changes a bit there before, if the fault is such a bit. */
enum gpu_status inject_note_read(gpu_queue_impl *queue, gpu_mem mem, size_t offset, size_t bytes);

/* Drops a delayed launch of the queue, which is closed now. */
void inject_forget_queue(const gpu_queue_impl *queue);

enum gpu_status inject_launch(gpu_queue_impl *queue, gpu_kernel_impl *kernel, unsigned x,
                              unsigned y, const struct gpu_arg *args, unsigned nargs);

#endif
