/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Composite operations: a session's job each. */
#include "lib/operate/composition.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/conf.h"
#include "lib/memory/wipe.h"
#include "lib/session/session.h"
#include "lib/transfer/transfer.h"

bool composition_serves(void) {
    return mpgpu_conf.verify < VERIFY_RESIDUE && session_ready() == OUTCOME_DONE;
}

enum { ARGUMENT = SESSION_ARGUMENT - 64 };

struct job {
    void (*work)(struct calc *c, void *argument);
    _Alignas(max_align_t) unsigned char argument[ARGUMENT];
};
_Static_assert(sizeof(struct job) <= SESSION_ARGUMENT, "see session_run");

/* Where memory does not suffice: once more without the buffers that other operations have left, and
 * then with shorter transforms.  Nothing is under way when buffers are released. */
static enum gpu_status run(struct context *s, void *argument) {
    struct job *job = argument;
    enum gpu_status status = calc_run(s, job->work, job->argument);
    for (int tight = 0; tight <= 3 && status == GPU_NOMEM; tight += 3) {
        if (gpu_finish(&s->queue) != GPU_OK || transfer_settle(s->transfer) != GPU_OK)
            break;
        context_trim(s);
        s->tight = tight;
        status = calc_run(s, job->work, job->argument);
    }
    s->tight = 0;
    return status;
}

enum outcome composition_run(void (*work)(struct calc *c, void *argument), void *argument,
                             size_t size, const struct touch *touches, size_t count) {
    struct job job = {.work = work};
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += touches[i].bytes;
    if (size > sizeof job.argument || !touch_all(touches, count))
        return OUTCOME_MEMORY;
    memcpy(job.argument, argument, size);
    enum outcome outcome = session_run(run, &job, sizeof job, 4 * bytes);
    if (outcome == OUTCOME_DONE)
        memcpy(argument, job.argument, size);
    return outcome;
}

static bool overlaps(mp_srcptr p, size_t n, const struct touch *operand) {
    const char *a = (const char *)p, *b = operand->p;
    return !operand->is_written && a < b + operand->bytes && b < a + n * sizeof *p;
}

bool composition_result_begin(struct composition_result *r, mp_ptr p, size_t n,
                              const struct touch *operands, size_t count) {
    *r = (struct composition_result){p, NULL, n};
    for (size_t i = 0; i < count && p && !r->room; i++)
        if (overlaps(p, n, &operands[i]) && !(r->room = malloc(n * sizeof *p)))
            return false;
    return true;
}

void composition_result_end(struct composition_result *r, bool is_done) {
    if (r->room && is_done)
        memcpy(r->p, r->room, r->n * sizeof *r->p);
    wipe_free(r->room, r->n * sizeof *r->p);
}
