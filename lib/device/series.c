/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Launches in series: their list for kernels/series/series.cl. */
#include "lib/device/series.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/series/series.h"
#include "lib/base/log.h"
#include "lib/device/answers.h"

enum {
    BLOCKS = 16, /* lists that are under way */
    LEAST = 3    /* fewer launches go by themselves */
};

struct series {
    struct gpu_kept kept;
    struct context *s;
    unsigned block, count, memories; /* the list at hand, its commands and their buffers */
    uint64_t most_groups;
    gpu_mem memory[SERIES_MEMORIES];
    enum gpu_kernel kernel[SERIES_MOST];
    uint32_t blocks[BLOCKS][SERIES_BLOCK];
};

/* A kernel's phase, or 0, counted from 1. */
static const uint8_t phase_of[GPU_KERNELS] = {
#define PHASE(program, name, takes) [GPU_KERNEL_##program##_##name] = 1 + SERIES_##program##_##name,
#include "kernels/series/phases.def"
#undef PHASE
};

static atomic_bool is_taken[CONTEXT_DEVICES];

/* Libraries without CUDA's machine code have no such kernel. */
static bool has_kernel(struct context *s) {
    gpu_kernel_impl *unused;
    if (s->dev.caps.series &&
        s->dev.backend->kernel(s->dev.impl, GPU_KERNEL_series_series, &unused) != GPU_OK) {
        mpgpu_log(LOG_DETAIL, "%s: no launches in series: %s", s->dev.caps.name, gpu_error_text());
        s->dev.caps.series = false;
    }
    return s->dev.caps.series;
}

/* Behind a server other programs have series of their own. */
bool series_acquire(struct context *s) {
    return !s->dev.backend->is_served && has_kernel(s) &&
           !atomic_exchange(&is_taken[s->number], true);
}

void series_release(struct context *s) {
    atomic_store(&is_taken[s->number], false);
}

static uint32_t *command(struct series *k, unsigned i) {
    return k->blocks[k->block] + SERIES_HEAD + i * SERIES_COMMAND;
}

/* ---- launches that go */

/* A launch as it came. */
static enum gpu_status issue_alone(struct series *k, unsigned i) {
    const uint32_t *c = command(k, i);
    const char *takes = gpu_kernel_heads[k->kernel[i]].takes;
    struct gpu_arg args[SERIES_ARGS];
    unsigned nargs = 0;
    for (const uint32_t *w = c + SERIES_FIRST; takes[nargs]; w += 2, nargs++)
        args[nargs] = takes[nargs] == 'm'   ? gpu_arg_mem(k->memory[*w])
                      : takes[nargs] == 'w' ? gpu_arg_u32(*w)
                                            : gpu_arg_u64(*w | (uint64_t)w[1] << 32);
    return launch_kernel(k->s, k->kernel[i], launch_grid(c[SERIES_GROUPS_X], c[SERIES_GROUPS_Y]),
                         args, nargs);
}

/* The list's place on the device.  One that comes to lie where an earlier one lay waits for it. */
static enum gpu_status put_list(struct series *k, gpu_mem *lists) {
    struct context *s = k->s;
    const size_t bytes = sizeof k->blocks[0];
    enum gpu_status status = context_buffer(s, SLOT_SERIES, BLOCKS * bytes, lists);
    if (status != GPU_OK)
        return status;
    return gpu_write(&s->queue, *lists, k->block * bytes, k->blocks[k->block],
                     (SERIES_HEAD + k->count * SERIES_COMMAND) * sizeof(uint32_t));
}

/* One group for each compute unit, so that all run at the same time. */
static enum gpu_status issue_series(struct series *k) {
    struct context *s = k->s;
    gpu_mem lists, told, *m = k->memory;
    uint64_t units = s->dev.caps.compute_units;
    enum gpu_status status = put_list(k, &lists);
    if (status == GPU_OK)
        status = answers_get(s, &told);
    for (unsigned i = k->memories; i < SERIES_MEMORIES; i++)
        m[i] = m[0];
    return status == GPU_OK
               ? launch_series(s, launch_row(k->most_groups < units ? k->most_groups : units),
                               lists, k->block * (uint64_t)SERIES_BLOCK, k->count, told,
                               2 * ANSWER_LEFT, m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7],
                               m[8], m[9], m[10], m[11])
               : status;
}

static void reset(struct series *k) {
    k->count = k->memories = 0;
    k->most_groups = 0;
}

static enum gpu_status next_block(struct series *k) {
    reset(k);
    if (++k->block < BLOCKS)
        return GPU_OK;
    k->block = 0;
    return gpu_finish(&k->s->queue);
}

static enum gpu_status flush(struct gpu_kept *kept) {
    struct series *k = (struct series *)kept;
    enum gpu_status status = GPU_OK;
    if (k->count == 0)
        return GPU_OK;
    k->s->queue.kept = NULL; /* for what follows */
    if (k->count >= LEAST)
        status = issue_series(k);
    for (unsigned i = 0; i < k->count && k->count < LEAST && status == GPU_OK; i++)
        status = issue_alone(k, i);
    if (status == GPU_OK)
        status = next_block(k);
    k->s->queue.kept = kept;
    return status;
}

/* ---- launches that come */

/* The number of a buffer in the list, where there is one left. */
static unsigned number_of(struct series *k, gpu_mem mem) {
    unsigned i = 0;
    while (i < k->memories && k->memory[i].h != mem.h)
        i++;
    if (i == k->memories && i < SERIES_MEMORIES)
        k->memory[k->memories++] = mem;
    return i;
}

/* False where the list's buffers do not suffice. */
static bool put_args(struct series *k, const struct gpu_arg *args, unsigned nargs) {
    uint32_t *w = command(k, k->count) + SERIES_FIRST;
    bool fits = true;
    for (unsigned i = 0; i < nargs; i++, w += 2) {
        uint64_t value = args[i].kind == GPU_ARG_MEM   ? number_of(k, args[i].v.mem)
                         : args[i].kind == GPU_ARG_U32 ? args[i].v.u32
                                                       : args[i].v.u64;
        fits = fits && (args[i].kind != GPU_ARG_MEM || value < SERIES_MEMORIES);
        w[0] = (uint32_t)value;
        w[1] = (uint32_t)(value >> 32);
    }
    return fits;
}

bool series_keeps(struct context *s, enum gpu_kernel kernel, struct launch_groups groups,
                  const struct gpu_arg *args, unsigned nargs, enum gpu_status *status) {
    struct series *k = s->series;
    if (!s->queue.kept || !phase_of[kernel])
        return false;
    *status = k->count == SERIES_MOST ? flush(&k->kept) : GPU_OK;
    if (*status == GPU_OK && !put_args(k, args, nargs)) {
        *status = flush(&k->kept);
        if (*status == GPU_OK)
            put_args(k, args, nargs);
    }
    if (*status != GPU_OK) /* the list is as it was, perhaps full */
        return true;
    uint32_t *c = command(k, k->count);
    k->kernel[k->count++] = kernel;
    c[SERIES_PHASE] = phase_of[kernel] - 1u;
    c[SERIES_GROUPS_X] = (uint32_t)groups.x;
    c[SERIES_GROUPS_Y] = groups.y;
    if (groups.x * groups.y > k->most_groups)
        k->most_groups = groups.x * groups.y;
    return true;
}

void series_begin(struct context *s) {
    if (!s->series)
        s->series = calloc(1, sizeof *s->series);
    if (!s->series)
        return;
    reset(s->series); /* of what has failed before */
    s->series->kept.flush = flush;
    s->series->s = s;
    s->queue.kept = &s->series->kept;
}

enum gpu_status series_end(struct context *s) {
    enum gpu_status status = gpu_queue_flush(&s->queue);
    s->queue.kept = NULL;
    return status;
}

bool series_was_left(struct context *s) {
    if (!s->answers.host || s->answers.host[ANSWER_LEFT] == 0)
        return false;
    mpgpu_log(LOG_INFO, "%s: groups of one launch do not run at the same time", s->dev.caps.name);
    s->answers.host[ANSWER_LEFT] = 0;
    return true;
}

void series_close(struct context *s) {
    free(s->series);
    s->series = NULL;
}
