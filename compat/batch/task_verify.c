/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Verifies the results of an operation on batches for verify:residue and verify:full. GMP computes
 * the operation, too, and the results are compared. */
#include <stdlib.h>
#include <string.h>

#include "compat/batch/task.h"
#include "lib/base/log.h"
#include "lib/memory/wipe.h"

struct comparison {
    mp_limb_t *results[JOB_RESULTS]; /* the device's */
    mp_limb_t *right[JOB_RESULTS];   /* GMP's */
    mp_limb_t *u[JOB_OPERANDS];
};

static size_t bytes_of(const mpgpu_batch *b) {
    return b ? batch_size(b) * sizeof(mp_limb_t) : 0;
}

/* Downloads `bytes` bytes of `store` to new memory *xp, which the caller frees. */
static enum outcome fetch(mp_limb_t **xp, const struct batch_store *store, size_t bytes) {
    *xp = malloc(bytes);
    return *xp ? batch_fetch(*xp, store, bytes) : OUTCOME_MEMORY;
}

/* Downloads operands and results for the comparison. Returns OUTCOME_FAILED if a device fails, or
 * if an operand does not match the residue (checksum) stored for it. */
static enum outcome fetch_all(struct comparison *c, const struct batch_task *t) {
    enum outcome outcome = batch_task_alloc(t, c->right) ? OUTCOME_DONE : OUTCOME_MEMORY;
    for (unsigned k = 0; k < t->results && outcome == OUTCOME_DONE; k++)
        if (t->r[k])
            outcome = fetch(&c->results[k], batch_task_store(t, k), bytes_of(t->r[k]));
    for (unsigned k = 0; k < t->operands && outcome == OUTCOME_DONE; k++)
        outcome = fetch(&c->u[k], &t->u[k]->store, bytes_of(t->u[k]));
    return outcome;
}

/* Stores residues of the verified results, by which later downloads are checked. */
static void keep(const struct comparison *c, const struct batch_task *t) {
    for (unsigned k = 0; k < t->results; k++)
        if (t->r[k]) {
            struct batch_store *store = batch_task_store(t, k);
            store->is_kept = true;
            store->residue = batch_residue(c->right[k], 0, bytes_of(t->r[k]));
        }
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
        if (t->r[k] && memcmp(c->results[k], c->right[k], bytes_of(t->r[k])) != 0) {
            session_fault();
            mpgpu_log(LOG_WARNING, "wrong numbers of a batch from the device; GMP computes them");
            return OUTCOME_FAILED;
        }
    return OUTCOME_DONE;
}

enum outcome batch_task_verify(const struct batch_task *t) {
    struct comparison c = {0};
    enum outcome outcome = fetch_all(&c, t);
    if (outcome == OUTCOME_DONE)
        outcome = compare(&c, t);
    if (outcome == OUTCOME_DONE)
        keep(&c, t);
    forget(&c, t);
    return outcome;
}
