/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes an operation on batches that exceed the device's memory. A piece is a range of the
 * numbers. For each piece, uploads the operands, computes, and downloads the results. */
#include <stdlib.h>

#include "compat/batch/shards.h"
#include "compat/batch/task.h"
#include "lib/base/log.h"

/* A task that is computed in pieces. `part` is the same operation on one piece, a range of the
 * numbers. */
struct pieces {
    const struct batch_task *all;
    size_t count, most; /* numbers in the task; numbers in a piece */
    struct batch_task part;
    mpgpu_batch u[JOB_OPERANDS], r[JOB_RESULTS];
    mp_limb_t *rp[JOB_RESULTS]; /* host memory for all results */
};

/* Returns true if b has a number for each result; false if its single number serves all results. */
static bool is_cut(const struct pieces *p, const mpgpu_batch *b) {
    return b->count == p->count;
}

static unsigned first_same(const struct batch_task *t, unsigned k) {
    unsigned j = 0;
    while (t->u[j] != t->u[k])
        j++;
    return j;
}

/* ---- memory */

static void forget_pieces(struct pieces *p) {
    for (unsigned k = 0; k < p->all->operands; k++)
        batch_free(&p->u[k].store);
    for (unsigned k = 0; k < p->all->results; k++)
        batch_free(&p->r[k].store);
}

/* Gives `piece` the size of `count` numbers of `whole`. If `whole` is a single number for all
 * results, `piece` has the size of that number. */
static void shape(struct pieces *p, mpgpu_batch *piece, const mpgpu_batch *whole, size_t count) {
    piece->n = whole->n;
    piece->count = is_cut(p, whole) ? count : whole->count;
    piece->where = BATCH_ON_DEVICE;
}

static enum outcome reserve(struct pieces *p) {
    enum outcome outcome = OUTCOME_DONE;
    for (unsigned k = 0; k < p->all->operands && outcome == OUTCOME_DONE; k++)
        if (first_same(p->all, k) == k)
            outcome = batch_reserve(&p->u[k].store, batch_size(&p->u[k]) * sizeof(mp_limb_t));
    for (unsigned k = 0; k < p->all->results && outcome == OUTCOME_DONE; k++)
        if (p->all->r[k])
            outcome = batch_reserve(&p->r[k].store, batch_size(&p->r[k]) * sizeof(mp_limb_t));
    return outcome;
}

/* Sets p->part to the operation on the next `count` numbers.  If two operands of the task are the
 * same batch, both operands of the part are the same piece. */
static void begin(struct pieces *p, size_t count) {
    p->part = *p->all;
    for (unsigned k = 0; k < p->all->operands; k++) {
        shape(p, &p->u[k], p->all->u[k], count);
        p->part.u[k] = &p->u[first_same(p->all, k)];
    }
    for (unsigned k = 0; k < p->all->results; k++)
        if (p->all->r[k]) {
            shape(p, &p->r[k], p->all->r[k], count);
            p->part.r[k] = &p->r[k];
        }
}

/* ---- one piece */

static enum outcome upload(struct pieces *p, size_t first) {
    enum outcome outcome = OUTCOME_DONE;
    for (unsigned k = 0; k < p->all->operands && outcome == OUTCOME_DONE; k++) {
        const mpgpu_batch *whole = p->all->u[k];
        bool is_wanted = first_same(p->all, k) == k && (is_cut(p, whole) || first == 0);
        if (is_wanted)
            outcome = batch_fill_part(&p->u[k].store, 0,
                                      whole->limbs + (is_cut(p, whole) ? first * whole->n : 0),
                                      batch_size(&p->u[k]) * sizeof(mp_limb_t));
    }
    return outcome;
}

static enum outcome download(struct pieces *p, size_t first) {
    enum outcome outcome = OUTCOME_DONE;
    for (unsigned k = 0; k < p->all->results && outcome == OUTCOME_DONE; k++)
        if (p->all->r[k])
            outcome = batch_fetch(p->rp[k] + first * p->r[k].n, &p->r[k].store,
                                  batch_size(&p->r[k]) * sizeof(mp_limb_t));
    return outcome;
}

static enum outcome compute(struct pieces *p) {
    gpu_mem r[JOB_RESULTS] = {{0}}, u[JOB_OPERANDS] = {{0}};
    for (unsigned k = 0; k < p->all->operands; k++)
        u[k] = p->part.u[k]->store.mem;
    for (unsigned k = 0; k < p->all->results; k++)
        if (p->all->r[k])
            r[k] = p->r[k].store.mem;
    return batch_task_compute(&p->part, r, u);
}

static enum outcome perform(struct pieces *p, size_t first) {
    size_t left = p->count - first;
    begin(p, left < p->most ? left : p->most);
    enum outcome outcome = reserve(p);
    if (outcome == OUTCOME_DONE)
        outcome = upload(p, first);
    if (outcome == OUTCOME_DONE)
        outcome = compute(p);
    return outcome == OUTCOME_DONE ? download(p, first) : outcome;
}

/* ---- all pieces */

/* Computes the task in pieces of p->most numbers. Halves p->most and starts again if memory is
 * exhausted. */
static enum outcome perform_all(struct pieces *p) {
    size_t done = 0;
    while (done < p->count && p->most > 0) {
        enum outcome outcome = perform(p, done);
        if (outcome == OUTCOME_DONE) {
            done += p->most;
            continue;
        }
        forget_pieces(p);
        if (outcome != OUTCOME_MEMORY)
            return outcome;
        p->most /= 2;
        /* Starts again with the first piece. The memory of all pieces was freed, so operands that
         * are a single number must also be uploaded again. */
        done = 0;
    }
    return p->most > 0 ? OUTCOME_DONE : OUTCOME_MEMORY;
}

/* Frees the device memory of the task's batches: downloads the operands, discards the results. */
static bool make_room(const struct batch_task *t) {
    for (unsigned k = 0; k < t->operands; k++)
        if (batch_to_host(t->u[k]) != 0)
            return false;
    for (unsigned k = 0; k < t->results; k++)
        if (t->r[k]) {
            batch_free(&t->r[k]->store);
            batch_free(&t->r[k]->spare);
            shards_forget(t->r[k]);
        }
    return true;
}

static void keep(struct pieces *p) {
    for (unsigned k = 0; k < p->all->results; k++)
        if (p->all->r[k])
            batch_is_on_host(p->all->r[k], p->rp[k]);
}

bool batch_task_is_divisible(const struct batch_task *t) {
    if (t->op == JOB_matrix_mul || t->op == JOB_matrix_solve)
        return false; /* not divisible: a result's entry depends on many entries */
    for (unsigned k = 0; k < t->results; k++)
        if (t->r[k] && t->r[k]->count != t->u[0]->count)
            return false;
    return t->u[0]->count > 1 && t->op != JOB_poly_mul;
}

enum outcome batch_task_in_pieces(const struct batch_task *t) {
    const bool is_matrix = t->op == JOB_matrix_mul;
    if (!(is_matrix || batch_task_is_divisible(t)) || !make_room(t))
        return OUTCOME_MEMORY;
    if (is_matrix)
        return batch_task_matrix_in_pieces(t);
    struct pieces *p = calloc(1, sizeof *p);
    enum outcome outcome = OUTCOME_MEMORY;
    if (!p)
        return outcome;
    p->all = t;
    p->count = t->u[0]->count;
    p->most = (p->count + 1) / 2;
    if (batch_task_alloc(t, p->rp)) {
        outcome = perform_all(p);
        forget_pieces(p);
        if (outcome == OUTCOME_DONE)
            keep(p);
        else
            batch_task_free(t, p->rp);
    }
    mpgpu_log(LOG_DETAIL, "a batch of %zu numbers in pieces of %zu", p->count, p->most);
    free(p);
    return outcome;
}
