/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Counters that any thread adds to without a lock, so that a fork at any moment leaves them usable.
 * lib/session/report/stats_report.c prints them. */
#include "config.h"

#include "lib/base/stats.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

#include "gpu/gpu.h"
#include "lib/base/conf.h"
#include "lib/base/process.h"
#include "lib/base/started.h"
#include "lib/base/stats_row.h"

static THREAD_MEMORY struct stats_times here;
static _Thread_local bool is_asked;
bool stats_on;
LARGE_ZERO struct stats_row stats_rows[STATS_MAX_ROWS];
int stats_row_count;

static USED_AT_START _Atomic pid_t owner; /* the process whose calls the rows count */
static USED_AT_START double began;        /* when counting began (stats_rows_are_ours) */
static USED_AT_START char options_name[] = "MPGPU_CONF", key[] = "stats";

const char *const stats_outcome_words[OUTCOME_COUNT] = {
    [OUTCOME_SMALL] = "small",   [OUTCOME_OPENING] = "opening", [OUTCOME_NONE] = "no device",
    [OUTCOME_MEMORY] = "memory", [OUTCOME_SIZE] = "size",       [OUTCOME_FAILED] = "failed",
    [OUTCOME_FORKED] = "forked", [OUTCOME_BUSY] = "busy",       [OUTCOME_SAMPLE] = "sample",
};

const char *const stats_way_words[STATS_WAYS] = {
    [STATS_NTT] = "ntt",   [STATS_SSA] = "ssa", [STATS_BLOCK] = "block", [STATS_BATCH] = "batch",
    [STATS_LIMB] = "limb", [STATS_SUM] = "sum", [STATS_FFT] = "fft",     [STATS_WHOLE] = "whole",
};

uint64_t stats_calls(const struct stats_row *row) {
    uint64_t sum = 0;
    for (int i = 0; i < OUTCOME_COUNT; i++)
        sum += row->calls[i];
    return sum;
}

void stats_add_row(struct stats_row *sum, const struct stats_row *row) {
    for (int i = 0; i < OUTCOME_COUNT; i++)
        sum->calls[i] += row->calls[i];
    for (int way = 0; way < STATS_WAYS; way++)
        sum->ways[way] += row->ways[way];
    sum->recomputed += row->recomputed;
    sum->limbs += row->limbs;
    sum->upload += row->upload;
    sum->kernels += row->kernels;
    sum->building += row->building;
    sum->download += row->download;
    sum->device += row->device;
    sum->gmp += row->gmp;
    sum->fresh += row->fresh;
}

double stats_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Starts the process's clock when the library is loaded, if the options ask for statistics. So a
 * process that ends without a call has a run time, too. */
static __attribute__((constructor)) void look_at_options(void) {
    const char *options = getenv(options_name);
    if (!options || !strstr(options, key) || getauxval(AT_SECURE))
        return;
    conf_keep(options);
    owner = getpid();
    began = stats_clock();
}

bool stats_rows_are_ours(void) {
    return owner && owner == getpid();
}

struct stats_times *stats_here(void) {
    static struct stats_times lost; /* ignored */
    struct stats_times *times = THREAD_MEMORY_GET(here);
    return times ? times : &lost;
}

void stats_ask(bool is_asked_now) {
    is_asked = is_asked_now;
}

bool stats_is_asked(void) {
    return is_asked;
}

void stats_begin(void) {
    struct stats_times *to = THREAD_MEMORY_FIND(here);
    if (to)
        *to = (struct stats_times){0};
}

void stats_add(const struct stats_times *times) {
    struct stats_times *to = stats_here();
    for (int way = 0; way < STATS_WAYS; way++)
        to->ways[way] += times->ways[way];
    to->recomputed += times->recomputed;
    to->upload += times->upload;
    to->kernels += times->kernels;
    to->building += times->building;
    to->download += times->download;
}

void stats_init(const char *const *names, int rows) {
    stats_row_count = rows < STATS_MAX_ROWS ? rows : STATS_MAX_ROWS;
    for (int i = 0; i < stats_row_count; i++)
        stats_rows[i].name = names[i];
    if (owner != getpid() || began == 0)
        began = stats_clock();
    owner = getpid();
    stats_on = conf_has_stats();
}

static void clear(struct stats_row *row) {
    for (int i = 0; i < OUTCOME_COUNT; i++)
        row->calls[i] = 0;
    for (int way = 0; way < STATS_WAYS; way++)
        row->ways[way] = 0;
    row->recomputed = row->limbs = 0;
    row->upload = row->building = row->kernels = row->download = row->device = row->gmp = 0;
    row->fresh = 0;
}

/* A child of fork starts from zero. Calls of children made without fork are not counted, because
 * these children may share the rows with their parent. */
static void own(void) {
    pid_t pid = getpid();
    if (owner == pid)
        return;
    owner = pid;
    began = stats_clock();
    for (int i = 0; i < stats_row_count; i++)
        clear(&stats_rows[i]);
}

static uint64_t nanoseconds(double seconds) {
    return seconds > 0 ? (uint64_t)(seconds * 1e9 + 0.5) : 0;
}

uint64_t stats_elapsed(void) {
    return nanoseconds(stats_clock() - began);
}

static void count_times(struct stats_row *row, const struct stats_times *times) {
    row->upload += nanoseconds(times->upload);
    row->kernels += nanoseconds(times->kernels - times->building);
    row->building += nanoseconds(times->building);
    row->download += nanoseconds(times->download);
    for (int way = 0; way < STATS_WAYS; way++)
        row->ways[way] += times->ways[way];
    row->recomputed += times->recomputed;
}

static void count(struct stats_row *row, enum outcome outcome, size_t limbs, double seconds) {
    row->calls[outcome]++;
    row->limbs += limbs;
    *(outcome == OUTCOME_DONE ? &row->device : &row->gmp) += nanoseconds(seconds);
    const struct stats_times *times = THREAD_MEMORY_FIND(here);
    if (times)
        count_times(row, times);
}

void stats_count(int index, enum outcome outcome, size_t limbs, double seconds,
                 struct stats_row *also) {
    if (index < 0 || index >= stats_row_count || !process_is_ours())
        return;
    own();
    count(&stats_rows[index], outcome, limbs, seconds);
    if (also)
        count(also, outcome, limbs, seconds);
    stats_begin();
}
