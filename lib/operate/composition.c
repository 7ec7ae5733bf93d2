/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Composite operations: a session's job each. */
#include "lib/operate/composition.h"

#include <string.h>

#include "lib/base/conf.h"
#include "lib/device/room.h"
#include "lib/operate/shares/composition_shares.h"
#include "lib/session/session.h"

bool composition_serves(void) {
    return mpgpu_conf.verify < VERIFY_RESIDUE && session_ready() == OUTCOME_DONE;
}

enum { ARGUMENT = SESSION_ARGUMENT - 64 };

struct job {
    void (*work)(struct calc *c, void *argument);
    _Alignas(max_align_t) unsigned char argument[ARGUMENT];
};
_Static_assert(sizeof(struct job) <= SESSION_ARGUMENT, "see session_run");

static enum gpu_status run(struct context *s, void *argument) {
    struct job *job = argument;
    return calc_run(s, job->work, job->argument);
}

static enum gpu_status persist(struct context *s, void *job) {
    return room_persist(s, run, job);
}

/* On a device, or on any. */
static enum outcome run_on(int device, void (*work)(struct calc *c, void *argument), void *argument,
                           size_t size, size_t bytes) {
    struct job job = {.work = work};
    memcpy(job.argument, argument, size);
    int bound = device == SESSION_ANY ? session_bound() : session_bind(device);
    enum outcome outcome = session_run(persist, &job, sizeof job, bytes);
    session_bind(bound);
    if (outcome == OUTCOME_DONE)
        memcpy(argument, job.argument, size);
    return outcome;
}

enum outcome composition_run_long(void (*work)(struct calc *c, void *argument), void *argument,
                                  size_t size, size_t bytes, size_t limbs) {
    int device = SESSION_ANY;
    if (size > ARGUMENT)
        return OUTCOME_MEMORY;
    if (composition_may_share(limbs) &&
        composition_in_shares(work, argument, size, bytes, &device) == OUTCOME_DONE)
        return OUTCOME_DONE;
    return run_on(device, work, argument, size, bytes);
}

enum outcome composition_run(void (*work)(struct calc *c, void *argument), void *argument,
                             size_t size, const struct touch *touches, size_t count) {
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += 4 * touches[i].bytes;
    return touch_all(touches, count) ? composition_run_long(work, argument, size, bytes, 0)
                                     : OUTCOME_MEMORY;
}
