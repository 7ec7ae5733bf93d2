/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpgpu-serve for tests of jobs that several devices share, without a GPU. PoCL's devices here copy
 * from one another, which real CPU devices do not: this file allocates their memory on the host.
 * Other devices are unchanged.
 *
 * MPGPU_TEST_FAULT=KIND/DEVICE/FIRST/LAST: some calls that jobs make to device DEVICE fail, from
 * number FIRST to number LAST. With KIND launch, write, read or copy, calls of that kind return an
 * error; `copy` means a copy from the other device. With `hang`, copies never return; with `word`,
 * copies give a wrong word.
 *
 * MPGPU_TEST_SHARES=1: the devices have UUIDs (the first byte counts from 1). Other processes can
 * map the devices' shared memory, which is a file in memory. tests/process/fakecuda.c is the driver
 * of such a process. With another value, sharing fails. */
#define _GNU_SOURCE 1 /* memfd_create */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gpu/error.h"
#include "gpu/opencl_impl.h"
#include "lib/transfer/far.h"
#include "tools/serve/serve.h"

enum { BLOCKS = 4096, ALIGNMENT = 4096 };

/* The buffers of CPU devices, and the host memory that this file has allocated for each. */
static struct block {
    gpu_mem mem; /* a handle of 0 marks a free entry */
    char *p;
    size_t shared; /* size of the mapping of `file` in bytes; 0 if the memory is from
                      aligned_alloc */
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

/* Returns the block of a buffer. In the block, p is NULL if this file has not allocated the buffer.
 * `takes` also removes the entry. */
static struct block find_block(gpu_mem mem, bool takes) {
    struct block found = {.p = NULL};
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < BLOCKS && !found.p && mem.h; i++) {
        if (blocks[i].mem.h != mem.h)
            continue;
        found = blocks[i];
        blocks[i].mem.h = takes ? 0 : mem.h;
    }
    pthread_mutex_unlock(&mutex);
    return found;
}

static char *find(gpu_mem mem) {
    return find_block(mem, false).p;
}

/* ---- faults */

static struct {
    char kind[8];
    int device;
    long first, last;
    atomic_long calls;
} fault;

static void read_fault(void) {
    const char *text = getenv("MPGPU_TEST_FAULT");
    if (text && sscanf(text, "%7[a-z]/%d/%ld/%ld", fault.kind, &fault.device, &fault.first,
                       &fault.last) != 4)
        abort();
}

static bool is_faulty(const gpu_queue_impl *queue, const char *kind) {
    if (strcmp(kind, fault.kind) != 0 || queue->dev->index != fault.device || !far_here())
        return false;
    const long call = atomic_fetch_add(&fault.calls, 1) + 1;
    if (call < fault.first || call > fault.last)
        return false;
    serve_log(1, "%s %ld of device %d is made to fail", kind, call, fault.device);
    return true;
}

static enum gpu_status fail(void) {
    return gpu_fail(GPU_FAILED, "a fault of a test");
}

/* ---- the backend */

static void free_block(const struct block *b) {
    if (b->shared) {
        munmap(b->p, b->shared);
        close(b->file);
    } else {
        free(b->p);
    }
}

/* Creates a buffer in the memory of block b. Fails if this memory is NULL. */
static enum gpu_status make(gpu_device_impl *dev, size_t bytes, struct block *b, gpu_mem *memp) {
    cl_int result = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    memp->h = 0;
    if (b->p)
        b->mem.h = (uintptr_t)opencl.create_buffer(
            dev->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, b->p, &result);
    if (result != CL_SUCCESS) {
        free_block(b);
        return gpu_fail(GPU_NOMEM, "no memory");
    }
    add(b);
    *memp = b->mem;
    return GPU_OK;
}

static enum gpu_status peer_alloc(gpu_device_impl *dev, size_t bytes, gpu_mem *memp) {
    struct block b = {
        .p = aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT)};
    return make(dev, bytes, &b, memp);
}

static enum gpu_status peer_alloc_shared(gpu_device_impl *dev, size_t bytes, gpu_mem *memp) {
    struct block b = {.shared = bytes, .file = memfd_create("peerserve", MFD_CLOEXEC)};
    if (b.file < 0 || ftruncate(b.file, (off_t)bytes) != 0)
        return gpu_fail(GPU_NOMEM, "no memory");
    b.p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, b.file, 0);
    if (b.p == MAP_FAILED)
        return gpu_fail(GPU_NOMEM, "no memory");
    return make(dev, bytes, &b, memp);
}

static enum gpu_status peer_share(gpu_device_impl *dev, gpu_mem mem, int *filep) {
    const struct block b = find_block(mem, false);
    (void)dev;
    *filep = b.shared && strcmp(getenv("MPGPU_TEST_SHARES"), "1") == 0
                 ? fcntl(b.file, F_DUPFD_CLOEXEC, 0)
                 : -1;
    return *filep >= 0 ? GPU_OK : gpu_fail(GPU_FAILED, "a test lets sharing fail");
}

static void peer_release(gpu_device_impl *dev, gpu_mem mem) {
    const struct block b = find_block(mem, true);
    real->release(dev, mem);
    free_block(&b);
}

static enum gpu_status peer_copy(gpu_queue_impl *queue, gpu_mem dst, size_t offset,
                                 gpu_device_impl *from, gpu_mem src, size_t src_offset,
                                 size_t bytes) {
    static const uint32_t wrong = 0xbadbad;
    const char *p = find(src);
    (void)from;
    if (!p)
        return gpu_fail(GPU_FAILED, "memory that is not there");
    if (is_faulty(queue, "copy"))
        return fail();
    while (is_faulty(queue, "hang"))
        pause();
    enum gpu_status status = real->write(queue, dst, offset, p + src_offset, bytes);
    return status == GPU_OK && is_faulty(queue, "word")
               ? real->write(queue, dst, offset + bytes / 8 * 4, &wrong, sizeof wrong)
               : status;
}

static enum gpu_status peer_launch(gpu_queue_impl *queue, gpu_kernel_impl *kernel,
                                   unsigned groups_x, unsigned groups_y, const struct gpu_arg *args,
                                   unsigned nargs) {
    return is_faulty(queue, "launch")
               ? fail()
               : real->launch(queue, kernel, groups_x, groups_y, args, nargs);
}

static enum gpu_status peer_write(gpu_queue_impl *queue, gpu_mem dst, size_t offset,
                                  const void *src, size_t bytes) {
    return is_faulty(queue, "write") ? fail() : real->write(queue, dst, offset, src, bytes);
}

static enum gpu_status peer_read(gpu_queue_impl *queue, void *dst, gpu_mem src, size_t offset,
                                 size_t bytes) {
    return is_faulty(queue, "read") ? fail() : real->read(queue, dst, src, offset, bytes);
}

/* ---- wrapper of serve_open_devices, which replaces functions of the opened devices */

bool __real_serve_open_devices(unsigned rank);
bool __wrap_serve_open_devices(unsigned rank);

bool __wrap_serve_open_devices(unsigned rank) {
    static struct gpu_backend peers;
    struct gpu_device *dev = &serve_device[0].dev;
    if (!__real_serve_open_devices(rank) || !dev->caps.is_cpu)
        return serve_own_devices > 0;
    read_fault();
    real = dev->backend;
    peers = *real;
    peers.alloc = peer_alloc;
    peers.release = peer_release;
    peers.peer_copy = peer_copy;
    peers.launch = peer_launch;
    peers.write = peer_write;
    peers.read = peer_read;
    if (getenv("MPGPU_TEST_SHARES")) {
        peers.alloc_shared = peer_alloc_shared;
        peers.share = peer_share;
    }
    for (unsigned i = 0; i < serve_own_devices; i++) {
        serve_device[i].dev.backend = &peers;
        serve_device[i].dev.caps.uuid[0] = getenv("MPGPU_TEST_SHARES") ? (unsigned char)(i + 1) : 0;
    }
    return true;
}
