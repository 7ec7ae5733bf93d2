/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A job for the engine of another process, in memory that both processes map (lib/transfer/far.h).
 */
#ifndef MPGPU_FAR_JOB_H
#define MPGPU_FAR_JOB_H

#include "lib/base/conf.h"
#include "lib/base/stats.h"
#include "lib/job/job.h"
#include "lib/transfer/far.h"

/* The place of an operand or result, instead of its address. It is a far address, or an offset in a
 * numbered region of memory that both processes map (gpu_place). 0: absent. */
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

/* Returns true if {place, bytes} is a range of far addresses: the sum of such an address and an
 * offset keeps its highest bit. */
static inline bool far_is_range(uint64_t place, uint64_t bytes) {
    const uint64_t most = (uint64_t)1 << 60;
    return !far_is_in_region(place) && (place & FAR_BIT) && (place & ~FAR_BIT) <= most &&
           bytes <= most;
}

/* The request. The job has places instead of addresses, and so do the places of JOB_numbers. Tables
 * that job_fits reads are in a region. Device memory has the handles of the engine's process. */
struct far_request {
    struct job job;
    uint64_t wants_times; /* the caller keeps statistics */
    struct conf_job options;
    uint64_t ring;            /* the place of STAGING_BYTES for far addresses */
    int32_t outcome;          /* an enum outcome */
    int32_t has_left;         /* the engine's caller has left, as when it is stopped */
    uint64_t failed;          /* devices that have failed (gpu_caps.jobs), whatever the outcome */
    struct stats_times times; /* times of the job */
};
_Static_assert(sizeof(struct far_request) <= FAR_REQUEST, "it has room");

static inline struct far_request *far_request_of(struct far_block *b) {
    return (struct far_request *)b->request;
}

/* Operands up to this size, and results up to four times of it, are copied to memory that both
 * processes map. Tests change it. */
extern size_t far_short_bytes;

/* Runs *job by the engine of the device's process. Waits in the calling thread, as far_serve does.
 * Sets answers and residues. Returns GPU_OK, or why it failed. After GPU_LEFT s->sent is still
 * under way, and the caller must use neither *s nor *job. */
enum gpu_status far_run(struct context *s, struct job *job);

#endif
