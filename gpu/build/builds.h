/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Builds of kernel programs at run time: their count, how long threads waited for them, and which
 * programs other processes build in advance. The first build starts helper processes
 * (gpu/build/helpers.h), if possible. Each helper builds announced programs (gpu_expect) into the
 * cache on disk. A thread waits if another process is building its program. */
#ifndef MPGPU_BUILDS_H
#define MPGPU_BUILDS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "gpu/gpu.h"

/* The table of builds, in memory that this process and its helpers share. */
struct builds {
    /* The device's number, and in `missing` its announced programs that the cache lacked at first.
     * The first result of the device needs the first `first` programs of the list. */
    int device;
    bool simd;
    bool at_once;
    struct builds_list {
        uint16_t first, count;
        uint16_t program[GPU_PROGRAMS];
    } missing;
    /* For each program: 0 before its build; during the build the number of the process that builds
     * it; then BUILDS_DONE, or 0 if it failed. */
    atomic_uint owner[GPU_PROGRAMS];
    atomic_uint wanted, done; /* programs, so far */
    /* The number of helpers that have asked to build programs which the device's first result does
     * not need. */
    atomic_uint later;
};
enum { BUILDS_DONE = INT32_MAX };

/* Makes `shared` the table of builds in this process. start(count) starts helpers that build
 * `count` programs; NULL: there are no helpers. */
void builds_share(struct builds *shared, void (*start)(unsigned count));

/* Returns true if the device may only use programs from the cache, so that a missing one is not
 * built. */
bool builds_are_forbidden(bool is_cpu);

/* Prepares builds for a device. The process's first call finds the announced programs that the
 * cache lacks, and starts helpers for them. Call it before any build. */
void builds_ahead(int device, bool simd, bool (*is_missing)(const void *dev, enum gpu_program),
                  const void *dev);

/* Returns true if the caller must build the program and then call builds_end. Waits while another
 * process builds it. Returns false if the cache has the program now, or if this process is
 * ending. */
bool builds_begin(enum gpu_program program);
void builds_end(enum gpu_program program, bool is_built);

/* Reserves a program for a helper process, without waiting. Returns false if a process is building
 * the program or has built it. */
bool builds_take(enum gpu_program program);

/* Counts a build that builds_end does not count, such as that of a program generated at run
 * time. */
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
