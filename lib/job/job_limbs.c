/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Composite operations: results beside operands, and what recipes have in common. */
#include <stdlib.h>
#include <string.h>

#include "lib/base/min.h"
#include "lib/calc/calc_check.h"
#include "lib/job/job.h"
#include "lib/memory/wipe.h"

/* ---- results that overlap operands */

static size_t bytes_of(const struct job_ref *x) {
    return x->count * x->n * sizeof *x->host;
}

static bool overlap(const struct job_ref *a, const struct job_ref *b) {
    const uintptr_t p = (uintptr_t)a->host, q = (uintptr_t)b->host;
    return bytes_of(a) > 0 && p < q + bytes_of(b) && q < p + bytes_of(a);
}

static bool overlaps_operand(const struct job *j, unsigned k) {
    for (unsigned i = 0; i < j->operands; i++)
        if (overlap(&j->r[k], &j->u[i]))
            return true;
    return false;
}

bool job_begin(struct job *apart, const struct job *job) {
    bool has_memory = true;
    *apart = *job;
    for (unsigned k = 0; k < job->results && has_memory; k++)
        if (overlaps_operand(job, k)) {
            apart->r[k].host = malloc(bytes_of(&job->r[k]));
            has_memory = apart->r[k].host != NULL;
        }
    if (!has_memory)
        job_end((struct job *)job, apart, false);
    return has_memory;
}

static void end_result(struct job_ref *r, struct job_ref *apart, bool is_done) {
    if (is_done)
        memset(apart->host + apart->delivered, 0,
               bytes_of(r) - apart->delivered * sizeof *r->host);
    if (apart->host == r->host)
        return;
    if (is_done)
        memcpy(r->host, apart->host, bytes_of(r));
    wipe_free(apart->host, bytes_of(r));
}

void job_end(struct job *job, struct job *apart, bool is_done) {
    const bool has_results = is_done && !(apart->answer & JOB_IS_ABOVE);
    if (is_done)
        job->answer = apart->answer;
    for (unsigned k = 0; k < job->results; k++)
        if (job->r[k].count > 0)
            end_result(&job->r[k], &apart->r[k], has_results);
}

/* ---- for recipes */

void job_deliver(struct calc *c, struct job *job, unsigned k, struct number x) {
    struct job_ref *r = &job->r[k];
    if (r->count == 0)
        return;
    r->delivered = min_u64(r->n, x.words / 2);
    calc_download(c, r->host, x, r->delivered);
}

struct number job_operand(struct calc *c, const struct job_ref *u, uint64_t words) {
    return calc_operand(c, u->host, u->n, words);
}

struct number job_first(struct calc *c, const struct job_ref *u) {
    return calc_upload(c, u->host, u->n, 2 * u->n);
}
