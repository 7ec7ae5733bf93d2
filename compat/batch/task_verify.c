/* SPDX-License-Identifier: LGPL-3.0-or-later
 * verify:residue and verify:full of an operation on batches: GMP computes it too. */
#include <stdlib.h>
#include <string.h>

#include "compat/batch/task.h"
#include "lib/base/log.h"
#include "lib/memory/wipe.h"

struct comparison {
    mp_limb_t *results[BATCH_TASK_RESULTS]; /* the device's */
    mp_limb_t *right[BATCH_TASK_RESULTS];   /* GMP's */
    mp_limb_t *u[BATCH_TASK_OPERANDS];
};

static size_t bytes_of(const mpgpu_batch *b) {
    return b ? batch_size(b) * sizeof(mp_limb_t) : 0;
}

/* All of a store on the host, to be freed; NULL if that can't be. */
static mp_limb_t *fetched(const struct batch_store *store, size_t bytes) {
    struct batch_store part = {store->mem, bytes, store->device};
    mp_limb_t *xp = malloc(bytes);
    if (xp && batch_fetch(xp, &part) == OUTCOME_DONE)
        return xp;
    wipe_free(xp, bytes);
    return NULL;
}

/* False without memory, or where the device does not answer. */
static bool fetch(struct comparison *c, const struct batch_task *t) {
    bool is_complete = batch_task_alloc(t, c->right);
    for (unsigned k = 0; k < t->results && is_complete; k++) {
        if (t->r[k])
            c->results[k] = fetched(batch_task_store(t, k), bytes_of(t->r[k]));
        is_complete = c->results[k] || !t->r[k];
    }
    for (unsigned k = 0; k < t->operands && is_complete; k++) {
        c->u[k] = fetched(&t->u[k]->store, bytes_of(t->u[k]));
        is_complete = c->u[k];
    }
    return is_complete;
}

static void forget(struct comparison *c, const struct batch_task *t) {
    batch_task_free(t, c->results);
    batch_task_free(t, c->right);
    for (unsigned k = 0; k < t->operands; k++)
        wipe_free(c->u[k], bytes_of(t->u[k]));
}

static enum outcome compare(const struct comparison *c, const struct batch_task *t) {
    if (batch_task_by_gmp(t, c->right, (const mp_limb_t *const *)c->u))
        return OUTCOME_MEMORY;
    for (unsigned k = 0; k < t->results; k++)
        if (t->r[k] && memcmp(c->results[k], c->right[k], bytes_of(t->r[k])) != 0)
            return OUTCOME_FAILED;
    return OUTCOME_DONE;
}

enum outcome batch_task_verify(const struct batch_task *t) {
    struct comparison c = {0};
    enum outcome outcome = fetch(&c, t) ? compare(&c, t) : OUTCOME_MEMORY;
    forget(&c, t);
    if (outcome == OUTCOME_FAILED) {
        session_fault();
        mpgpu_log(LOG_WARNING, "wrong numbers of a batch from the device; GMP computes them");
    }
    return outcome;
}
