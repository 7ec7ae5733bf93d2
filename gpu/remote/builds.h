/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Programs that are built at run time: how many, how long callers waited for them, and which of
 * them other processes build ahead.
 *
 * A process that builds for another one (gpu/remote/remote_main.c) starts helpers at its first
 * build.  They build what the program has said it expects (gpu_expect), each program once, into
 * the cache.  Whoever comes to a program that another builds waits for it. */
#ifndef MPGPU_BUILDS_H
#define MPGPU_BUILDS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "gpu/gpu.h"

/* What the processes share.  Kinds of devices: 0 for GPUs, 1 for those with caps.simd. */
struct builds {
    /* What is expected, as gpu_expect was told. */
    struct builds_list {
        uint16_t first, count;
        uint16_t program[GPU_PROGRAMS];
    } expected[2];
    bool at_once;
    bool none_for_cpus; /* only what the cache has */
    /* What of it was missing in the cache, for this device. */
    int device;
    bool simd;
    struct builds_list missing;
    /* By program: 0, the process that builds it, or BUILDS_DONE. */
    atomic_uint owner[GPU_PROGRAMS];
    atomic_uint wanted, done; /* programs, so far */
    atomic_uint later;        /* helpers that have come to what is not of the first */
};
enum { BUILDS_DONE = INT32_MAX };

/* Copies what gpu_expect was told. */
void builds_copy_expected(struct builds *to);

/* From now on `shared` is what counts in this process, which builds for another or helps with it.
 * start(count): starts helpers for so many programs, and may be NULL. */
void builds_share(struct builds *shared, void (*start)(unsigned count));

/* Is this device to get only what the cache has? */
bool builds_are_forbidden(bool is_cpu);

/* At a build, or where others may be missing, with all that is told of the device: the first one
 * looks for what is missing, and has helpers started. */
void builds_ahead(int device, bool simd, bool (*is_missing)(const void *dev, enum gpu_program),
                  const void *dev);

/* May the caller build the program?  Waits while another process does; false: it is in the cache
 * now.  builds_end has to follow a true. */
bool builds_begin(enum gpu_program program);
void builds_end(enum gpu_program program, bool is_built);

/* The same for a helper, which never waits: false where anybody else has begun it. */
bool builds_take(enum gpu_program program);

/* One that has no number was built. */
void builds_count(void);

/* Counts the nanoseconds of this thread from builds_clock() before the making of a kernel on, if
 * any program was built meanwhile. */
struct builds_clock {
    unsigned done;
    uint64_t ns;
};
struct builds_clock builds_clock(void);
void builds_wait_ended(struct builds_clock begun);

#endif
