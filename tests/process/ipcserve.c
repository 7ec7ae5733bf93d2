/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpgpu-serve with devices of a CPU whose memory other processes open, for tests of groups without
 * a GPU: PoCL computes in memory of the host, here in files, which others map.  Other devices are
 * as they are. */
#define _GNU_SOURCE 1 /* memfd_create */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpu/error.h"
#include "gpu/opencl_impl.h"
#include "tools/serve/serve.h"

enum { BLOCKS = 4096 };

/* A buffer's memory, or another process's. */
static struct block {
    gpu_mem mem; /* none: a free place */
    char *p;
    size_t bytes;
    int file;
} blocks[BLOCKS];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static const struct gpu_backend *real;

static void add(const struct block *b) {
    int i = 0;
    pthread_mutex_lock(&mutex);
    while (i < BLOCKS && blocks[i].mem.h)
        i++;
    if (i == BLOCKS)
        abort();
    blocks[i] = *b;
    pthread_mutex_unlock(&mutex);
}

/* One of nothing where there is none. */
static struct block find(gpu_mem mem, bool takes) {
    struct block found = {.p = NULL};
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < BLOCKS && !found.p; i++) {
        if (blocks[i].mem.h != mem.h || mem.h == 0)
            continue;
        found = blocks[i];
        blocks[i].mem.h = takes ? 0 : mem.h;
    }
    pthread_mutex_unlock(&mutex);
    return found;
}

static bool map(struct block *b) {
    b->p = mmap(NULL, b->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, b->file, 0);
    return b->p != MAP_FAILED;
}

static void end(const struct block *b) {
    if (b->p && b->p != MAP_FAILED)
        munmap(b->p, b->bytes);
    if (b->file >= 0)
        close(b->file);
}

/* ---- memory */

static enum gpu_status file_alloc(gpu_device_impl *dev, size_t bytes, gpu_mem *memp) {
    cl_int result = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    struct block b = {.bytes = bytes, .file = memfd_create("memory", MFD_CLOEXEC)};
    memp->h = 0;
    if (b.file >= 0 && ftruncate(b.file, (off_t)bytes) == 0 && map(&b))
        b.mem.h = (uintptr_t)opencl.create_buffer(
            dev->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, b.p, &result);
    if (result != CL_SUCCESS) {
        end(&b);
        return gpu_fail(GPU_NOMEM, "no memory that is a file");
    }
    add(&b);
    *memp = b.mem;
    return GPU_OK;
}

static void file_release(gpu_device_impl *dev, gpu_mem mem) {
    struct block b = find(mem, true);
    real->release(dev, mem);
    end(&b);
}

/* ---- for other processes: this one, and its descriptor */

struct name {
    pid_t process;
    int file;
};

static enum gpu_status file_ipc_handle(gpu_device_impl *dev, gpu_mem mem,
                                       struct gpu_ipc_handle *handle) {
    const struct name name = {getpid(), find(mem, false).file};
    (void)dev;
    memcpy(handle->bytes, &name, sizeof name);
    return GPU_OK;
}

static enum gpu_status file_ipc_open(gpu_device_impl *dev, const struct gpu_ipc_handle *handle,
                                     gpu_mem *memp) {
    struct name name;
    struct stat status;
    char path[64];
    (void)dev;
    memcpy(&name, handle->bytes, sizeof name);
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)name.process, name.file);
    struct block b = {.bytes = handle->size, .file = open(path, O_RDWR | O_CLOEXEC)};
    if (b.file < 0 || fstat(b.file, &status) != 0 || (uint64_t)status.st_size < handle->size ||
        !map(&b)) {
        end(&b);
        return gpu_fail(GPU_FAILED, "%s is no memory of that size", path);
    }
    memp->h = b.mem.h = (uintptr_t)b.p;
    add(&b);
    return GPU_OK;
}

static void file_ipc_close(gpu_device_impl *dev, gpu_mem mem) {
    struct block b = find(mem, true);
    (void)dev;
    end(&b);
}

static enum gpu_status file_peer_copy(gpu_queue_impl *queue, gpu_mem dst, size_t offset,
                                      gpu_device_impl *from, gpu_mem src, size_t src_offset,
                                      size_t bytes) {
    struct block b = find(src, false);
    (void)from;
    return b.p ? real->write(queue, dst, offset, b.p + src_offset, bytes)
               : gpu_fail(GPU_FAILED, "memory that is not there");
}

/* ---- the devices, once they are open */

bool __real_serve_open_devices(unsigned rank);
bool __wrap_serve_open_devices(unsigned rank);

bool __wrap_serve_open_devices(unsigned rank) {
    static struct gpu_backend with_files;
    struct gpu_device *dev = &serve_device[0].dev;
    if (!__real_serve_open_devices(rank) || !dev->caps.is_cpu)
        return serve_own_devices > 0;
    real = dev->backend;
    with_files = *real;
    with_files.alloc = file_alloc;
    with_files.release = file_release;
    with_files.peer_copy = file_peer_copy;
    with_files.ipc_handle = file_ipc_handle;
    with_files.ipc_open = file_ipc_open;
    with_files.ipc_close = file_ipc_close;
    for (unsigned i = 0; i < serve_own_devices; i++)
        serve_device[i].dev.backend = &with_files;
    return true;
}
