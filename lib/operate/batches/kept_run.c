/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Operations on batches by the device's thread: what goes there and comes back. */
#include "lib/operate/batches/kept_run.h"

#include <stddef.h>
#include <string.h>

#include "lib/base/log.h"
#include "lib/expression/expression.h"
#include "lib/session/session.h"

struct request {
    enum gpu_status (*work)(struct context *s, void *argument);
    struct kept kept;
    bool has_kept;
    _Alignas(max_align_t) unsigned char argument[sizeof(struct expression_operation)];
};
_Static_assert(sizeof(struct request) <= SESSION_ARGUMENT, "it goes to that thread");

/* An operation that leaves a residue out is as bad as one that is wrong. */
static enum gpu_status judge(struct context *s, const struct kept_work *work) {
    if (work->has_compared)
        return GPU_OK;
    mpgpu_log(LOG_WARNING, "%s: residues of a batch are missing", s->dev.caps.name);
    return GPU_FAILED;
}

static enum gpu_status work_there(struct context *s, void *request) {
    struct request *r = request;
    struct kept_work work;
    if (r->has_kept)
        kept_begin(s, &work, &r->kept);
    enum gpu_status status = r->work(s, r->argument);
    s->kept = NULL;
    return status == GPU_OK && r->has_kept ? judge(s, &work) : status;
}

enum outcome kept_run(enum gpu_status (*work)(struct context *s, void *argument),
                      const void *argument, size_t size, size_t bytes, struct kept *kept) {
    struct request r = {.work = work, .has_kept = kept};
    if (size > sizeof r.argument)
        return OUTCOME_MEMORY;
    memcpy(r.argument, argument, size);
    if (kept)
        r.kept = *kept;
    enum outcome outcome = session_run(work_there, &r, sizeof r, bytes);
    if (kept && outcome == OUTCOME_DONE)
        *kept = r.kept;
    return outcome;
}
