/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Sends a job to the engine of another process, for the process that wants the result. Operands and
 * results in the pool (host memory that both processes map) are used in place. Short operands and
 * results outside the pool are copied to and from shared memory. For long ones the engine asks the
 * calling thread to copy them (lib/transfer/far.h). */
#include "lib/job/far_job.h"

#include <string.h>

#include "lib/device/limbs_residue.h"
#include "lib/device/tables.h"
#include "lib/job/numbers.h"
#include "lib/memory/pinned.h"
#include "lib/transfer/transfer.h"

/* The most bytes of an operand that is copied before the job begins. Longer operands are copied in
 * chunks during the transfers to the device. */
size_t far_short_bytes = (size_t)64 << 10;

enum { SPIN_NS = 500000 };

/* The state of a job that is being sent to the other process. */
struct sending {
    struct context *s;
    struct job *job;
    struct far_block *block;
    /* if the job is a JOB_numbers: its table of variables (NUMBERS_VARIABLES), in the copy that the
     * engine reads */
    struct number_variable *variables;
    uint64_t room_place; /* place of block->room */
    /* bytes in use of block->room, the shared memory for short operands */
    size_t used;
    bool has_left;
    struct far_job far;
};

/* ---- places */

static bool locate(const struct context *s, const void *p, size_t bytes, uint64_t *place) {
    uint64_t region, offset;
    if (!s->dev.backend->locate(p, bytes, &region, &offset))
        return false;
    *place = far_in_region(region, offset);
    return true;
}

/* Reserves `bytes` bytes of block->room, memory that both processes map. If is_read, copies an
 * operand there. Returns false if there is not enough space, or if a signal handler of the caller
 * has left the job by longjmp. */
static bool put_in_room(struct sending *w, const void *p, size_t bytes, bool is_read,
                        uint64_t *place) {
    unsigned char *to = w->block->room + w->used;
    if (bytes > FAR_ROOM - w->used)
        return false;
    if (is_read && !lease_enter(w->s->lease)) {
        w->has_left = true;
        return false;
    }
    if (is_read) {
        memcpy(to, p, bytes);
        lease_leave(w->s->lease);
    }
    *place = w->room_place + w->used;
    w->used += (bytes + 63) & ~(size_t)63;
    return true;
}

/* Returns true, and sets *place, if {p, bytes} is in the pool (host memory that both processes map)
 * and p is a multiple of a limb's size. */
static bool is_in_pool(const struct sending *w, const void *p, size_t bytes, uint64_t *place) {
    return (uintptr_t)p % sizeof(uint64_t) == 0 && pinned_reach(&w->s->dev, p, bytes) &&
           locate(w->s, p, bytes, place);
}

static uint64_t far_place(const void *p) {
    return (uintptr_t)p | FAR_BIT;
}

static uint64_t place_operand(struct sending *w, const void *p, size_t bytes) {
    uint64_t place;
    if (!p || bytes == 0)
        return 0;
    if (is_in_pool(w, p, bytes, &place) ||
        (bytes <= far_short_bytes && put_in_room(w, p, bytes, true, &place)))
        return place;
    return far_place(p);
}

static uint64_t place_result(struct sending *w, void *p, size_t bytes) {
    uint64_t place;
    if (!p || bytes == 0)
        return 0;
    if (bytes > far_short_bytes && is_in_pool(w, p, bytes, &place))
        return place;
    return bytes <= 4 * far_short_bytes && put_in_room(w, p, bytes, false, &place) ? place
                                                                                   : far_place(p);
}

static void place_operands(struct sending *w, struct job *to) {
    const struct job *job = w->job;
    for (unsigned k = 0; k < job->operands; k++) {
        const struct job_ref *u = &job->u[k];
        const bool is_first = k > 0 && job_is_same(u, &job->u[0]);
        to->u[k].host = is_first ? to->u[0].host
                                 : (uint64_t *)(uintptr_t)place_operand(w, u->host, job_bytes(u));
    }
}

static void place_results(struct sending *w, struct job *to) {
    const struct job *job = w->job;
    for (unsigned k = 0; k < job->results; k++)
        to->r[k].host =
            (uint64_t *)(uintptr_t)place_result(w, job->r[k].host, job_bytes(&job->r[k]));
}

/* ---- jobs that are programs over numbers (lib/job/numbers.h) */

static size_t bytes_of(const struct number_variable *p) {
    return p->words * sizeof(uint32_t);
}

/* Replaces the addresses of a program's numbers by places (lib/job/far_job.h), which the engine's
 * process can resolve. The table of numbers is already in the shared memory block->room. */
static void place_numbers(struct sending *w, const struct job *to) {
    const uint64_t place = (uintptr_t)to->u[NUMBERS_VARIABLES].host;
    const struct number_program k = numbers_of(w->job);
    w->variables = (struct number_variable *)(w->block->room + (place - w->room_place));
    for (uint64_t i = 0; i < k.variables; i++) {
        const struct number_variable *p = &k.variable[i];
        const bool is_known = p->flags & NUMBER_IS_KNOWN;
        w->variables[i].host =
            (uint64_t *)(uintptr_t)(is_known ? place_operand(w, p->host, bytes_of(p))
                                             : place_result(w, p->host, bytes_of(p)));
    }
}

/* Copies operands that are tables of plain data to the shared memory block->room. Copies them
 * before all other operands, so that there is certainly enough space for them. */
static bool place_tables(struct sending *w, struct job *to) {
    const struct job *job = w->job;
    uint64_t place;
    for (unsigned k = 0; k < job->operands; k++) {
        if (job->u[k].count == 0)
            continue;
        if (!put_in_room(w, job->u[k].host, job_bytes(&job->u[k]), true, &place))
            return false;
        to->u[k].host = (uint64_t *)(uintptr_t)place;
    }
    if (job->op == JOB_numbers)
        place_numbers(w, to);
    return true;
}

/* ---- results */

/* Returns true if {place, bytes} is inside block->room, the shared memory for short operands. */
static bool is_in_room(const struct sending *w, uint64_t place, size_t bytes) {
    const uint64_t at = place - w->room_place;
    return far_is_in_region(place) && at <= FAR_ROOM && bytes <= FAR_ROOM - at;
}

static bool take_from_room(struct sending *w, void *to, uint64_t place, size_t bytes) {
    if (bytes == 0 || !to || !is_in_room(w, place, bytes))
        return true;
    if (!lease_enter_result(w->s->lease))
        return false;
    memcpy(to, w->block->room + (place - w->room_place), bytes);
    lease_leave(w->s->lease);
    return true;
}

static bool take_results(struct sending *w, const struct job *from) {
    bool is_here = true;
    for (unsigned k = 0; k < w->job->results && is_here; k++) {
        struct job_ref *r = &w->job->r[k];
        const size_t bytes = r->delivered * (r->is_text ? 1 : sizeof(uint64_t));
        is_here =
            bytes <= job_bytes(r) && take_from_room(w, r->host, (uintptr_t)from->r[k].host, bytes);
    }
    for (uint64_t i = 0; w->variables && i < w->job->u[NUMBERS_VARIABLES].count && is_here; i++) {
        const struct number_variable *p = &numbers_of(w->job).variable[i];
        if (!(p->flags & NUMBER_IS_KNOWN))
            is_here = take_from_room(w, p->host, (uintptr_t)w->variables[i].host, bytes_of(p));
    }
    return is_here;
}

/* ---- functions that check what memory the engine may ask the caller for */

static bool is_within(const void *p, size_t bytes, const void *all, size_t all_bytes) {
    const uintptr_t at = (uintptr_t)p - (uintptr_t)all;
    return all && at <= all_bytes && bytes <= all_bytes - at;
}

static bool allows(void *of, const void *p, size_t bytes, bool writes) {
    const struct sending *w = of;
    const struct job *job = w->job;
    bool is_allowed = false;
    for (unsigned k = 0; k < job->operands && !writes; k++)
        is_allowed |= is_within(p, bytes, job->u[k].host, job_bytes(&job->u[k]));
    for (unsigned k = 0; k < job->results; k++)
        is_allowed |= is_within(p, bytes, job->r[k].host, job_bytes(&job->r[k]));
    for (uint64_t i = 0; w->variables && i < job->u[NUMBERS_VARIABLES].count && !is_allowed; i++) {
        const struct number_variable *n = &numbers_of(job).variable[i];
        is_allowed =
            (!writes || !(n->flags & NUMBER_IS_KNOWN)) && is_within(p, bytes, n->host, bytes_of(n));
    }
    return is_allowed;
}

/* Returns the address of the `part` bytes at place `at` (lib/job/far_job.h). Returns NULL unless
 * they are inside the `bytes` bytes of memory at `host`, which begin at place `place`. */
static void *part_of(void *host, size_t bytes, uint64_t place, uint64_t at, size_t part) {
    const uint64_t offset = at - place;
    const bool is_inside =
        host && far_is_in_region(place) && offset <= bytes && part <= bytes - offset;
    return is_inside ? (char *)host + offset : NULL;
}

static void *result(void *of, uint64_t place, size_t bytes) {
    const struct sending *w = of;
    const struct job *job = w->job, *sent = &far_request_of(w->block)->job;
    void *p = NULL;
    for (unsigned k = 0; k < job->results && !p; k++)
        p = part_of(job->r[k].host, job_bytes(&job->r[k]), (uintptr_t)sent->r[k].host, place,
                    bytes);
    for (uint64_t i = 0; w->variables && i < job->u[NUMBERS_VARIABLES].count && !p; i++) {
        const struct number_variable *n = &numbers_of(job).variable[i];
        if (!(n->flags & NUMBER_IS_KNOWN))
            p = part_of(n->host, bytes_of(n), (uintptr_t)w->variables[i].host, place, bytes);
    }
    return p;
}

static uint64_t residue_modulo(const uint64_t *x, size_t n, uint64_t m) {
    return limbs_residue(x, n, tables_modulus(m));
}

/* ---- the job */

/* Returns the options that the engine must use for this job. Its memory limit is this process's
 * option `memory` minus the device memory that this process already uses. */
static struct conf_job options_of(const struct context *s) {
    struct conf_job options = conf_job();
    const uint64_t used = context_in_use(s->number);
    if (options.memory)
        options.memory = options.memory > used ? options.memory - used : 1;
    return options;
}

static enum gpu_status send(struct sending *w) {
    struct far_request *q = far_request_of(w->block);
    struct job *to = &q->job;
    uint64_t block_place;
    char *ring = transfer_staging(w->s->transfer);
    q->wants_times = stats_on;
    q->options = options_of(w->s);
    memcpy(to, w->job, w->job->op == JOB_batch_expression ? sizeof *to : offsetof(struct job, e));
    if (!locate(w->s, w->block->room, FAR_ROOM, &w->room_place) ||
        !locate(w->s, w->block, sizeof *w->block, &block_place) ||
        !locate(w->s, ring, STAGING_BYTES, &q->ring))
        return GPU_FAILED;
    if (job_has_tables(w->job) && !place_tables(w, to))
        return w->has_left ? lease_refusal(w->s->lease) : GPU_NOMEM;
    if (!job_has_tables(w->job))
        place_operands(w, to);
    place_results(w, to);
    if (w->has_left)
        return lease_refusal(w->s->lease);
    far_prepare(&w->far, w->s->seconds);
    return w->s->dev.backend->run_job(w->s->dev.impl, far_offset(block_place), &w->s->sent,
                                      far_serve, &w->far);
}

static enum gpu_status status_of(enum outcome outcome) {
    return outcome == OUTCOME_DONE ? GPU_OK : outcome == OUTCOME_MEMORY ? GPU_NOMEM : GPU_FAILED;
}

static enum gpu_status take(struct sending *w) {
    const struct far_request *q = far_request_of(w->block);
    w->s->failed_there = (uint32_t)q->failed;
    const enum gpu_status status = q->has_left ? GPU_NOMEM : status_of((enum outcome)q->outcome);
    if (status != GPU_OK)
        return status;
    stats_add(&q->times);
    job_take_answers(w->job, &q->job);
    return take_results(w, &q->job) ? GPU_OK : lease_refusal(w->s->lease);
}

enum gpu_status far_run(struct context *s, struct job *job) {
    struct sending w = {.s = s, .job = job, .block = s->far};
    w.far = (struct far_job){.block = s->far,
                             .lease = s->lease,
                             .ring = {.host = transfer_staging(s->transfer),
                                      .lease = s->lease,
                                      .is_cpu = s->dev.caps.is_cpu,
                                      .spin_ns = s->dev.caps.is_cpu ? 0 : SPIN_NS,
                                      .most_ns = FAR_COPY_NS,
                                      .mark = s->far->mark},
                             .allows = allows,
                             .result = result,
                             .residue = residue_modulo,
                             .is_lost = gpu_served_is_lost,
                             .of = &w};
    enum gpu_status status = send(&w);
    /* the job still runs without this thread, which must use neither w nor *job */
    if (status == GPU_LEFT)
        return status;
    if (!far_finish(&w.far) && status == GPU_OK)
        status = GPU_FAILED;
    if (status == GPU_OK)
        status = take(&w);
    far_wipe(s->far, w.used);
    return status;
}
