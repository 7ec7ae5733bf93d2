/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes an operation on batches on several devices, each of which computes its shard of the
 * numbers. */
#include <stdlib.h>

#include "compat/batch/shards.h"
#include "compat/batch/task.h"
#include "lib/base/conf.h"
#include "lib/base/log.h"

struct shared {
    const struct batch_task *all;
    const struct batch_cut *cut;
    bool is_new[JOB_OPERANDS]; /* true if operand k is on the host or 0, and must be uploaded */
    struct shard {
        struct batch_task task;
        mpgpu_batch one[JOB_OPERANDS]; /* this device's copy of operands that are a single number */
        enum outcome outcome;
    } shard[SESSION_DEVICES];
};

/* Returns true if b has a number for each result; false if its single number serves all results. */
static bool is_cut(const struct shared *s, const mpgpu_batch *b) {
    return b->count == s->all->u[0]->count;
}

static unsigned first_same(const struct batch_task *t, unsigned k) {
    unsigned j = 0;
    while (t->u[j] != t->u[k])
        j++;
    return j;
}

/* ---- preparation, before the devices compute */

/* Prepares operand k: if it is not distributed as this task needs it, moves it to the host for a
 * new upload. */
static enum outcome prepare_operand(struct shared *s, unsigned k) {
    mpgpu_batch *u = s->all->u[k];
    if (first_same(s->all, k) != k)
        return OUTCOME_DONE;
    if (is_cut(s, u) && u->where == BATCH_IN_SHARDS && shards_are(u, s->cut))
        return OUTCOME_DONE;
    if (u->where != BATCH_ZERO && batch_to_host(u) != 0)
        return OUTCOME_FAILED;
    s->is_new[k] = true;
    return !is_cut(s, u) || shards_prepare(u, s->cut) ? OUTCOME_DONE : OUTCOME_MEMORY;
}

static bool is_operand(const struct batch_task *t, const mpgpu_batch *b) {
    for (unsigned k = 0; k < t->operands; k++)
        if (t->u[k] == b)
            return true;
    return false;
}

static enum outcome prepare(struct shared *s) {
    const struct batch_task *t = s->all;
    enum outcome outcome = OUTCOME_DONE;
    for (unsigned k = 0; k < t->operands && outcome == OUTCOME_DONE; k++)
        outcome = prepare_operand(s, k);
    for (unsigned k = 0; k < t->results && outcome == OUTCOME_DONE; k++)
        if (t->r[k] && !is_operand(t, t->r[k]) && !shards_prepare(t->r[k], s->cut))
            outcome = OUTCOME_MEMORY;
    return outcome;
}

static void set_task(struct shared *s, unsigned j) {
    const struct batch_task *t = s->all;
    struct shard *shard = &s->shard[j];
    shard->task = *t;
    for (unsigned k = 0; k < t->operands; k++) {
        mpgpu_batch *one = &shard->one[first_same(t, k)];
        one->n = t->u[k]->n;
        one->count = t->u[k]->count;
        shard->task.u[k] = is_cut(s, t->u[k]) ? &t->u[k]->shards->shard[j] : one;
    }
    for (unsigned k = 0; k < t->results; k++)
        if (t->r[k])
            shard->task.r[k] = &t->r[k]->shards->shard[j];
}

/* ---- one shard, computed in its own thread */

static enum outcome fill_copy(mpgpu_batch *one, const mpgpu_batch *u) {
    enum outcome outcome = batch_reserve(&one->store, batch_size(one) * sizeof(mp_limb_t));
    if (outcome == OUTCOME_DONE)
        outcome = batch_fill(&one->store, u->limbs);
    if (outcome == OUTCOME_DONE)
        one->where = BATCH_ON_DEVICE;
    return outcome;
}

static enum outcome upload(struct shared *s, unsigned j) {
    enum outcome outcome = OUTCOME_DONE;
    for (unsigned k = 0; k < s->all->operands && outcome == OUTCOME_DONE; k++)
        if (s->is_new[k])
            outcome = is_cut(s, s->all->u[k])
                          ? shards_fill_one(s->all->u[k], j, s->all->u[k]->limbs)
                          : fill_copy(&s->shard[j].one[k], s->all->u[k]);
    return outcome;
}

static void run_shard(void *shared, unsigned j) {
    struct shared *s = shared;
    struct shard *shard = &s->shard[j];
    set_task(s, j);
    shard->outcome = upload(s, j);
    if (shard->outcome == OUTCOME_DONE)
        shard->outcome = batch_task_try(&shard->task);
    for (unsigned k = 0; k < s->all->operands; k++)
        batch_free(&shard->one[k].store);
}

/* ---- after the devices have computed */

/* Returns the outcome of the first shard that failed. Returns OUTCOME_MEMORY only if no shard
 * failed for another reason. */
static enum outcome outcome_of(const struct shared *s) {
    enum outcome outcome = OUTCOME_DONE;
    for (unsigned j = 0; j < s->cut->shards; j++)
        if (outcome == OUTCOME_DONE || outcome == OUTCOME_MEMORY)
            outcome = s->shard[j].outcome != OUTCOME_DONE ? s->shard[j].outcome : outcome;
    return outcome;
}

/* After success, declares the shards on the devices valid: they now have the numbers of operands
 * and results. */
static void keep(struct shared *s) {
    const struct batch_task *t = s->all;
    for (unsigned k = 0; k < t->operands; k++)
        if (s->is_new[k] && is_cut(s, t->u[k]))
            shards_arrive(t->u[k]);
    for (unsigned j = 0; j < s->cut->shards; j++)
        batch_task_keep(&s->shard[j].task);
    for (unsigned k = 0; k < t->results; k++)
        if (t->r[k])
            shards_arrive(t->r[k]);
}

/* Cleans up after a failure: operands keep their numbers, on the devices or on the host; results
 * are lost. */
static void drop(struct shared *s) {
    const struct batch_task *t = s->all;
    for (unsigned k = 0; k < t->operands; k++)
        if (t->u[k]->where != BATCH_IN_SHARDS)
            shards_forget(t->u[k]);
    for (unsigned k = 0; k < t->results; k++)
        if (t->r[k] && !is_operand(t, t->r[k])) {
            shards_forget(t->r[k]);
            if (t->r[k]->where == BATCH_IN_SHARDS)
                t->r[k]->where = BATCH_LOST;
        }
}

static enum outcome run(struct shared *s) {
    enum outcome outcome = prepare(s);
    if (outcome == OUTCOME_DONE) {
        shards_run_on(s->cut->device, s->cut->shards, run_shard, s);
        outcome = outcome_of(s);
    }
    if (outcome == OUTCOME_DONE)
        keep(s);
    else
        drop(s);
    return outcome;
}

/* Chooses how to distribute the task. If an operand is distributed already, uses the same ranges;
 * otherwise the ranges that shards_plan proposes. */
static bool choose_cut(const struct batch_task *t, struct batch_cut *cut) {
    size_t limbs = 0;
    for (unsigned k = 0; k < t->operands; k++) {
        const mpgpu_batch *u = t->u[k];
        if (u->where == BATCH_IN_SHARDS && u->count == t->u[0]->count &&
            shards_are_usable(&u->shards->cut)) {
            *cut = u->shards->cut;
            return true;
        }
        limbs += batch_size(u);
    }
    return shards_plan(cut, t->u[0]->count, limbs);
}

bool batch_task_in_shards(const struct batch_task *t, enum outcome *outcome) {
    struct batch_cut cut;
    if (mpgpu_conf.verify >= VERIFY_RESIDUE || !batch_task_is_divisible(t) || !choose_cut(t, &cut))
        return false;
    struct shared *s = calloc(1, sizeof *s);
    if (!s)
        return false;
    s->all = t;
    s->cut = &cut;
    *outcome = run(s);
    free(s);
    mpgpu_log(LOG_DETAIL, "a batch of %zu numbers on %u devices", t->u[0]->count, cut.shards);
    return *outcome != OUTCOME_MEMORY;
}
