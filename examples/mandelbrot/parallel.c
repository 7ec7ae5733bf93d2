/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes the rows of a picture in one thread for each core. */
#include "config.h"

#include "examples/mandelbrot/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

#include "examples/mandelbrot/progress.h"

enum { MOST_THREADS = 256 };

struct row_loop {
    void (*work)(void *context, uint32_t row);
    void *context;
    atomic_uint_fast64_t next; /* the next row that no thread has taken */
    atomic_uint_fast64_t done;
    uint32_t end;
};

/* Takes the next row and calls work() for it. Returns false if no row is left. */
static bool take_row(struct row_loop *loop) {
    uint64_t row = atomic_fetch_add(&loop->next, 1);
    if (row >= loop->end)
        return false;
    loop->work(loop->context, (uint32_t)row);
    atomic_fetch_add(&loop->done, 1);
    return true;
}

static void *take_rows(void *loop) {
    while (take_row(loop))
        ;
    return NULL;
}

/* Returns the number of CPUs that the process may use. If cpu_set_t is too small for the
 * machine's CPUs, counts all CPUs that are online. */
static int cores(void) {
    cpu_set_t set;
    bool is_known = sched_getaffinity(0, sizeof set, &set) == 0;
    long count = is_known ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count < MOST_THREADS ? (int)count : MOST_THREADS;
}

void parallel_rows(uint32_t first, uint32_t end, void (*work)(void *context, uint32_t row),
                   void *context) {
    struct row_loop loop = {work, context, first, 0, end};
    pthread_t threads[MOST_THREADS];
    int count = 0, most = cores() - 1;
    while (count < most && pthread_create(&threads[count], NULL, take_rows, &loop) == 0)
        count++;
    while (take_row(&loop))
        progress_at(first + atomic_load(&loop.done), end);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}
