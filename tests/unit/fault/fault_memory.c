/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The fault-injecting backend: device memory, host memory, and copies between them. */
#include "config.h"

#include <pthread.h>

#include "tests/support/pinning.h"
#include "tests/unit/fault/fault_impl.h"

/* The blocks of page-locked host memory. Copies to and from the device should use only these. */
enum { MOST_BLOCKS = 8 };
static struct {
    char *host;
    size_t bytes;
} blocks[MOST_BLOCKS];

static pthread_mutex_t blocks_mutex = PTHREAD_MUTEX_INITIALIZER;

static void note_block(char *host, size_t bytes) {
    int i = 0;
    pthread_mutex_lock(&blocks_mutex);
    while (i < MOST_BLOCKS && blocks[i].host)
        i++;
    if (i < MOST_BLOCKS) {
        blocks[i].host = host;
        blocks[i].bytes = bytes;
    }
    pthread_mutex_unlock(&blocks_mutex);
}

static void forget_block(const char *host) {
    pthread_mutex_lock(&blocks_mutex);
    for (int i = 0; i < MOST_BLOCKS; i++)
        if (blocks[i].host == host)
            blocks[i].host = NULL;
    pthread_mutex_unlock(&blocks_mutex);
}

/* Returns true if {x, bytes} is part of a block of page-locked memory. */
static int is_noted(const char *x, size_t bytes) {
    int found = 0;
    pthread_mutex_lock(&blocks_mutex);
    for (int i = 0; i < MOST_BLOCKS; i++)
        found |=
            blocks[i].host && x >= blocks[i].host && x + bytes <= blocks[i].host + blocks[i].bytes;
    pthread_mutex_unlock(&blocks_mutex);
    return found;
}

void fault_forget_blocks(void) {
    pthread_mutex_lock(&blocks_mutex);
    for (int i = 0; i < MOST_BLOCKS; i++)
        blocks[i].host = NULL;
    pthread_mutex_unlock(&blocks_mutex);
}

enum gpu_status fault_alloc(gpu_device_impl *dev, size_t bytes, gpu_mem *memp) {
    enum gpu_status status = fault_due(__func__);
    if (status == GPU_OK && fault_plan.most > 0 && bytes > fault_plan.most) {
        fault_count.faults++;
        status = GPU_NOMEM;
    }
    if (status == GPU_OK)
        status = fault_plan.real->alloc(dev, bytes, memp);
    return fault_made(status, &fault_count.buffers);
}

void fault_release(gpu_device_impl *dev, gpu_mem mem) {
    fault_count.buffers -= mem.h != 0;
    fault_plan.real->release(dev, mem);
}

enum gpu_status fault_host_alloc(gpu_device_impl *dev, size_t bytes, void **hostp) {
    enum gpu_status status = fault_due(__func__);
    if (status == GPU_OK)
        status = fault_plan.real->host_alloc(dev, bytes, hostp);
    if (status == GPU_OK)
        note_block(*hostp, bytes);
    return fault_made(status, &fault_count.blocks);
}

void fault_host_release(gpu_device_impl *dev, void *host) {
    fault_count.blocks--;
    forget_block(host);
    fault_plan.real->host_release(dev, host);
}

/* Maps host memory for the device by the real backend. This call never fails by the plan, because
 * the library can do without the mapping. */
enum gpu_status fault_host_view(gpu_device_impl *dev, void *host, gpu_mem *viewp) {
    return fault_plan.real->host_view(dev, host, viewp);
}

enum gpu_status fault_host_register(gpu_device_impl *dev, void *host, size_t bytes) {
    (void)dev;
    enum gpu_status status = fault_due(__func__);
    if (status == GPU_OK)
        status = pinning_register(host, bytes);
    return fault_made(status, &fault_count.pins);
}

void fault_host_unregister(gpu_device_impl *dev, void *host) {
    (void)dev;
    fault_count.pins--;
    pinning_unregister(host);
}

enum gpu_status fault_finish(gpu_queue_impl *queue) {
    gpu_event_impl *event;
    enum gpu_status status = fault_plan.real->event_record(queue, &event);
    if (status != GPU_OK)
        return status;
    status = fault_plan.real->event_wait(event);
    fault_plan.real->event_release(event);
    return status;
}

static void flip(unsigned char *host, size_t bytes) {
    host[fault_plan.bit / 8 % bytes] ^= (unsigned char)(1u << fault_plan.bit % 8);
    fault_count.faults++;
}

/* Waits until the copy has ended, then changes a bit of the copied data. */
static enum gpu_status spoil(gpu_queue_impl *queue, unsigned char *host, size_t bytes) {
    enum gpu_status status = fault_finish(queue);
    flip(host, bytes);
    return status;
}

enum gpu_status fault_spoil(gpu_queue_impl *queue, gpu_mem mem, size_t at) {
    unsigned char word[4];
    enum gpu_status status = fault_plan.real->read(queue, word, mem, at, sizeof word);
    status = status ? status : spoil(queue, word, sizeof word);
    status = status ? status : fault_plan.real->write(queue, mem, at, word, sizeof word);
    return status ? status : fault_finish(queue);
}

/* Returns the address for a copy: the page-locked pages at `host` if there are any, otherwise
 * `host` itself, which is counted as a stray copy. */
static void *pages_of(const void *host, size_t bytes) {
    void *pages = pinning_pages(host, bytes);
    if (!pages && is_noted(host, bytes))
        pages = (void *)host;
    fault_count.strays += pages == NULL;
    return pages ? pages : (void *)host;
}

enum gpu_status fault_write(gpu_queue_impl *queue, gpu_mem dst, size_t offset, const void *src,
                            size_t bytes) {
    src = pages_of(src, bytes);
    enum gpu_status status = fault_due(__func__);
    return status ? status : fault_plan.real->write(queue, dst, offset, src, bytes);
}

enum gpu_status fault_read(gpu_queue_impl *queue, void *dst, gpu_mem src, size_t offset,
                           size_t bytes) {
    dst = pages_of(dst, bytes);
    enum gpu_status status = fault_due(__func__);
    if (status == GPU_OK)
        status = fault_plan.real->read(queue, dst, src, offset, bytes);
    if (bytes < fault_plan.read_least || (fault_plan.read_most && bytes > fault_plan.read_most))
        return status;
    if (++fault_count.reads == fault_plan.read && status == GPU_OK)
        status = spoil(queue, dst, bytes);
    return status;
}

enum gpu_status fault_zero(gpu_queue_impl *queue, gpu_mem dst, size_t offset, size_t bytes) {
    enum gpu_status status = fault_due(__func__);
    return status ? status : fault_plan.real->zero(queue, dst, offset, bytes);
}

enum gpu_status fault_copy(gpu_queue_impl *queue, gpu_mem dst, gpu_mem src, size_t bytes) {
    enum gpu_status status = fault_due(__func__);
    return status ? status : fault_plan.real->copy(queue, dst, src, bytes);
}
