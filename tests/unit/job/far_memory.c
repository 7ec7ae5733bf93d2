/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Runs every job as if its caller were another process: the engine gets addresses that lead
 * nowhere. The engine crashes if it uses one other than by lib/transfer/caller_memory.h.  For
 * programs that are linked with --wrap for the functions below (tests/unit/Makemodule.am). */
#include <stdlib.h>
#include <string.h>

#include "lib/job/engine.h"
#include "lib/job/numbers.h"
#include "lib/multiply/direct.h"
#include "lib/session/session.h"
#include "lib/transfer/caller_memory.h"

/* An address with this bit leads nowhere on x86-64 and on AArch64, which ignores the highest eight.
 */
#define FAR ((uintptr_t)1 << 54)

static void *far_of(const void *p) {
    return p ? (void *)((uintptr_t)p | FAR) : NULL;
}

static void *near_of(const void *p) {
    return (void *)((uintptr_t)p & ~FAR);
}

/* ---- the caller's memory */

const void *__real_caller_enter(struct hold *hold, const void *p, size_t bytes);
void *__real_caller_enter_result(struct hold *hold, void *p, size_t bytes);
const void *__wrap_caller_enter(struct hold *hold, const void *p, size_t bytes);
void *__wrap_caller_enter_result(struct hold *hold, void *p, size_t bytes);

const void *__wrap_caller_enter(struct hold *hold, const void *p, size_t bytes) {
    return __real_caller_enter(hold, near_of(p), bytes);
}

void *__wrap_caller_enter_result(struct hold *hold, void *p, size_t bytes) {
    return __real_caller_enter_result(hold, near_of(p), bytes);
}

/* ---- jobs */

enum outcome __real_engine_run(struct job *job);
enum outcome __wrap_engine_run(struct job *job);

/* Returns places whose addresses are far ones, or NULL.  The caller frees them. */
static struct number_place *far_places(const struct job_ref *places) {
    struct number_place *far = malloc(job_bytes(places) + 1);
    if (!far)
        return NULL;
    memcpy(far, places->host, job_bytes(places));
    for (size_t i = 0; i < job_bytes(places) / sizeof *far; i++)
        far[i].host = far_of(far[i].host);
    return far;
}

enum outcome __wrap_engine_run(struct job *job) {
    struct job far = *job;
    struct number_place *places = NULL;
    if (job->op == JOB_numbers) {
        places = far_places(&job->u[NUMBERS_PLACES]);
        far.u[NUMBERS_PLACES].host = (uint64_t *)places;
    }
    for (unsigned k = 0; k < job->operands; k++)
        far.u[k].host = far_of(far.u[k].host);
    for (unsigned k = 0; k < job->results; k++)
        far.r[k].host = far_of(far.r[k].host);
    const enum outcome outcome = __real_engine_run(&far);
    for (unsigned k = 0; k < job->operands; k++)
        far.u[k].host = job->u[k].host;
    for (unsigned k = 0; k < job->results; k++)
        far.r[k].host = job->r[k].host;
    *job = far;
    free(places);
    return outcome;
}

/* The caller fills and empties slots of small products.  So the engine makes each far one by
 * itself.
 */
bool __real_session_run_products(struct direct_product *p, unsigned count, enum outcome *outcome);
bool __wrap_session_run_products(struct direct_product *p, unsigned count, enum outcome *outcome);

bool __wrap_session_run_products(struct direct_product *p, unsigned count, enum outcome *outcome) {
    const bool is_far = (uintptr_t)p->up & FAR;
    return !is_far && __real_session_run_products(p, count, outcome);
}
