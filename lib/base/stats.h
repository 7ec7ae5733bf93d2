/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Statistics: a row per function, printed at exit if the option `stats` is set
 * (lib/session/report/stats_report.h). */
#ifndef MPGPU_STATS_H
#define MPGPU_STATS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/outcome.h"

/* The algorithms by which the device computes operations, for counting calls. */
enum stats_way {
    STATS_NTT,
    STATS_SSA,
    STATS_FFT,
    STATS_BLOCK,
    STATS_BATCH,
    STATS_LIMB, /* products of a number by a single limb */
    STATS_SUM,
    /* composite operations that ran wholly on the device; those with products modulo 2^p - 1 by fft
     * count as STATS_FFT instead */
    STATS_WHOLE,
    STATS_WAYS
};

/* Seconds of a call, by part (transfers and kernels), and the number of its operations by
 * algorithm. */
struct stats_times {
    double upload, kernels, download;
    unsigned long ways[STATS_WAYS];
    unsigned long recomputed; /* products by fft that failed a test, so that another algorithm
                                 computed them again */
    double building; /* part of `kernels`: the wait for device programs that had to be compiled on
                        this machine */
};

/* Returns the times of the calling thread's current call. Operations add to them, and stats_count
 * reads them. Without memory for its own struct, a thread gets a common one that nothing reads. */
struct stats_times *stats_here(void);

/* Begins a call: clears the calling thread's times. */
void stats_begin(void);

/* Adds *times, the times of another thread that has worked for the calling thread, to the calling
 * thread's times. */
void stats_add(const struct stats_times *times);

/* True if calls are counted (conf_has_stats). */
extern bool stats_on;

/* Sets whether the calling thread works for another process (a client of the server) that keeps
 * statistics. */
void stats_ask(bool is_asked);
bool stats_is_asked(void);

/* Returns true if the times of this thread's work are needed. */
static inline bool stats_are_wanted(void) {
    return stats_on || stats_is_asked();
}

struct stats_row;

/* Counts a call of function `row`, an index into the names given to stats_init, with `limbs` limbs
 * of operands. `seconds` is its whole time, on the device or by GMP. `also`: NULL, or another row
 * that counts the call, too (lib/base/sites/sites.h). Any thread may call it. */
void stats_count(int row, enum outcome outcome, size_t limbs, double seconds,
                 struct stats_row *also);

/* Initialises statistics; call it before other functions here, if statistics are on. names: a
 * static string for each row; the array itself need not stay valid. */
void stats_init(const char *const *names, int rows);

/* Returns the monotonic clock in seconds. */
double stats_clock(void);

/* Returns stats_clock() if times are needed; otherwise 0, without reading the clock. */
static inline double stats_now(void) {
    return stats_are_wanted() ? stats_clock() : 0;
}

#endif
