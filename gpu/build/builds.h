/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Programs that are built at run time: how many, how long callers waited for them, and which of
 * them other processes build ahead.
 *
 * The first build starts helpers (gpu/build/helpers.h), if there can be any.  They build the
 * announced programs (gpu_expect), each once, into the cache.  If a thread needs a program that
 * another process is building, it waits for the program. */
#ifndef MPGPU_BUILDS_H
#define MPGPU_BUILDS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "gpu/gpu.h"

/* Memory that the processes share. */
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
    /* For each program: 0, the process that is building it, or BUILDS_DONE. */
    atomic_uint owner[GPU_PROGRAMS];
    atomic_uint wanted, done; /* programs, so far */
    atomic_uint later;        /* helpers that have finished the first programs */
};
enum { BUILDS_DONE = INT32_MAX };

/* Makes `shared` the table of this process.  start(count) starts helpers for `count` programs;
 * NULL: there are none. */
void builds_share(struct builds *shared, void (*start)(unsigned count));

/* Returns true if the device may use only programs of the cache. */
bool builds_are_forbidden(bool is_cpu);

/* Call it before a build, or if programs may be missing.  The process's first call looks for
 * missing programs and starts helpers. */
void builds_ahead(int device, bool simd, bool (*is_missing)(const void *dev, enum gpu_program),
                  const void *dev);

/* Returns true if the caller must build the program, and call builds_end then.  Waits while another
 * process builds it.  False: it is in the cache now, or this process is ending. */
bool builds_begin(enum gpu_program program);
void builds_end(enum gpu_program program, bool is_built);

/* Does the work of builds_begin for a helper process, but never waits.  Returns false if another
 * process is building the program. */
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
