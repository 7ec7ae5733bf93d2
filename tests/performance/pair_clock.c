/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A clock for two devices made of one.  While it runs, the queue is empty before each call and
 * waited for behind it.  The shortest such call is taken off each: nothing but its wait. */
#include "tests/performance/pair_clock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/stats.h"
#include "tests/support/twin_impl.h"

enum { WRITE = GPU_KERNELS, READ, ZERO, COPY, KINDS, MOST_KERNELS = 1024, HOST_BYTES = 64 << 20 };
static const double HOST_LINK = 55.4e9; /* bytes a second */

struct count {
    long calls;
    double seconds;
};

static gpu_device_impl *opened;
static bool is_on;
static int column; /* of the first device */
static struct count counts[PAIR_COLUMNS][KINDS];
static double copied[PAIR_COLUMNS], shortest = 1; /* bytes; seconds */
static double delay;                              /* of copies, bytes from the host for each */
static void *host;
static atomic_long events[PAIR_COLUMNS];
static struct {
    gpu_kernel_impl *kernel;
    enum gpu_kernel id;
} known[MOST_KERNELS];
static int known_count;

static int column_of(gpu_queue_impl *q) {
    return (column + twin_queue(q)->index) % PAIR_COLUMNS;
}

/* One thread at a time calls devices while the clock runs, so that nothing here needs a lock. */
static struct count *begin(gpu_queue_impl *q, int kind, double *since) {
    struct gpu_queue all = {.backend = twin_real(), .impl = twin_queue(q)->real};
    *since = 0;
    if (!is_on)
        return NULL;
    gpu_finish(&all);
    *since = stats_clock();
    return &counts[column_of(q)][kind];
}

static enum gpu_status end(gpu_queue_impl *q, struct count *count, double since,
                           enum gpu_status status) {
    struct gpu_queue all = {.backend = twin_real(), .impl = twin_queue(q)->real};
    if (!count)
        return status;
    gpu_finish(&all);
    double seconds = stats_clock() - since;
    count->calls++;
    count->seconds += seconds;
    shortest = seconds < shortest ? seconds : shortest;
    return status;
}

static enum gpu_status timed_write(gpu_queue_impl *q, gpu_mem dst, size_t offset, const void *src,
                                   size_t bytes) {
    double since;
    struct count *count = begin(q, WRITE, &since);
    return end(q, count, since, twin_backend.write(q, dst, offset, src, bytes));
}

static enum gpu_status timed_read(gpu_queue_impl *q, void *dst, gpu_mem src, size_t offset,
                                  size_t bytes) {
    double since;
    struct count *count = begin(q, READ, &since);
    return end(q, count, since, twin_backend.read(q, dst, src, offset, bytes));
}

static enum gpu_status timed_zero(gpu_queue_impl *q, gpu_mem dst, size_t offset, size_t bytes) {
    double since;
    struct count *count = begin(q, ZERO, &since);
    return end(q, count, since, twin_backend.zero(q, dst, offset, bytes));
}

/* Both devices are the same, which copies where it can. */
static enum gpu_status copy(gpu_queue_impl *q, gpu_mem dst, size_t offset, gpu_device_impl *from,
                            gpu_mem src, size_t src_offset, size_t bytes) {
    const struct gpu_backend *real = twin_real();
    return real->peer_copy ? real->peer_copy(twin_queue(q)->real, dst, offset,
                                             twin_device(from)->real, src, src_offset, bytes)
                           : twin_backend.peer_copy(q, dst, offset, from, src, src_offset, bytes);
}

static enum gpu_status timed_copy(gpu_queue_impl *q, gpu_mem dst, size_t offset,
                                  gpu_device_impl *from, gpu_mem src, size_t src_offset,
                                  size_t bytes) {
    double since;
    size_t before = (size_t)((double)bytes * delay);
    struct count *count = begin(q, COPY, &since);
    copied[column_of(q)] += is_on ? (double)bytes : 0;
    if (!is_on && before > 0 && before <= HOST_BYTES)
        twin_backend.write(q, dst, offset, host, before);
    return end(q, count, since, copy(q, dst, offset, from, src, src_offset, bytes));
}

static int kind_of(gpu_kernel_impl *kernel) {
    for (int i = 0; i < known_count; i++)
        if (known[i].kernel == kernel)
            return (int)known[i].id;
    return 0;
}

static enum gpu_status timed_kernel(gpu_device_impl *dev, enum gpu_kernel id,
                                    gpu_kernel_impl **kernelp) {
    enum gpu_status status = twin_backend.kernel(dev, id, kernelp);
    if (status == GPU_OK && kind_of(*kernelp) != (int)id && known_count < MOST_KERNELS) {
        known[known_count].kernel = *kernelp;
        known[known_count++].id = id;
    }
    return status;
}

static enum gpu_status timed_launch(gpu_queue_impl *q, gpu_kernel_impl *kernel, unsigned groups_x,
                                    unsigned groups_y, const struct gpu_arg *args, unsigned nargs) {
    double since;
    struct count *count = begin(q, is_on ? kind_of(kernel) : 0, &since);
    return end(q, count, since, twin_backend.launch(q, kernel, groups_x, groups_y, args, nargs));
}

/* Both are one opening of the device: between two, each copy would cost a change of contexts. */
static enum gpu_status open_once(int index, gpu_device_impl **devp) {
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    struct twin_device *d = malloc(sizeof *d);
    enum gpu_status status = d ? GPU_OK : GPU_NOMEM;
    pthread_mutex_lock(&mutex);
    if (status == GPU_OK && !opened)
        status = twin_real()->open(0, &opened);
    pthread_mutex_unlock(&mutex);
    if (status == GPU_OK)
        *d = (struct twin_device){index, opened};
    *devp = (gpu_device_impl *)(void *)d;
    return status;
}

static void close_never(gpu_device_impl *dev) {
    free(dev);
}

static enum gpu_status counted_event(gpu_queue_impl *q, gpu_event_impl **eventp) {
    atomic_fetch_add(&events[column_of(q)], is_on);
    return twin_backend.event_record(q, eventp);
}

void pair_clock_backend(struct gpu_backend *backend) {
    *backend = twin_backend;
    backend->locks_for_all = twin_real()->locks_for_all;
    backend->open = open_once;
    backend->close = close_never;
    backend->write = timed_write;
    backend->read = timed_read;
    backend->zero = timed_zero;
    backend->peer_copy = timed_copy;
    backend->kernel = timed_kernel;
    backend->launch = timed_launch;
    backend->event_record = counted_event;
}

void pair_clock_begin(int first) {
    is_on = true;
    column = first;
    for (int i = first; i < PAIR_COLUMNS && i < first + TWINS; i++) {
        memset(counts[i], 0, sizeof counts[i]);
        copied[i] = 0;
        atomic_store(&events[i], 0);
    }
}

static double seconds_of(const struct count *count) {
    return count->seconds - (double)count->calls * shortest;
}

void pair_clock_pause(void) {
    is_on = false;
}

void pair_clock_set_link(double rate) {
    double seconds = seconds_of(&counts[PAIR_FIRST][COPY]);
    double here = seconds > 0 ? copied[PAIR_FIRST] / seconds : 0;
    if (!host && twin_real()->host_alloc(opened, HOST_BYTES, &host) != GPU_OK)
        return;
    delay = here > rate ? (1 / rate - 1 / here) * HOST_LINK : 0;
}

double pair_clock_copied(int i) {
    return copied[i];
}

long pair_clock_events(int i) {
    return atomic_load(&events[i]);
}

static const char *name_of(int kind) {
    static const char *const names[] = {"(up)", "(down)", "(zeros)", "(copies)"};
    return kind < GPU_KERNELS ? gpu_kernel_heads[kind].name : names[kind - GPU_KERNELS];
}

static bool is_worth_a_line(int kind, const double all[PAIR_COLUMNS]) {
    for (int i = 0; i < PAIR_COLUMNS; i++)
        if (seconds_of(&counts[i][kind]) > all[i] / 100)
            return true;
    return false;
}

void pair_clock_print(void) {
    double all[PAIR_COLUMNS] = {0};
    for (int i = 0; i < PAIR_COLUMNS; i++)
        for (int kind = 0; kind < KINDS; kind++)
            all[i] += seconds_of(&counts[i][kind]);
    for (int kind = 0; kind < KINDS; kind++) {
        if (!is_worth_a_line(kind, all))
            continue;
        printf("  %-22s", name_of(kind));
        for (int i = 0; i < PAIR_COLUMNS; i++)
            printf("  %5ld %9.3f", counts[i][kind].calls, 1e3 * seconds_of(&counts[i][kind]));
        printf("\n");
    }
    printf("  %-22s         %9.3f         %9.3f         %9.3f\n", "all", 1e3 * all[0], 1e3 * all[1],
           1e3 * all[2]);
}
