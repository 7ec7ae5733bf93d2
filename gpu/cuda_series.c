/* SPDX-License-Identifier: LGPL-3.0-or-later
 * CUDA backend: launches in series. Operations of the same size launch the same kernels with the
 * same arguments. A series of launches that occurs for the fourth time becomes a CUDA graph, which
 * one call of the driver launches. */
#include <stdlib.h>
#include <string.h>

#include "gpu/cuda_impl.h"
#include "gpu/error.h"

enum {
    MOST_KEPT = 64, /* maximum number of launches in a series */
    LEAST = 3,      /* a series of fewer launches is not made a graph */
    GRAPHS = 16,    /* most series that a queue remembers */
    TIMES = 4
};

struct launch {
    const gpu_kernel_impl *kernel;
    unsigned groups_x, groups_y, nargs;
    struct gpu_arg args[CUDA_MOST_ARGS];
};

/* A series of launches that has occurred before. After the series has occurred TIMES times, `exec`
 * is its CUDA graph. */
struct graph {
    struct launch *launches;
    unsigned count, times;
    CUgraphExec exec; /* or NULL */
    uint64_t used;
};

struct cuda_series {
    bool is_open;
    unsigned count;
    struct launch kept[MOST_KEPT];
    struct graph graphs[GRAPHS];
    uint64_t clock;
};

/* ---- finding a series that has occurred before */

static bool same_arg(const struct gpu_arg *a, const struct gpu_arg *b) {
    return a->kind == b->kind &&
           (a->kind == GPU_ARG_U32 ? a->v.u32 == b->v.u32 : a->v.u64 == b->v.u64);
}

static bool same_launch(const struct launch *a, const struct launch *b) {
    if (a->kernel != b->kernel || a->groups_x != b->groups_x || a->groups_y != b->groups_y)
        return false;
    for (unsigned i = 0; i < a->nargs; i++)
        if (!same_arg(&a->args[i], &b->args[i]))
            return false;
    return true;
}

static bool is_series(const struct graph *g, const struct cuda_series *s) {
    if (g->count != s->count)
        return false;
    for (unsigned i = 0; i < s->count; i++)
        if (!same_launch(&g->launches[i], &s->kept[i]))
            return false;
    return true;
}

/* Frees a remembered series. If its graph is still running, the driver destroys the graph after
 * its end. */
static void forget(struct graph *g) {
    if (g->exec)
        cuda.graph_exec_destroy(g->exec);
    free(g->launches);
    *g = (struct graph){0};
}

static void note(struct graph *g, const struct cuda_series *s) {
    forget(g);
    g->launches = malloc(s->count * sizeof *g->launches);
    if (!g->launches)
        return;
    memcpy(g->launches, s->kept, s->count * sizeof *g->launches);
    g->count = s->count;
}

/* Returns the graph of the deferred launches.  If there is none, replaces the least recently used
 * graph. */
static struct graph *find(struct cuda_series *s) {
    struct graph *oldest = &s->graphs[0];
    for (struct graph *g = s->graphs; g < s->graphs + GRAPHS; g++) {
        if (is_series(g, s))
            return g;
        if (g->used < oldest->used)
            oldest = g;
    }
    note(oldest, s);
    return oldest;
}

/* ---- passing launches to the driver; callers have entered the context */

static enum gpu_status issue(gpu_queue_impl *queue) {
    const struct cuda_series *s = queue->series;
    enum gpu_status status = GPU_OK;
    for (unsigned i = 0; i < s->count && status == GPU_OK; i++)
        status = cuda_issue(queue, s->kept[i].kernel, s->kept[i].groups_x, s->kept[i].groups_y,
                            s->kept[i].args, s->kept[i].nargs);
    return status;
}

/* Creates a graph by capturing the launches, which does not run them. If that fails, g->exec
 * remains NULL, and the launches are issued one by one. */
static void build(gpu_queue_impl *queue, struct graph *g) {
    CUgraph graph = NULL;
    if (cuda.capture_begin(queue->stream, CU_STREAM_CAPTURE_MODE_RELAXED) != CUDA_SUCCESS)
        return;
    enum gpu_status status = issue(queue);
    if (cuda.capture_end(queue->stream, &graph) != CUDA_SUCCESS)
        return;
    if (status != GPU_OK || cuda.graph_instantiate(&g->exec, graph, 0) != CUDA_SUCCESS)
        g->exec = NULL;
    cuda.graph_destroy(graph);
}

static enum gpu_status issue_series(gpu_queue_impl *queue) {
    struct graph *g = find(queue->series);
    g->used = ++queue->series->clock;
    if (++g->times == TIMES)
        build(queue, g);
    return g->exec ? cuda_check(cuda.graph_launch(g->exec, queue->stream), "cuGraphLaunch")
                   : issue(queue);
}

enum gpu_status cuda_series_flush(gpu_queue_impl *queue) {
    struct cuda_series *s = queue->series;
    if (!s || s->count == 0)
        return GPU_OK;
    enum gpu_status status = s->count < LEAST ? issue(queue) : issue_series(queue);
    s->count = 0;
    return status;
}

bool cuda_series_keeps(gpu_queue_impl *queue, const gpu_kernel_impl *kernel, unsigned groups_x,
                       unsigned groups_y, const struct gpu_arg *args, unsigned nargs,
                       enum gpu_status *status) {
    struct cuda_series *s = queue->series;
    if (!s || !s->is_open)
        return false;
    *status = s->count == MOST_KEPT ? cuda_series_flush(queue) : GPU_OK;
    struct launch *next = &s->kept[s->count++];
    *next = (struct launch){kernel, groups_x, groups_y, nargs, {{0}}};
    memcpy(next->args, args, nargs * sizeof *args);
    return true;
}

enum gpu_status cuda_series(gpu_queue_impl *queue, bool begins) {
    if (!queue->series && begins)
        queue->series = calloc(1, sizeof *queue->series);
    if (!queue->series)
        return GPU_OK; /* without memory for a series, each launch is issued at once */
    enum gpu_status status = cuda_enter(queue->dev);
    if (status != GPU_OK)
        return status;
    status = cuda_series_flush(queue);
    cuda_leave();
    queue->series->is_open = begins;
    return status;
}

void cuda_series_close(gpu_queue_impl *queue) {
    struct cuda_series *s = queue->series;
    for (int i = 0; s && i < GRAPHS; i++)
        forget(&s->graphs[i]);
    free(s);
    queue->series = NULL;
}
