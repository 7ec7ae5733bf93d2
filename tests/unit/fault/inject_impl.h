/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Private to the files of the backend that makes one launch go wrong. */
#ifndef MPGPU_TEST_INJECT_IMPL_H
#define MPGPU_TEST_INJECT_IMPL_H

#include <pthread.h>

#include "tests/unit/fault/inject_backend.h"

extern const struct gpu_backend *inject_real;
extern bool inject_is_cpu;
extern pthread_mutex_t inject_mutex; /* for all below */

/* Memory that a kernel uses: device memory, or host memory that the device can access (then `host`
 * is not NULL). */
struct inject_memory {
    uint64_t h;
    size_t bytes;
    unsigned char *host;
    bool is_used; /* a launch has used this memory since the host last wrote to it */
    /* the last write came from the host; `run` is the number of the run in which it came */
    bool is_by_host;
    unsigned run;
};
/* returns NULL if the memory is unknown or was released */
struct inject_memory *inject_memory_of(gpu_mem mem);

/* The size and arguments of a kernel's last launch. */
struct inject_call {
    unsigned x, y, nargs;
    struct gpu_arg args[GPU_KERNEL_ARGS];
};
struct inject_kernel {
    gpu_kernel_impl *impl;
    enum gpu_kernel id; /* GPU_KERNELS if the kernel was built from text at run time */
    struct inject_call last;
};
struct inject_kernel *inject_kernel_of(gpu_kernel_impl *impl);

/* Returns true if this copy, or this filling with zeros, must be skipped as the fault of the
 * run. */
bool inject_skips(enum inject_kind kind, size_t bytes);

/* Records that the host has written to this device memory. */
void inject_note_write(gpu_mem mem);

/* Records that the host is about to read memory. If the run's fault is a changed bit of this
 * download, changes the bit first. */
enum gpu_status inject_note_read(gpu_queue_impl *queue, gpu_mem mem, size_t offset, size_t bytes);

/* Drops a delayed launch of this queue, which is being closed. */
void inject_forget_queue(const gpu_queue_impl *queue);

enum gpu_status inject_launch(gpu_queue_impl *queue, gpu_kernel_impl *kernel, unsigned x,
                              unsigned y, const struct gpu_arg *args, unsigned nargs);

#endif
