/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Sends jobs (operations with their operands) to other members of the group, and computes jobs that
 * they send.  A message has the job and the bytes of its operands; an answer has the job and the
 * bytes of its results.  The receiver checks a residue (checksum) of these bytes before it uses
 * them.  In a message, each address of the job is replaced by a value of `enum there`, which states
 * where the limbs are.  All sizes are derived from the job. */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/conf.h"
#include "lib/device/limbs_residue.h"
#include "lib/device/tables.h"
#include "lib/job/engine.h"
#include "lib/process/event.h"
#include "lib/session/session.h"
#include "lib/transfer/caller_memory.h"
#include "lib/transfer/far.h"
#include "tools/serve/group/group.h"
#include "tools/serve/group/group_net.h"
#include "tools/serve/serve_work.h"

enum { MOST_JOBS = 256, PIECE = FAR_BUFFER };

/* A lower bound for the speed of the slowest member and network, in bytes a second.  It determines
 * the time limit of a job. */
static const double slowest = 5e6;

/* How a message has an operand's limbs.  NOTHING: not at all; OWN: after the job; AS_FIRST: not
 * again, because the operand equals the first operand. */
enum there { NOTHING, OWN, AS_FIRST };

/* The most limbs of one operand in a message.  Sums of a few such lengths do not overflow. */
#define MOST_LIMBS (JOB_MOST_LIMBS / 16)

struct message {
    struct job job;
    uint64_t modulus, residue; /* of the payload */
    int32_t outcome;           /* of an answer */
    uint32_t device;           /* index among the receiving member's own devices */
    uint64_t wants_times;      /* in a job: whether the answer must contain `times` */
    struct stats_times times;
};
_Static_assert(sizeof(struct message) % sizeof(uint64_t) == 0, "limbs follow");

/* ---- sizes */

static size_t padded(const struct job_ref *x) {
    return (job_bytes(x) + 7) & ~(size_t)7;
}

/* Returns true if the job adds a product to result 0, so that the old value of result 0 is an
 * operand, too. */
static bool is_sum(const struct job *job) {
    return job->op == JOB_mul && job->parameter[JOB_OLD] > 0 && job->results > 0;
}

static bool is_there(const struct job_ref *x) {
    return (uintptr_t)x->host == OWN;
}

/* Returns the bytes of a job's operands in a message.  The job's host addresses must already be
 * replaced by values of `enum there`. */
static size_t operand_bytes(const struct job *job) {
    size_t bytes = is_sum(job) && is_there(&job->r[0]) ? padded(&job->r[0]) : 0;
    for (unsigned k = 0; k < job->operands; k++)
        bytes += is_there(&job->u[k]) ? padded(&job->u[k]) : 0;
    return bytes;
}

static size_t result_bytes(const struct job *job) {
    size_t bytes = 0;
    for (unsigned k = 0; k < job->results; k++)
        bytes += is_there(&job->r[k]) ? padded(&job->r[k]) : 0;
    return bytes;
}

static uint64_t residue(const struct message *m, size_t bytes) {
    return limbs_residue((const uint64_t *)(const void *)(m + 1), bytes / sizeof(uint64_t),
                         tables_modulus(m->modulus));
}

/* ---- the member to which the client is connected */

static uint64_t *as_place(enum there there) {
    return (uint64_t *)(uintptr_t)there;
}

static void place(struct job *to, const struct job *job) {
    const struct job_ref *first = &job->u[0];
    for (unsigned k = 0; k < job->operands; k++) {
        const struct job_ref *u = &job->u[k];
        const bool is_first = k > 0 && job_is_same(u, first);
        to->u[k].host = as_place(u->count == 0 ? NOTHING : is_first ? AS_FIRST : OWN);
    }
    for (unsigned k = 0; k < job->results; k++)
        to->r[k].host = as_place(job->r[k].count == 0 ? NOTHING : OWN);
}

/* Copies an operand of the client to `to`, piece by piece.  Returns false if its memory cannot be
 * read. */
static bool read_from(char *to, const struct job_ref *x) {
    bool is_here = true;
    for (size_t at = 0, all = job_bytes(x), n; at < all && is_here; at += n) {
        n = all - at < PIECE ? all - at : PIECE;
        is_here = caller_read(NULL, to + at, (const char *)x->host + at, n);
    }
    return is_here;
}

static struct message *pack(const struct job *job, unsigned device, size_t *bytes) {
    struct message head = {.job = *job,
                           .device = device,
                           .modulus = tables_check_modulus().m,
                           .wants_times = stats_are_wanted()};
    place(&head.job, job);
    *bytes = operand_bytes(&head.job);
    struct message *m = calloc(1, sizeof *m + *bytes);
    if (!m)
        return NULL;
    *m = head;
    char *at = (char *)(m + 1);
    bool is_here = true;
    for (unsigned k = 0; k < job->operands && is_here; k++)
        if (is_there(&m->job.u[k])) {
            is_here = read_from(at, &job->u[k]);
            at += padded(&job->u[k]);
        }
    if (is_sum(job))
        is_here = is_here && read_from(at, &job->r[0]);
    m->residue = residue(m, *bytes);
    *bytes += sizeof *m;
    if (!is_here)
        free(m);
    return is_here ? m : NULL;
}

/* Checks the answer to *job.  Returns NULL, or the member's fault. */
static const char *wrong(const struct message *m, size_t bytes, const struct job *job) {
    struct job sent = *job;
    place(&sent, job);
    if (bytes < sizeof *m)
        return "has sent an answer that is too short";
    if (m->outcome != OUTCOME_DONE)
        return NULL;
    if (bytes != sizeof *m + result_bytes(&sent) || m->modulus != tables_check_modulus().m)
        return "has sent an answer of another length";
    return residue(m, bytes - sizeof *m) == m->residue ? NULL
                                                       : "has sent a result with another residue";
}

static bool unpack(const struct message *m, struct job *job) {
    const char *at = (const char *)(m + 1);
    bool is_here = true;
    for (unsigned k = 0; k < job->results && is_here; k++)
        if (job->r[k].count > 0) {
            is_here = caller_write(NULL, job->r[k].host, at, job_bytes(&job->r[k]));
            at += padded(&job->r[k]);
        }
    if (!is_here)
        return false;
    struct job answered = m->job;
    answered.operands = job->operands;
    answered.results = job->results;
    job_take_answers(job, &answered);
    return true;
}

struct wait {
    int64_t begun, limit; /* nanoseconds */
    bool is_late;
};

static bool goes_on(void *wait) {
    struct wait *w = wait;
    struct far_caller *f = far_here();
    w->is_late = w->limit > 0 && event_clock() - w->begun > w->limit;
    return !w->is_late && !(f && f->is_gone(f->of));
}

enum outcome group_job_run(uint64_t link, unsigned device, struct job *job, const char **fault) {
    size_t bytes;
    *fault = NULL;
    struct message *m = job_crosses(job) ? pack(job, device, &bytes) : NULL;
    if (!m)
        return OUTCOME_MEMORY;
    struct wait w = {.begun = event_clock()};
    if (mpgpu_conf.watchdog > 0)
        w.limit = (int64_t)((mpgpu_conf.watchdog + (double)engine_bytes(job) / slowest) * 1e9);
    struct message *answer = group_net_call(link, m, &bytes, goes_on, &w);
    if (!answer) {
        *fault = w.is_late ? "has not answered a job in time" : NULL;
        return w.is_late || !group_net_is_open(link) ? OUTCOME_FAILED : OUTCOME_MEMORY;
    }
    *fault = wrong(answer, bytes, job);
    enum outcome outcome = *fault ? OUTCOME_FAILED : (enum outcome)answer->outcome;
    if (outcome == OUTCOME_DONE) {
        stats_add(&answer->times);
        outcome = unpack(answer, job) ? OUTCOME_DONE : OUTCOME_MEMORY;
    }
    free(answer);
    return outcome == OUTCOME_DONE || outcome == OUTCOME_MEMORY ? outcome : OUTCOME_FAILED;
}

/* ---- the member that owns the device */

/* A received job that is being computed. */
struct run {
    uint64_t link, number;
    struct message *m, *answer;
    size_t bytes, answer_bytes;
};

static bool is_ref(const struct job_ref *x, enum there most) {
    const uintptr_t there = (uintptr_t)x->host;
    return serve_job_is_sound(x) && x->count * x->n <= MOST_LIMBS && there <= (uintptr_t)most &&
           (there != NOTHING) == (x->count > 0);
}

/* Returns true if the received message is a valid job: its operands fill the message exactly, and
 * their residue (checksum) is right.  The message may contain any bytes. */
static bool is_sound(const struct run *r) {
    const struct job *job = &r->m->job;
    bool is_sound = r->bytes >= sizeof *r->m && (unsigned)job->op < JOB_OPS &&
                    job->operands <= JOB_OPERANDS && job->results <= JOB_RESULTS &&
                    job_crosses(job) && r->m->device < serve_own_devices && (r->m->modulus & 1) &&
                    r->m->modulus >> 61 == 0 && r->m->modulus > 1;
    for (unsigned k = 0; is_sound && k < job->operands; k++)
        is_sound = is_ref(&job->u[k], k == 0 ? OWN : AS_FIRST) &&
                   ((uintptr_t)job->u[k].host != AS_FIRST ||
                    (is_there(&job->u[0]) && job_bytes(&job->u[k]) == job_bytes(&job->u[0])));
    for (unsigned k = 0; is_sound && k < job->results; k++)
        is_sound = is_ref(&job->r[k], OWN);
    return is_sound && r->bytes - sizeof *r->m == operand_bytes(job) &&
           residue(r->m, r->bytes - sizeof *r->m) == r->m->residue;
}

/* Replaces the values of `enum there` in the job by addresses.  The operands are in the received
 * message, the results in the answer. */
static void find(struct run *r, struct job *job) {
    char *at = (char *)(r->m + 1);
    for (unsigned k = 0; k < job->operands; k++) {
        const enum there there = (enum there)(uintptr_t)job->u[k].host;
        job->u[k].host = there == AS_FIRST ? job->u[0].host
                         : there == OWN    ? (uint64_t *)(void *)at
                                           : NULL;
        at += there == OWN ? padded(&job->u[k]) : 0;
    }
    const char *old = at;
    at = (char *)(r->answer + 1);
    for (unsigned k = 0; k < job->results; k++) {
        const bool is_wanted = is_there(&job->r[k]);
        job->r[k].host = is_wanted ? (uint64_t *)(void *)at : NULL;
        at += is_wanted ? padded(&job->r[k]) : 0;
    }
    if (is_sum(job) && job->r[0].host)
        memcpy(job->r[0].host, old, job_bytes(&job->r[0]));
}

static enum outcome compute(struct run *r) {
    struct job job = r->m->job;
    find(r, &job);
    job.answer = 0;
    if (!job_fits(&job) || !job_takes(&job))
        return OUTCOME_FAILED;
    session_bind((int)r->m->device);
    stats_ask(r->m->wants_times);
    stats_begin();
    enum outcome outcome = session_wait();
    if (outcome == OUTCOME_DONE)
        outcome = job.op < JOB_BATCH_OPS ? engine_run_staged(&job) : engine_run(&job);
    if (outcome == OUTCOME_FAILED)
        atomic_store(&serve_device[r->m->device].is_suspect, true);
    for (unsigned k = 0; k < job.results; k++)
        /* The answer contains no residue of the result.  A residue modulo this member's random
         * number would be useless to other members, which do not know that number. */
        job.r[k].has_residue = false;
    job_take_answers(&r->answer->job, &job);
    r->answer->times = *stats_here();
    stats_ask(false);
    return outcome;
}

/* Allocates the answer with space for results.  If memory is exhausted, allocates an answer without
 * results. */
static bool make_answer(struct run *r, bool has_results) {
    r->answer_bytes = sizeof *r->answer + (has_results ? result_bytes(&r->m->job) : 0);
    r->answer = calloc(1, r->answer_bytes);
    if (!r->answer && has_results)
        return make_answer(r, false);
    if (r->answer)
        *r->answer = (struct message){.outcome = has_results ? OUTCOME_FAILED : OUTCOME_MEMORY};
    return r->answer && has_results;
}

struct group_answer group_job_compute(void *payload, size_t bytes) {
    struct run r = {.m = payload, .bytes = bytes};
    if (!is_sound(&r)) {
        serve_log(1, "a job of another member is none");
        make_answer(&r, false);
        if (r.answer)
            r.answer->outcome = OUTCOME_FAILED;
    } else if (make_answer(&r, true)) {
        r.answer->job = r.m->job;
        r.answer->modulus = r.m->modulus;
        r.answer->outcome = (int32_t)compute(&r);
        if (r.answer->outcome != OUTCOME_DONE)
            r.answer_bytes = sizeof *r.answer;
        r.answer->residue = residue(r.answer, r.answer_bytes - sizeof *r.answer);
    }
    return (struct group_answer){r.answer, r.answer ? r.answer_bytes : 0};
}

static atomic_int jobs;

static void *run_job(void *argument) {
    struct run *r = argument;
    const struct group_answer answer = group_job_compute(r->m, r->bytes);
    group_net_answer(r->link, r->number, answer.payload, answer.bytes);
    atomic_fetch_sub(&jobs, 1);
    free(r->m);
    free(r);
    return NULL;
}

void group_job_begin(uint64_t link, uint64_t number, void *payload, size_t bytes) {
    pthread_t thread;
    struct run *r = calloc(1, sizeof *r);
    bool fits = atomic_fetch_add(&jobs, 1) < MOST_JOBS && r;
    if (fits) {
        *r = (struct run){.link = link, .number = number, .m = payload, .bytes = bytes};
        fits = pthread_create(&thread, NULL, run_job, r) == 0;
    }
    if (fits) {
        pthread_detach(thread);
        return;
    }
    atomic_fetch_sub(&jobs, 1);
    serve_log(1, "no thread for a job of another member");
    group_net_answer(link, number, NULL, 0);
    free(payload);
    free(r);
}
