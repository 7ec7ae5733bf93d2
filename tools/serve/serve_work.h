/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A client's request that is being executed. */
#ifndef MPGPU_SERVE_WORK_H
#define MPGPU_SERVE_WORK_H

#include "lib/job/job.h"
#include "tools/serve/serve.h"

struct serve_work {
    struct serve_channel *ch;
    struct serve_client *c;
    const struct served_request *r;
    struct serve_device *device; /* the device of the server that the request names, or NULL */
    uint64_t value;
    const char *wrong; /* the reason for dropping the client, or NULL */
};

/* Marks the request's device as suspect if `status` is a failure, so that it is tested.  Returns
 * `status`. */
static inline enum gpu_status serve_work_noted(const struct serve_work *w, enum gpu_status status) {
    if (status == GPU_FAILED && w->device)
        atomic_store(&w->device->is_suspect, true);
    return status;
}

/* Sets the device by its number.  Returns false if it is no device of this process. */
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

/* Returns true if the size of an operand or result is possible, and if all of its memory is of one
 * kind (host or device). */
bool serve_job_is_sound(const struct job_ref *x);

/* ---- serve_slots.c: the requests SERVED_SLOTS and SERVED_RING_SLOTS */

enum gpu_status serve_slots_open(struct serve_work *w);
enum gpu_status serve_slots_ring(struct serve_work *w);

#endif
