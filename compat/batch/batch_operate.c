/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Operations on batches (include/mpgpu.h): on the device, or else by GMP on the host. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "compat/batch/batch.h"
#include "compat/intercept/call.h"
#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/memory/wipe.h"

/* What is subtracted twice belongs to both. */
static bool is_term(const struct batch_step *step, const mpgpu_batch *b) {
    for (unsigned k = 0; k < step->terms; k++)
        if (step->u[k] == b)
            return true;
    return false;
}

static bool fits(const struct batch_step *step) {
    const mpgpu_batch *r = step->r, *cy = step->cy;
    size_t n = step->u[0]->n, count = step->u[0]->count;
    for (unsigned k = 0; k < step->terms; k++)
        if (step->u[k]->n != n || step->u[k]->count != count)
            return false;
    if (r->count != count || r->n != (step->kind == BATCH_PRODUCT ? 2 * n : n))
        return false;
    return !cy || (cy->count == count && cy->n == 1 && cy != r && !is_term(step, cy));
}

static bool is_lost(const struct batch_step *step) {
    for (unsigned k = 0; k < step->terms; k++)
        if (step->u[k]->where == BATCH_LOST)
            return true;
    return false;
}

/* ---- by GMP */

/* The results take the place of what was there when all is computed. */
static int finish_on_host(const struct batch_step *step, mp_limb_t *rp, mp_limb_t *cp) {
    const mp_limb_t *u[MPGPU_TERMS];
    for (unsigned k = 0; k < step->terms; k++)
        u[k] = step->u[k]->limbs;
    batch_by_gmp(step, rp, cp, u);
    batch_is_on_host(step->r, rp);
    if (step->cy)
        batch_is_on_host(step->cy, cp);
    return 0;
}

static int on_host(const struct batch_step *step) {
    int error = 0;
    for (unsigned k = 0; k < step->terms && !error; k++)
        error = batch_to_host(step->u[k]);
    if (error)
        return error;
    mp_limb_t *rp = malloc(batch_size(step->r) * sizeof *rp);
    mp_limb_t *cp = step->cy ? malloc(step->cy->count * sizeof *cp) : NULL;
    if (rp && (cp || !step->cy))
        return finish_on_host(step, rp, cp);
    free(rp);
    free(cp);
    return batch_fail(MPGPU_NO_MEMORY);
}

/* ---- on the device */

static bool is_too_long(const struct batch_step *step) {
    size_t most = step->kind == BATCH_SUM ? BATCH_MOST_SUM_WORDS : BATCH_MOST_WORDS;
    return step->u[0]->n > most / 2;
}

/* Where r is a term the result comes beside it, so that it is there if this fails. */
static struct batch_store *result_store(const struct batch_step *step) {
    return is_term(step, step->r) ? &step->r->spare : &step->r->store;
}

/* Everything that the device reads and writes is there. */
static enum outcome gather(const struct batch_step *step, struct batch_operation *op) {
    struct batch_store *result = result_store(step);
    enum outcome outcome = is_too_long(step) ? OUTCOME_SIZE : OUTCOME_DONE;
    for (unsigned k = 0; k < step->terms && outcome == OUTCOME_DONE; k++)
        outcome = batch_to_device(step->u[k]);
    if (outcome == OUTCOME_DONE)
        outcome = batch_reserve(result, batch_size(step->r) * sizeof(mp_limb_t));
    if (outcome == OUTCOME_DONE && step->cy)
        outcome = batch_reserve(&step->cy->store, step->cy->count * sizeof(mp_limb_t));
    if (outcome != OUTCOME_DONE)
        return outcome;
    *op = (struct batch_operation){.kind = step->kind,
                                   .borrows = step->borrows,
                                   .count = step->u[0]->count,
                                   .words = 2 * (uint32_t)step->u[0]->n,
                                   .terms = step->terms,
                                   .negated = step->minus,
                                   .r = result->mem};
    if (step->cy)
        op->carries = step->cy->store.mem;
    for (unsigned k = 0; k < step->terms; k++)
        op->term[k] = step->u[k]->store.mem;
    return OUTCOME_DONE;
}

/* All of a store on the host, to be freed; NULL if that can't be. */
static mp_limb_t *fetched(const struct batch_store *store, size_t limbs) {
    struct batch_store part = {store->mem, limbs * sizeof(mp_limb_t)};
    mp_limb_t *xp = malloc(part.bytes);
    if (xp && batch_fetch(xp, &part) == OUTCOME_DONE)
        return xp;
    wipe_free(xp, part.bytes);
    return NULL;
}

/* What is compared; the second of each pair is only there where the step has carries. */
struct comparison {
    mp_limb_t *results, *carries;     /* the device's */
    mp_limb_t *right, *right_carries; /* GMP's */
    mp_limb_t *u[MPGPU_TERMS];
};

static void fetch(struct comparison *c, const struct batch_step *step) {
    size_t size = batch_size(step->r), count = step->u[0]->count;
    c->results = fetched(result_store(step), size);
    c->right = malloc(size * sizeof *c->right);
    if (step->cy) {
        c->carries = fetched(&step->cy->store, count);
        c->right_carries = malloc(count * sizeof *c->right_carries);
    }
    for (unsigned k = 0; k < step->terms; k++)
        c->u[k] = fetched(&step->u[k]->store, batch_size(step->u[k]));
}

static void forget(struct comparison *c, const struct batch_step *step) {
    size_t bytes = batch_size(step->r) * sizeof *c->right;
    size_t carry_bytes = step->u[0]->count * sizeof *c->right;
    wipe_free(c->results, bytes);
    wipe_free(c->right, bytes);
    wipe_free(c->carries, carry_bytes);
    wipe_free(c->right_carries, carry_bytes);
    for (unsigned k = 0; k < step->terms; k++)
        wipe_free(c->u[k], batch_size(step->u[k]) * sizeof *c->right);
}

static bool is_complete(const struct comparison *c, const struct batch_step *step) {
    for (unsigned k = 0; k < step->terms; k++)
        if (!c->u[k])
            return false;
    return c->results && c->right && (!step->cy || (c->carries && c->right_carries));
}

/* GMP computes it too. */
static bool is_right(const struct comparison *c, const struct batch_step *step) {
    size_t bytes = batch_size(step->r) * sizeof *c->right;
    size_t carry_bytes = step->u[0]->count * sizeof *c->right;
    batch_by_gmp(step, c->right, c->right_carries, (const mp_limb_t *const *)c->u);
    return memcmp(c->results, c->right, bytes) == 0 &&
           (!step->cy || memcmp(c->carries, c->right_carries, carry_bytes) == 0);
}

/* verify:residue and verify:full, which are the same here. */
static enum outcome verify(const struct batch_step *step) {
    struct comparison c = {0};
    enum outcome outcome = OUTCOME_MEMORY;
    fetch(&c, step);
    if (is_complete(&c, step))
        outcome = is_right(&c, step) ? OUTCOME_DONE : OUTCOME_FAILED;
    forget(&c, step);
    if (outcome == OUTCOME_FAILED) {
        session_fault();
        mpgpu_log(LOG_WARNING, "wrong numbers of a batch from the device; GMP computes them");
    }
    return outcome;
}

static void keep(const struct batch_step *step) {
    if (is_term(step, step->r)) {
        struct batch_store before = step->r->store;
        step->r->store = step->r->spare;
        step->r->spare = before;
    }
    batch_is_on_device(step->r);
    if (step->cy)
        batch_is_on_device(step->cy);
}

static enum outcome on_device(const struct batch_step *step) {
    struct batch_operation op;
    enum outcome outcome = gather(step, &op);
    if (outcome == OUTCOME_DONE)
        outcome = batch_run(&op);
    if (outcome == OUTCOME_DONE && mpgpu_conf.verify >= VERIFY_RESIDUE)
        outcome = verify(step);
    if (outcome == OUTCOME_DONE)
        keep(step);
    return outcome;
}

/* ---- either */

/* What the results held is gone in any case. */
static void forget_results(const struct batch_step *step) {
    if (!is_term(step, step->r))
        step->r->where = BATCH_LOST;
    if (step->cy)
        step->cy->where = BATCH_LOST;
}

static int perform(const struct batch_step *step) {
    struct call call;
    if (step->terms == 0 || step->terms > MPGPU_TERMS || !fits(step))
        return batch_fail(MPGPU_ARGUMENTS);
    if (is_lost(step))
        return batch_fail(MPGPU_LOST);
    size_t size = batch_size(step->u[0]);
    enum call_row row = step->kind == BATCH_SUM ? ROW_mpgpu_batch_sum : ROW_mpgpu_batch_mul;
    if (!call_begin(&call, row, size, &thresholds.batch, step->terms * size)) {
        int error = on_host(step);
        if (error)
            forget_results(step);
        return error;
    }
    enum outcome outcome = on_device(step);
    if (outcome != OUTCOME_DONE)
        forget_results(step);
    if (outcome == OUTCOME_SIZE)
        call_open(); /* long products go one by one */
    int error = outcome == OUTCOME_DONE ? 0 : on_host(step);
    if (outcome == OUTCOME_SIZE)
        call_close(&call);
    call_end(&call, outcome);
    return error;
}

static int two(enum batch_kind kind, int subtract, mpgpu_batch *r, mpgpu_batch *cy, mpgpu_batch *u,
               mpgpu_batch *v) {
    mpgpu_batch *const terms[] = {u, v};
    struct batch_step step = {kind, subtract, r, cy, terms, 2, subtract ? 2 : 0};
    return perform(&step);
}

EXPORT int mpgpu_batch_add(mpgpu_batch *r, mpgpu_batch *cy, mpgpu_batch *u, mpgpu_batch *v) {
    return two(BATCH_SUM, 0, r, cy, u, v);
}

EXPORT int mpgpu_batch_sub(mpgpu_batch *r, mpgpu_batch *cy, mpgpu_batch *u, mpgpu_batch *v) {
    return two(BATCH_SUM, 1, r, cy, u, v);
}

EXPORT int mpgpu_batch_mul(mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch *v) {
    return two(BATCH_PRODUCT, 0, r, NULL, u, v);
}

EXPORT int mpgpu_batch_mullo(mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch *v) {
    return two(BATCH_LOW, 0, r, NULL, u, v);
}

EXPORT int mpgpu_batch_sqr(mpgpu_batch *r, mpgpu_batch *u) {
    return two(BATCH_PRODUCT, 0, r, NULL, u, u);
}

EXPORT int mpgpu_batch_sum(mpgpu_batch *r, mpgpu_batch *cy, mpgpu_batch *const *u, unsigned terms,
                           unsigned minus) {
    struct batch_step step = {BATCH_SUM, 0, r, cy, u, terms, minus};
    return perform(&step);
}
