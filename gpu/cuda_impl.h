/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Structures private to the CUDA backend. */
#ifndef MPGPU_CUDA_IMPL_H
#define MPGPU_CUDA_IMPL_H

#include <pthread.h>

#include "gpu/cuda_driver.h"
#include "gpu/gpu.h"
#include "gpu/kernels.h"

struct gpu_kernel_impl {
    CUfunction function;
    const struct gpu_kernel_head *head;
    /* Its launches may begin before earlier launches of the queue have ended, because it begins
     * with FOLLOW_LAUNCH() (kernels/common/platform.h). */
    bool follows;
    /* Of a text: */
    struct gpu_kernel_head own;
    CUmodule module;
};

struct gpu_device_impl {
    CUdevice device;
    CUcontext context; /* a private context: the program may reset the device's primary context */
    pthread_mutex_t mutex; /* guards module, kernels and texts; held while a program is built */
    CUmodule module[GPU_PROGRAMS];
    struct gpu_kernels kernels;
    struct gpu_texts texts;
    pthread_mutex_t queues_mutex; /* guards peers, shared and events; held only briefly */
    uint64_t peers;               /* devices for which peer access was requested, a bit each */
    struct cuda_shared *shared;   /* memory that other processes can map */
    gpu_event_impl *events; /* unused events; creating one would lock the driver's whole context */
};

struct cuda_series;

struct gpu_queue_impl {
    gpu_device_impl *dev;
    CUstream stream;
    struct cuda_series *series; /* NULL until the queue's first series of launches */
};

struct gpu_event_impl {
    gpu_device_impl *dev;
    CUevent event;
    gpu_event_impl *next; /* free */
};

/* Enclose calls of the driver that need the device's context. cuda_enter pushes the device's
 * context on the calling thread's stack of contexts, cuda_leave pops it. Call cuda_leave only if
 * cuda_enter has returned GPU_OK. */
static inline enum gpu_status cuda_enter(const gpu_device_impl *dev) {
    enum gpu_status status = cuda_check(cuda.ctx_push_current(dev->context), "cuCtxPushCurrent");
    if (status == GPU_OK)
        cuda_ignore_captures();
    return status;
}
static inline void cuda_leave(void) {
    CUcontext ours;
    cuda.ctx_pop_current(&ours);
}

/* cuda_shared.c */
enum gpu_status cuda_alloc_shared(gpu_device_impl *dev, size_t bytes, gpu_mem *memp);
enum gpu_status cuda_share(gpu_device_impl *dev, gpu_mem mem, int *filep);
/* Releases memory of cuda_alloc_shared.  Returns false if `mem` is other memory. */
bool cuda_release_shared(gpu_device_impl *dev, gpu_mem mem);

/* cuda_queue.c */
enum gpu_status cuda_queue_open(gpu_device_impl *dev, gpu_queue_impl **queuep);
void cuda_queue_close(gpu_queue_impl *queue);
enum gpu_status cuda_write(gpu_queue_impl *queue, gpu_mem dst, size_t offset, const void *src,
                           size_t bytes);
enum gpu_status cuda_read(gpu_queue_impl *queue, void *dst, gpu_mem src, size_t offset,
                          size_t bytes);
enum gpu_status cuda_zero(gpu_queue_impl *queue, gpu_mem dst, size_t offset, size_t bytes);
enum gpu_status cuda_copy(gpu_queue_impl *queue, gpu_mem dst, gpu_mem src, size_t bytes);
enum gpu_status cuda_peer_copy(gpu_queue_impl *queue, gpu_mem dst, size_t offset,
                               gpu_device_impl *from, gpu_mem src, size_t src_offset, size_t bytes);
enum gpu_status cuda_event_record(gpu_queue_impl *queue, gpu_event_impl **eventp);
enum gpu_status cuda_event_wait(gpu_event_impl *event);
enum gpu_status cuda_queue_wait(gpu_queue_impl *queue, gpu_event_impl *event);
void cuda_event_release(gpu_event_impl *event);
/* Destroys the device's unused events.  The caller has entered the context. */
void cuda_events_close(gpu_device_impl *dev);

/* cuda_kernel.c */
enum gpu_status cuda_kernel(gpu_device_impl *dev, enum gpu_kernel id, gpu_kernel_impl **kernelp);
enum gpu_status cuda_launch(gpu_queue_impl *queue, gpu_kernel_impl *kernel, unsigned groups_x,
                            unsigned groups_y, const struct gpu_arg *args, unsigned nargs);
enum gpu_status cuda_build(gpu_device_impl *dev, const struct gpu_text *text,
                           gpu_kernel_impl **kernelp);
/* Launches the kernel at once, even during a series.  The caller has entered the context. */
enum gpu_status cuda_issue(gpu_queue_impl *queue, const gpu_kernel_impl *kernel, unsigned groups_x,
                           unsigned groups_y, const struct gpu_arg *args, unsigned nargs);
/* Unloads all modules.  The caller has entered the context. */
void cuda_kernels_close(gpu_device_impl *dev);

/* cuda_nvrtc.c: returns the machine code of the program for compute capability major.minor, from
 * the cache of built programs or from libnvrtc. The caller frees *codep. Returns GPU_NOBUILD
 * without libnvrtc, even if the cache has the code. */
enum gpu_status cuda_nvrtc_build(const struct gpu_text *text, int major, int minor, char **codep);

/* cuda_series.c */
enum { CUDA_MOST_ARGS = 32 };
enum gpu_status cuda_series(gpu_queue_impl *queue, bool begins);
/* Defers a launch and returns true during a series; otherwise returns false, and the caller issues
 * the launch. */
bool cuda_series_keeps(gpu_queue_impl *queue, const gpu_kernel_impl *kernel, unsigned groups_x,
                       unsigned groups_y, const struct gpu_arg *args, unsigned nargs,
                       enum gpu_status *status);
/* Issues the deferred launches.  The caller has entered the context. */
enum gpu_status cuda_series_flush(gpu_queue_impl *queue);
void cuda_series_close(gpu_queue_impl *queue);

#endif
