/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Structures private to the OpenCL backend.  A queue is a cl_command_queue with its device; an
 * event is the cl_event itself. */
#ifndef MPGPU_OPENCL_IMPL_H
#define MPGPU_OPENCL_IMPL_H

#include <pthread.h>

#include "gpu/gpu.h"
#include "gpu/kernels.h"
#include "gpu/opencl_driver.h"

struct gpu_kernel_impl {
    cl_kernel kernel;
    /* locked while a kernel's arguments are set and the kernel is launched */
    pthread_mutex_t *mutex;
    pthread_mutex_t own; /* `mutex` points to this, unless devices share a mutex */
    unsigned threads;    /* work-items of a work-group */
    const char *name;
};

/* A piece of page-locked memory: either the mapping of a buffer (opencl_host_alloc), or existing
 * memory that a buffer wraps (opencl_host_register). */
struct opencl_host_block {
    struct opencl_host_block *next;
    void *host;
    cl_mem buffer;
};

struct gpu_device_impl {
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue; /* for mapping */
    int index, is_cpu, simd, is_nvidia;
    enum { OPENCL_LOCKS_UNTRIED, OPENCL_LOCKS, OPENCL_LOCKS_NOT } locks; /* opencl_lock.c */
    uint64_t local_bytes;                                                /* of a work-group */
    uint64_t max_alloc;
    pthread_mutex_t mutex; /* for what follows */
    cl_program program[GPU_PROGRAMS];
    struct gpu_kernels kernels;
    struct gpu_texts texts;
    struct opencl_host_block *blocks, *locked;
};

enum { OPENCL_MOST_WAITS = 4 };

struct gpu_queue_impl {
    gpu_device_impl *dev;
    cl_command_queue queue;
    /* event of the last command; NULL if this command has no event, or after event_record has taken
     * it */
    cl_event last;
    cl_event wait[OPENCL_MOST_WAITS]; /* events that must complete before the next command begins */
    cl_uint waits;
};

/* The queue's wait list, as two arguments of an OpenCL command. */
#define OPENCL_WAITS(queue) (queue)->waits, ((queue)->waits ? (queue)->wait : NULL)

static inline cl_mem opencl_mem(gpu_mem mem) {
    return (cl_mem)(uintptr_t)mem.h;
}
static inline cl_event opencl_event(gpu_event_impl *event) {
    return (cl_event)event;
}

/* opencl_memory.c */
enum gpu_status opencl_alloc(gpu_device_impl *dev, size_t bytes, gpu_mem *memp);
void opencl_release(gpu_device_impl *dev, gpu_mem mem);
enum gpu_status opencl_host_alloc(gpu_device_impl *dev, size_t bytes, void **hostp);
void opencl_host_release(gpu_device_impl *dev, void *host);
enum gpu_status opencl_host_view(gpu_device_impl *dev, void *host, gpu_mem *viewp);

/* opencl_add_block adds a block to a list. opencl_take_block removes and returns the block at
 * `host`, or an empty block if no block is there. */
enum gpu_status opencl_add_block(gpu_device_impl *dev, struct opencl_host_block **list,
                                 const struct opencl_host_block *block);
struct opencl_host_block opencl_take_block(gpu_device_impl *dev, struct opencl_host_block **list,
                                           const void *host);

/* Defined in opencl_lock.c. Only one thread at a time may register memory. */
enum gpu_status opencl_host_register(gpu_device_impl *dev, void *host, size_t bytes);
void opencl_host_unregister(gpu_device_impl *dev, void *host);

/* Defined in opencl_queue.c. Only the queue's thread calls these functions. opencl_put must be
 * called after each command, with the command's event or NULL. */
enum gpu_status opencl_put(gpu_queue_impl *queue, cl_event event, cl_int result, const char *what);
enum gpu_status opencl_queue_open(gpu_device_impl *dev, gpu_queue_impl **queuep);
void opencl_queue_close(gpu_queue_impl *queue);
enum gpu_status opencl_write(gpu_queue_impl *queue, gpu_mem dst, size_t offset, const void *src,
                             size_t bytes);
enum gpu_status opencl_read(gpu_queue_impl *queue, void *dst, gpu_mem src, size_t offset,
                            size_t bytes);
enum gpu_status opencl_zero(gpu_queue_impl *queue, gpu_mem dst, size_t offset, size_t bytes);
enum gpu_status opencl_copy(gpu_queue_impl *queue, gpu_mem dst, gpu_mem src, size_t bytes);
enum gpu_status opencl_event_record(gpu_queue_impl *queue, gpu_event_impl **eventp);
enum gpu_status opencl_event_wait(gpu_event_impl *event);
enum gpu_status opencl_queue_wait(gpu_queue_impl *queue, gpu_event_impl *event);
void opencl_event_release(gpu_event_impl *event);

/* opencl_program.c: ensures that the program of a kernel is loaded: from the cache, or by
 * building it at first use. The caller holds the device's mutex. */
enum gpu_status opencl_program(gpu_device_impl *dev, enum gpu_kernel kernel);
/* Builds the program of a kernel's source text.  The caller releases the program. */
enum gpu_status opencl_program_of_text(gpu_device_impl *dev, const struct gpu_text *text,
                                       cl_program *programp);

/* Builds a program into the cache without loading it, unless another process has begun to build
 * it. */
enum gpu_status opencl_build_ahead(gpu_device_impl *dev, enum gpu_program program);

/* opencl_kernel.c */
enum gpu_status opencl_kernel(gpu_device_impl *dev, enum gpu_kernel id, gpu_kernel_impl **kernelp);
enum gpu_status opencl_build(gpu_device_impl *dev, const struct gpu_text *text,
                             gpu_kernel_impl **kernelp);
enum gpu_status opencl_launch(gpu_queue_impl *queue, gpu_kernel_impl *kernel, unsigned groups_x,
                              unsigned groups_y, const struct gpu_arg *args, unsigned nargs);
void opencl_kernels_close(gpu_device_impl *dev);

#endif
