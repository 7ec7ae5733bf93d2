/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A request under way. */
#ifndef MPGPU_SERVE_WORK_H
#define MPGPU_SERVE_WORK_H

#include "lib/job/job.h"
#include "tools/serve/serve.h"

struct serve_work {
    struct serve_channel *ch;
    struct serve_client *c;
    const struct served_request *r;
    struct serve_device *device; /* that it concerns, or NULL */
    uint64_t value;
    const char *wrong; /* why the client is dropped */
};

/* Notes that the device must be tested. */
static inline enum gpu_status serve_work_noted(const struct serve_work *w, enum gpu_status status) {
    if (status == GPU_FAILED && w->device)
        atomic_store(&w->device->is_suspect, true);
    return status;
}

/* Sets the device of that place; returns false if it is no device of this process. */
static inline bool serve_work_device(struct serve_work *w, uint64_t place) {
    w->device = place < serve_own_devices ? &serve_device[place] : NULL;
    return w->device != NULL;
}

static inline enum gpu_status serve_work_wrong(struct serve_work *w) {
    w->wrong = "a request that names what is not there";
    return GPU_FAILED;
}

/* ---- serve_job.c: SERVED_JOB */

enum gpu_status serve_job(struct serve_work *w);

/* Returns true if an operand or result has a possible size, and memory of one kind. */
bool serve_job_is_sound(const struct job_ref *x);

/* ---- serve_slots.c: SERVED_SLOTS, SERVED_RING_SLOTS */

enum gpu_status serve_slots_open(struct serve_work *w);
enum gpu_status serve_slots_ring(struct serve_work *w);

#endif
