/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes a long operation on batches on all devices of a group of servers (doc/design/group.md).
 * Operands and results are in host memory. Each device repeatedly takes a range of the numbers,
 * which may be sent to another host. */
#include <stdatomic.h>
#include <stdlib.h>

#include "compat/batch/shards.h"
#include "compat/batch/task.h"
#include "lib/base/ceil_div.h"
#include "lib/base/conf.h"
#include "lib/base/log.h"

/* The numbers are cut into this many ranges for each device, so that a faster device can take more
 * ranges. */
enum { PARTS = 4 };

struct parts {
    const struct batch_task *t;
    mp_limb_t *rp[JOB_RESULTS];
    size_t count, most; /* the count of all numbers; the count of numbers in a range */
    atomic_size_t next; /* the index of the first number whose range no thread has taken yet */
    bool *is_done;      /* for each range */
};

/* Returns true if the operation takes long enough to be sent to other hosts. Powers with secret
 * operands stay on this host. */
static bool is_long(enum job_op op) {
    return op == JOB_batch_mod_pow;
}

/* Sets *x to `count` numbers of the operand or result at `limbs`, beginning with number `first`. If
 * *x has only one number for all results, sets *x to this number. */
static void cut(const struct parts *p, struct job_ref *x, mp_limb_t *limbs, size_t first,
                size_t count) {
    const bool is_cut = x->count == p->count;
    x->host = limbs + (is_cut ? first * x->n : 0);
    x->count = is_cut ? count : x->count;
}

static enum outcome run_part(const struct parts *p, size_t first) {
    const size_t left = p->count - first, count = left < p->most ? left : p->most;
    struct job job;
    batch_task_job(p->t, &job);
    for (unsigned k = 0; k < job.operands; k++)
        cut(p, &job.u[k], p->t->u[k]->limbs, first, count);
    for (unsigned k = 0; k < job.results; k++)
        if (p->t->r[k])
            cut(p, &job.r[k], p->rp[k], first, count);
    return job_run(&job);
}

/* Runs in one thread for each device: computes ranges until none is left, or the device fails. */
static void take_parts(void *parts, unsigned j) {
    struct parts *p = parts;
    enum outcome outcome = OUTCOME_DONE;
    size_t first;
    (void)j;
    while (outcome == OUTCOME_DONE && (first = atomic_fetch_add(&p->next, p->most)) < p->count) {
        outcome = run_part(p, first);
        p->is_done[first / p->most] = outcome == OUTCOME_DONE;
    }
}

/* Computes all ranges on all devices. Then computes again, on any device, each range that
 * failed. */
static enum outcome run(struct parts *p, const unsigned *number, unsigned devices) {
    enum outcome outcome = OUTCOME_DONE;
    int device[SESSION_DEVICES];
    for (unsigned j = 0; j < devices; j++)
        device[j] = (int)number[j];
    shards_run_on(device, devices, take_parts, p);
    for (size_t first = 0; first < p->count && outcome == OUTCOME_DONE; first += p->most)
        if (!p->is_done[first / p->most])
            outcome = run_part(p, first);
    return outcome;
}

static void keep(const struct parts *p) {
    for (unsigned k = 0; k < p->t->results; k++)
        if (p->t->r[k])
            batch_is_on_host(p->t->r[k], p->rp[k]);
}

static enum outcome run_in_memory(struct parts *p, const unsigned *number, unsigned devices) {
    const struct batch_task *t = p->t;
    for (unsigned k = 0; k < t->operands; k++)
        if (batch_to_host(t->u[k]) != 0)
            return t->u[k]->where == BATCH_LOST ? OUTCOME_FAILED : OUTCOME_MEMORY;
    if (!batch_task_alloc(t, p->rp))
        return OUTCOME_MEMORY;
    enum outcome outcome = run(p, number, devices);
    if (outcome == OUTCOME_DONE)
        keep(p);
    else
        batch_task_free(t, p->rp);
    return outcome;
}

bool batch_task_by_members(const struct batch_task *t, enum outcome *outcome) {
    struct parts p = {.t = t, .count = t->u[0]->count};
    unsigned number[SESSION_DEVICES];
    const bool is_possible = is_long(t->op) && batch_task_is_divisible(t) &&
                             mpgpu_conf.verify < VERIFY_RESIDUE && session_bound() == SESSION_ANY;
    const unsigned devices = is_possible ? session_devices_of_group(number) : 0;
    if (devices == 0)
        return false;
    p.most = ceil_div(p.count, (size_t)devices * PARTS);
    p.is_done = calloc(ceil_div(p.count, p.most), sizeof *p.is_done);
    *outcome = p.is_done ? run_in_memory(&p, number, devices) : OUTCOME_MEMORY;
    free(p.is_done);
    mpgpu_log(LOG_DETAIL, "a batch of %zu numbers on %u devices of a group", p.count, devices);
    return *outcome != OUTCOME_MEMORY;
}
