/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Programs that are built at run time: how many, how long callers waited for them, and which of
 * them other processes build ahead.
 *
 * The first build starts helpers (gpu/build/helpers.h), if there can be any.  They build what the
 * device is expected to be asked for (gpu_expect), each program once, into the cache.  A thread
 * that needs a program which another process builds waits for it. */
#ifndef MPGPU_BUILDS_H
#define MPGPU_BUILDS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "gpu/gpu.h"

/* What the processes share. */
struct builds {
    /* The device, and its expected programs that the cache lacked: `first` of them are needed
     * before its first result. */
    int device;
    bool simd;
    bool at_once;
    struct builds_list {
        uint16_t first, count;
        uint16_t program[GPU_PROGRAMS];
    } missing;
    /* By program: 0, the process that builds it, or BUILDS_DONE. */
    atomic_uint owner[GPU_PROGRAMS];
    atomic_uint wanted, done; /* programs, so far */
    atomic_uint later;        /* helpers that have come to what is not of the first */
};
enum { BUILDS_DONE = INT32_MAX };

/* Makes `shared` the table of this process.  start(count) starts helpers for `count` programs;
 * NULL: there are none. */
void builds_share(struct builds *shared, void (*start)(unsigned count));

/* Is this device to get only what the cache has? */
bool builds_are_forbidden(bool is_cpu);

/* Before a build, or if others may be missing: the first call of this process looks for what is
 * missing, and starts helpers. */
void builds_ahead(int device, bool simd, bool (*is_missing)(const void *dev, enum gpu_program),
                  const void *dev);

/* Returns true if the caller must build the program, and call builds_end then.  Waits while another
 * process builds it.  False: it is in the cache now, or this process is ending. */
bool builds_begin(enum gpu_program program);
void builds_end(enum gpu_program program, bool is_built);

/* The same for a helper, which never waits: returns false if another process has begun the
 * program. */
bool builds_take(enum gpu_program program);

/* Counts a built program that has no number, such as one from text. */
void builds_count(void);

/* Measures build waits: builds_clock() starts a clock before a kernel is created.
 * builds_wait_ended() adds the elapsed nanoseconds to this thread's total if any program was built
 * since then. */
struct builds_clock {
    unsigned done;
    uint64_t ns;
};
struct builds_clock builds_clock(void);
void builds_wait_ended(struct builds_clock begun);

#endif
