/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Runs jobs of clients: operations on limbs or batches, with their operands as plain data
 * (lib/job/far_job.h).  Each job runs in the thread of its channel.  The server copies a job before
 * it reads it, because a client may write to shared memory at any time.  The server looks up all
 * memory that the job names.  Sizes come only from the job: memory must have at least the size that
 * the job implies. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/conf.h"
#include "lib/job/engine.h"
#include "lib/job/far_job.h"
#include "lib/job/numbers.h"
#include "lib/memory/wipe.h"
#include "lib/session/session.h"
#include "lib/transfer/staging.h"
#include "tools/serve/group/group.h"
#include "tools/serve/serve_work.h"

/* after this many wrong results, a client's jobs are no longer shared between devices */
enum { MOST_WRONG = 3 };

/* A job that is being run. */
struct run {
    struct serve_work *w;
    struct far_block *block;
    struct far_request request; /* a copy */
    struct job job;
    void *table[NUMBERS_FIRSTS + 1]; /* copies of the tables that job_fits reads */
    struct far_caller caller;
    /* an operand or result is in the client's own memory, which the server cannot map */
    bool has_far;
    uint32_t devices; /* bit i: device i may run the job */
};

/* ---- lookup of the memory that a job names */

/* Returns true for a valid bool, 0 or 1. */
static bool is_bool(const bool *x) {
    unsigned char byte;
    memcpy(&byte, x, 1);
    return byte <= 1;
}

static bool is_size(const struct job_ref *x) {
    return x->count <= JOB_MOST_LIMBS && x->n <= JOB_MOST_LIMBS &&
           (x->count == 0 || x->n <= JOB_MOST_LIMBS / x->count);
}

bool serve_job_is_sound(const struct job_ref *x) {
    return is_bool(&x->has_residue) && is_bool(&x->is_text) && is_size(x) &&
           (x->count == 0 || (x->host != NULL) != (x->mem.h != 0));
}

/* Records that the channel uses this memory.  Until the job ends, the memory is not unlocked,
 * released or unmapped. */
static bool use(struct run *r, struct serve_use what) {
    struct serve_channel *ch = r->w->ch;
    if (ch->uses == ch->room) {
        const uint32_t room = ch->room ? 2 * ch->room : 16;
        struct serve_use *more = realloc(ch->use, room * sizeof *more);
        if (!more)
            return false;
        ch->use = more;
        ch->room = room;
    }
    ch->use[ch->uses++] = what;
    return true;
}

static void end_uses(struct run *r) {
    pthread_rwlock_rdlock(&r->w->c->lock);
    r->w->ch->uses = 0;
    pthread_rwlock_unlock(&r->w->c->lock);
}

/* Replaces a place in shared memory by its address in this process.  Leaves an address in the
 * client's own memory unchanged.  Returns false if the place is not in shared memory. */
static bool find_host(struct run *r, uint64_t **host, uint64_t bytes) {
    const uint64_t place = (uintptr_t)*host;
    const bool is_far = far_is_range(place, bytes);
    r->has_far = r->has_far || is_far;
    if (place == 0 || is_far)
        return true;
    char *p = far_is_in_region(place)
                  ? serve_memory_at(r->w->c, far_region(place), far_offset(place), bytes)
                  : NULL;
    *host = (uint64_t *)p;
    return p && (uintptr_t)p % sizeof(uint64_t) == 0 &&
           use(r, (struct serve_use){.p = p, .bytes = bytes, .place = place});
}

/* Replaces the number of an object (a block of device memory) by the handle of its memory.  Returns
 * false if there is no such object on this device. */
static bool find_memory(struct run *r, gpu_mem *mem, uint64_t bytes) {
    struct serve_object *o = mem->h ? serve_objects_get(r->w->c, mem->h) : NULL;
    if (mem->h == 0)
        return true;
    if (!o || o->device != r->w->device || r->job.devices || o->bytes < bytes ||
        !use(r, (struct serve_use){.object = mem->h}))
        return false;
    *mem = o->mem;
    return true;
}

/* Looks up the memory of an operand or result. */
static bool find_ref(struct run *r, struct job_ref *x) {
    return serve_job_is_sound(x) && find_host(r, &x->host, job_bytes(x)) &&
           find_memory(r, &x->mem, job_bytes(x));
}

/* ---- the job's tables (arrays of values, divisors and others), and the memory that they name */

/* Copies a table, so that the client cannot change it. */
static bool copy_table(struct run *r, unsigned k) {
    struct job_ref *u = &r->job.u[k];
    if (u->count == 0)
        return true;
    r->table[k] = !far_is_address(u->host) && u->host ? malloc(job_bytes(u)) : NULL;
    if (!r->table[k])
        return false;
    memcpy(r->table[k], u->host, job_bytes(u));
    u->host = r->table[k];
    return true;
}

static bool locate(struct run *r, struct number_variable *p) {
    const uint64_t bytes = p->words * sizeof(uint32_t);
    return find_host(r, &p->host, bytes) && find_memory(r, &p->mem, bytes);
}

static bool find_divisor(struct run *r, struct number_divisor *d) {
    const struct calc_divisor by = numbers_divisor(d->bits, d->quads);
    return find_memory(r, &d->mem, numbers_divisor_words(&by) * sizeof(uint32_t));
}

/* Copies all tables of the job, then looks up the memory that they name.  Uses their sizes only
 * after job_fits has accepted the job. */
static bool find_tables(struct run *r) {
    bool is_there = r->job.operands <= NUMBERS_FIRSTS + 1;
    for (unsigned k = 0; k < r->job.operands && is_there; k++)
        is_there = copy_table(r, k);
    if (!is_there || !job_fits(&r->job) || r->job.op != JOB_numbers)
        return is_there;
    const struct number_program k = numbers_of(&r->job);
    for (uint64_t i = 0; i < k.variables && is_there; i++)
        is_there = locate(r, (struct number_variable *)r->table[NUMBERS_VARIABLES] + i);
    for (uint64_t i = 0; i < k.divisors && is_there; i++)
        is_there = find_divisor(r, (struct number_divisor *)r->table[NUMBERS_DIVISORS] + i);
    return is_there;
}

/* ---- the whole job */

/* Adds the options of this server to those of the client. */
static void add_options(struct conf_job *options) {
    const struct conf_job here = conf_job();
    options->clear |= here.clear;
    if (options->algorithm == ALGORITHM_AUTO)
        options->algorithm = here.algorithm;
    if (here.memory && (options->memory == 0 || options->memory > here.memory))
        options->memory = here.memory;
}

/* Copies the job and looks up all memory that it names.  Returns false if some of that memory does
 * not exist. */
static bool take(struct run *r) {
    struct far_request *q = &r->request;
    struct job *job = &r->job;
    memcpy(q, far_request_of(r->block), sizeof *q);
    *job = q->job;
    bool is_there = (unsigned)q->options.algorithm < ALGORITHMS && (unsigned)job->op < JOB_OPS &&
                    job->operands <= JOB_OPERANDS && job->results <= JOB_RESULTS &&
                    job->devices >> serve_own_devices == 0;
    pthread_rwlock_rdlock(&r->w->c->lock);
    for (unsigned k = 0; is_there && k < job->operands; k++)
        is_there = find_ref(r, &job->u[k]);
    for (unsigned k = 0; is_there && k < job->results; k++)
        is_there = find_ref(r, &job->r[k]);
    if (is_there && job_has_tables(job))
        is_there = find_tables(r);
    pthread_rwlock_unlock(&r->w->c->lock);
    add_options(&q->options);
    job->answer = 0;
    return is_there;
}

/* Checks the job again: since the client checked it, another thread of the client may have changed
 * a table. */
static bool fits(const struct job *job) {
    return job_fits(job) && job_takes(job);
}

/* ---- the functions of struct far_caller (lib/transfer/far.h), which stands for the client */

static bool is_gone(void *of) {
    const struct run *r = of;
    return atomic_load(&r->w->c->is_ending);
}

static const struct serve_use *find_use(const struct run *r, const void *p, size_t bytes) {
    const struct serve_channel *ch = r->w->ch;
    for (uint32_t i = 0; i < ch->uses; i++) {
        const struct serve_use *u = &ch->use[i];
        const uint64_t at = (uint64_t)((const char *)p - u->p);
        if (u->p && at < u->bytes && bytes <= u->bytes - at)
            return u;
    }
    return NULL;
}

static bool reaches(void *of, const void *p, size_t bytes) {
    const struct run *r = of;
    return find_use(r, p, bytes) && serve_memory_is_locked(r->w->c, p, bytes);
}

/* Returns the place of p (region and offset) in the client's memory pool, which has all regions
 * except region 0.  Returns 0 if p is not in the pool. */
static uint64_t place(void *of, const void *p, size_t bytes) {
    const struct run *r = of;
    const struct serve_use *u = find_use(r, p, bytes);
    return u && far_region(u->place) > 0 ? u->place + (uint64_t)((const char *)p - u->p) : 0;
}

static bool open_ring(struct run *r) {
    const uint64_t place = r->request.ring;
    const bool is_there = far_is_in_region(place) && far_region(place) == 0;
    char *host = is_there ? serve_memory_at(r->w->c, 0, far_offset(place), STAGING_BYTES) : NULL;
    return host &&
           staging_open_far(&r->w->device->dev, host, r->block->mark, &r->caller.ring) == GPU_OK;
}

/* ---- device memory of the client */

static enum outcome allocate(struct run *r) {
    const enum gpu_status status =
        serve_objects_alloc(r->w->c, r->w->device, job_store_bytes(&r->job),
                            r->job.parameter[JOB_IS_SHARED] != 0, &r->job.answer);
    serve_work_noted(r->w, status);
    if (status == GPU_OK && !far_keep(&r->caller)) {
        serve_objects_free(r->w->c, r->job.answer);
        return OUTCOME_FAILED;
    }
    return status == GPU_OK ? OUTCOME_DONE : status == GPU_NOMEM ? OUTCOME_MEMORY : OUTCOME_FAILED;
}

/* Frees the device memory that the job names.  First ends the job's own use of that memory:
 * serve_objects_free waits until no job uses it. */
static enum outcome release(struct run *r) {
    end_uses(r);
    return serve_objects_free(r->w->c, r->request.job.u[0].mem.h) ? OUTCOME_DONE : OUTCOME_FAILED;
}

/* ---- the job */

static void set_up(struct run *r) {
    r->caller = (struct far_caller){.block = r->block,
                                    .is_gone = is_gone,
                                    .reaches = reaches,
                                    .place = place,
                                    .of = r,
                                    .mutex = PTHREAD_MUTEX_INITIALIZER,
                                    .upcalls = atomic_load(&r->block->asked)};
}

/* Determines on which devices the job may run: all working devices that the client permits.  The
 * engine chooses among these by the load of all clients. */
static void set_devices(struct run *r) {
    const int place = (int)(r->w->device - serve_device);
    r->devices = r->job.devices;
    for (unsigned i = 0; i < serve_own_devices; i++)
        if (atomic_load(&serve_device[i].is_gone))
            r->devices &= ~((uint32_t)1 << i);
    session_bind(r->devices ? SESSION_ANY : place);
    session_allow(r->devices);
}

static void suspect(const struct run *r) {
    for (unsigned i = 0; i < serve_own_devices; i++)
        if (r->devices ? r->devices >> i & 1 : r->w->device == &serve_device[i])
            atomic_store(&serve_device[i].is_suspect, true);
}

/* Returns true if several devices may compute the job together.  Their threads use this server's
 * options, so the job must have the same options. */
static bool may_be_shared(const struct run *r) {
    const struct conf_job options = conf_job();
    return atomic_load(&r->w->c->wrong) < MOST_WRONG && !options.clear &&
           options.algorithm == mpgpu_conf.algorithm && options.memory == mpgpu_conf.memory;
}

/* Runs a job on devices of this process.  A fetch of stored data runs even if no device is ready:
 * the engine still copies from a device that failed. */
static enum outcome run_here(struct run *r) {
    set_devices(r);
    enum outcome outcome = session_wait();
    if (outcome == OUTCOME_DONE || r->job.op == JOB_store_fetch)
        outcome = engine_run(&r->job);
    atomic_fetch_add(&r->w->c->wrong, r->caller.was_wrong);
    if (outcome == OUTCOME_FAILED && !r->caller.has_left)
        suspect(r);
    return outcome;
}

static enum outcome compute(struct run *r) {
    const unsigned place = (unsigned)(r->w->device - serve_device);
    const bool is_members = r->w->device->is_members;
    if (is_members && r->job.op == JOB_store_alloc && r->job.parameter[JOB_IS_SHARED])
        return OUTCOME_MEMORY; /* another host's memory cannot be mapped here */
    if (!fits(&r->job) || (r->has_far && !is_members && !open_ring(r)))
        return OUTCOME_FAILED;
    stats_begin();
    if (!is_members && r->job.op == JOB_store_alloc)
        return allocate(r);
    if (!is_members && r->job.op == JOB_store_free)
        return release(r);
    r->caller.may_be_shared = may_be_shared(r);
    r->caller.wants_times = r->request.wants_times != 0;
    if (!far_set(&r->caller, 0))
        return OUTCOME_MEMORY;
    enum outcome outcome = is_members ? group_run(place, &r->job) : run_here(r);
    far_set(NULL, 0);
    return outcome;
}

/* Copies the outcome, the answers and the times to the client.  Copies no address of this process,
 * because the client must not learn it. */
static void answer(struct run *r, enum outcome outcome) {
    struct far_request *q = far_request_of(r->block);
    job_take_answers(&q->job, &r->job);
    q->times = *stats_here();
    q->outcome = outcome;
    q->has_left = r->caller.has_left;
    q->failed = r->caller.failed;
}

static void clean_up(struct run *r) {
    if (r->caller.ring)
        staging_close(r->caller.ring);
    for (unsigned k = 0; k <= NUMBERS_FIRSTS; k++)
        if (r->table[k])
            wipe_free(r->table[k], job_bytes(&r->job.u[k]));
    end_uses(r);
    conf_set_job(NULL);
}

enum gpu_status serve_job(struct serve_work *w) {
    struct run *r = calloc(1, sizeof *r);
    if (!r)
        return GPU_NOMEM;
    r->w = w;
    r->block = (struct far_block *)serve_memory_at(w->c, 0, w->r->a[0], sizeof *r->block);
    enum gpu_status status = GPU_OK;
    if (!r->block || w->r->a[0] % _Alignof(struct far_block) || w->r->a[1] >= serve_devices) {
        status = serve_work_wrong(w);
    } else {
        w->device = &serve_device[w->r->a[1]];
        set_up(r);
        if (take(r))
            answer(r, conf_set_job(&r->request.options) ? compute(r) : OUTCOME_MEMORY);
        else
            status = serve_work_wrong(w);
        far_tell_end(&r->caller);
        clean_up(r);
    }
    free(r);
    return status;
}
