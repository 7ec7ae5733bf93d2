/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Sends a job to the engine of another process, through memory that both processes map
 * (lib/transfer/far.h). */
#ifndef MPGPU_FAR_JOB_H
#define MPGPU_FAR_JOB_H

#include "lib/base/conf.h"
#include "lib/base/stats.h"
#include "lib/job/job.h"
#include "lib/transfer/far.h"

/* The other process cannot use this process's addresses, so an operand or result is described by a
 * place. A place is either a far address (lib/transfer/far.h), or an offset in a numbered region of
 * memory that both processes map (far_in_region). Place 0: the operand or result is absent. */
#define FAR_IN_REGION ((uint64_t)1 << 63)
enum { FAR_REGION_SHIFT = 56, FAR_MOST_REGIONS = 64 };

static inline uint64_t far_in_region(uint64_t region, uint64_t offset) {
    return FAR_IN_REGION | region << FAR_REGION_SHIFT | offset;
}
static inline bool far_is_in_region(uint64_t place) {
    return (place & FAR_IN_REGION) != 0;
}
static inline uint64_t far_region(uint64_t place) {
    return place >> FAR_REGION_SHIFT & (FAR_MOST_REGIONS - 1);
}
static inline uint64_t far_offset(uint64_t place) {
    return place & (((uint64_t)1 << FAR_REGION_SHIFT) - 1);
}

/* Returns true if {place, bytes} is a range of far addresses: memory of the caller's process,
 * marked by FAR_BIT (lib/transfer/far.h). Both numbers are limited, so that adding an offset cannot
 * change FAR_BIT. */
static inline bool far_is_range(uint64_t place, uint64_t bytes) {
    const uint64_t most = (uint64_t)1 << 60;
    return !far_is_in_region(place) && (place & FAR_BIT) && (place & ~FAR_BIT) <= most &&
           bytes <= most;
}

/* The request that the calling process writes for the engine. In `job`, and in the table of
 * variables of a JOB_numbers, places replace host addresses. Tables that job_fits reads must be in
 * a shared region. Device memory is named by the handles that the engine's process uses. */
struct far_request {
    struct job job;
    uint64_t wants_times; /* 1 if the caller keeps statistics */
    struct conf_job options;
    uint64_t ring;   /* place of the staging ring, through which the processes copy long operands */
    int32_t outcome; /* an enum outcome */
    /* the caller did not answer the engine, for example because it is stopped */
    int32_t has_left;
    uint64_t failed;          /* bit mask of devices that have failed, even if the job succeeded */
    struct stats_times times; /* statistics of the job */
};
_Static_assert(sizeof(struct far_request) <= FAR_REQUEST, "it has room");

static inline struct far_request *far_request_of(struct far_block *b) {
    return (struct far_request *)b->request;
}

/* The most bytes of an operand that is copied through memory that both processes map. The limit for
 * results is four times as high. Tests change the value. */
extern size_t far_short_bytes;

/* Runs *job by the engine of the process that owns the device. Waits in the calling thread, which
 * copies memory when the engine asks for it (far_serve). Sets the answers and residues of *job.
 * Returns GPU_OK, or the reason of its failure. After GPU_LEFT the job still runs, and the caller
 * must use neither *s nor *job. */
enum gpu_status far_run(struct context *s, struct job *job);

#endif
