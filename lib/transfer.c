/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Transfers: the queue of the link, its order with the queue of the kernels, and which way
 * they go.  The device touches memory of the program only where that is the pool's and
 * page-locked; lib/gate.h keeps late answers out. */
#include "config.h"

#include "transfer.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "belt.h"
#include "gate.h"
#include "pinned.h"
#include "pool.h"

#define HUGE_BYTES ((size_t)4 << 20) /* from here on large pages are asked for */

struct transfer {
    struct gpu_device dev;
    struct gpu_queue link;
    struct belt *belt;
};

int transfer_open(const struct gpu_device *dev, int is_another, struct transfer **tp) {
    struct transfer *t = *tp = calloc(1, sizeof *t);
    if (!t)
        return GPU_NOMEM;
    t->dev = *dev;
    int status = belt_open(dev, is_another, &t->belt);
    if (status == GPU_OK)
        status = gpu_queue_open(dev, &t->link);
    if (status != GPU_OK) {
        transfer_close(t);
        *tp = NULL;
    }
    return status;
}

int transfer_settle(struct transfer *t) {
    int status = gpu_finish(&t->link);
    belt_clear(t->belt);
    return status;
}

void transfer_close(struct transfer *t) {
    if (t->link.impl) {
        transfer_settle(t);
        gpu_queue_close(&t->link);
    }
    if (t->belt)
        belt_close(t->belt);
    free(t);
}

/* What `second` is given from now on comes after what `first` holds. */
static int in_order(const struct gpu_queue *first, const struct gpu_queue *second) {
    gpu_event_impl *event;
    int status = first->backend->event_record(first->impl, &event);
    if (status != GPU_OK)
        return status;
    status = second->backend->queue_wait(second->impl, event);
    first->backend->event_release(event);
    return status;
}

/* Straight from page-locked memory, or to it. */
static int copy_up(const struct gpu_queue *queue, gpu_mem dst, size_t offset, const char *src,
                   size_t bytes) {
    int status = GPU_OK;
    for (size_t done = 0, n; done < bytes && status == GPU_OK; done += n) {
        n = pinned_piece(src + done, bytes - done);
        status = gpu_write(queue, dst, offset + done, src + done, n);
    }
    return status;
}

static int copy_down(const struct gpu_queue *queue, char *dst, gpu_mem src, size_t offset,
                     size_t bytes) {
    int status = GPU_OK;
    for (size_t done = 0, n; done < bytes && status == GPU_OK; done += n) {
        n = pinned_piece(dst + done, bytes - done);
        status = gpu_read(queue, dst + done, src, offset + done, n);
    }
    return status;
}

int transfer_up(struct transfer *t, const struct gpu_queue *queue, gpu_mem dst, size_t offset,
                const void *src, size_t bytes) {
    if (bytes == 0)
        return GPU_OK;
    int status = pinned_reach(&t->dev, src, bytes)
                     ? copy_up(&t->link, dst, offset, src, bytes)
                     : belt_up(t->belt, &t->link, dst, offset, src, bytes);
    return status == GPU_OK ? in_order(&t->link, queue) : status;
}

/* The whole pages of {host, bytes}. */
static size_t whole_pages(char *host, size_t bytes, char **begin) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t first = ((uintptr_t)host + page - 1) / page * page;
    uintptr_t end = ((uintptr_t)host + bytes) / page * page;
    *begin = (char *)first;
    return end > first ? end - first : 0;
}

/* A result that lies in fresh memory costs a page fault a page: fewer pages. */
static void ask_for_large_pages(char *host, size_t bytes) {
    char *begin;
    size_t whole = whole_pages(host, bytes, &begin);
    if (bytes >= HUGE_BYTES && !pool_owns(host) && gate_enter()) {
        madvise(begin, whole, MADV_HUGEPAGE);
        gate_leave();
    }
}

/* Was nothing that was lent lost meanwhile?  Then it is the program's again. */
static int end_loans(struct transfer *t) {
    if (!gate_enter())
        return GPU_FAILED;
    gate_end_loans(t);
    gate_leave();
    return GPU_OK;
}

/* The whole pages directly, and the rest by the belt. */
static int down_directly(struct transfer *t, char *dst, gpu_mem src, size_t offset, size_t bytes) {
    char *begin;
    size_t whole = whole_pages(dst, bytes, &begin), head = (size_t)(begin - dst);
    size_t behind = head + whole;
    if (!gate_lend(t, begin, whole))
        return GPU_FAILED;
    int status = copy_down(&t->link, begin, src, offset + head, whole);
    if (status == GPU_OK && head > 0)
        status = belt_down(t->belt, &t->link, dst, src, offset, head);
    if (status == GPU_OK && behind < bytes)
        status = belt_down(t->belt, &t->link, dst + behind, src, offset + behind, bytes - behind);
    if (status == GPU_OK && behind == bytes)
        status = gpu_finish(&t->link);
    return status == GPU_OK ? end_loans(t) : status;
}

static int down(struct transfer *t, char *dst, gpu_mem src, size_t offset, size_t bytes) {
    char *begin;
    if (whole_pages(dst, bytes, &begin) > 0 && pinned_reach(&t->dev, dst, bytes))
        return down_directly(t, dst, src, offset, bytes);
    ask_for_large_pages(dst, bytes);
    return belt_down(t->belt, &t->link, dst, src, offset, bytes);
}

int transfer_begin_down(struct transfer *t, const struct gpu_queue *queue) {
    return in_order(queue, &t->link);
}

int transfer_end_down(struct transfer *t, const struct gpu_queue *queue, void *dst, gpu_mem src,
                      size_t offset, size_t bytes) {
    int status = bytes > 0 ? down(t, dst, src, offset, bytes) : GPU_OK;
    return status == GPU_OK ? gpu_finish(queue) : status;
}

int transfer_down(struct transfer *t, const struct gpu_queue *queue, void *dst, gpu_mem src,
                  size_t offset, size_t bytes) {
    int status = transfer_begin_down(t, queue);
    return status == GPU_OK ? transfer_end_down(t, queue, dst, src, offset, bytes) : status;
}

void transfer_end_loans(struct transfer *t) {
    gate_end_loans(t);
}
