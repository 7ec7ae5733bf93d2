/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Functions for composite jobs: temporary memory for results that overlap operands, uploads and
 * downloads. */
#include <stdlib.h>
#include <string.h>

#include "lib/base/min.h"
#include "lib/calc/calc_check.h"
#include "lib/job/job.h"
#include "lib/memory/wipe.h"

/* ---- results that overlap operands */

static bool overlap(const struct job_ref *a, const struct job_ref *b) {
    const uintptr_t p = (uintptr_t)a->host, q = (uintptr_t)b->host;
    return p && q && job_bytes(a) > 0 && p < q + job_bytes(b) && q < p + job_bytes(a);
}

static bool overlaps_operand(const struct job *j, unsigned k) {
    for (unsigned i = 0; i < j->operands; i++)
        if (overlap(&j->r[k], &j->u[i]))
            return true;
    return false;
}

static bool are_same_device_memory(const struct job_ref *a, const struct job_ref *b) {
    return a->mem.h && a->mem.h == b->mem.h && job_bytes(a) > 0 && job_bytes(b) > 0;
}

bool job_results_overlap(const struct job *j) {
    for (unsigned k = 1; k < j->results; k++)
        for (unsigned i = 0; i < k; i++)
            if (overlap(&j->r[k], &j->r[i]) || are_same_device_memory(&j->r[k], &j->r[i]))
                return true;
    return false;
}

bool job_begin(struct job *apart, struct job *job) {
    bool has_memory = true;
    *apart = *job;
    apart->answer = 0;
    for (unsigned k = 0; k < job->results; k++)
        apart->r[k].delivered = 0;
    for (unsigned k = 0; k < job->results && has_memory; k++)
        if (overlaps_operand(job, k)) {
            apart->r[k].host = malloc(job_bytes(&job->r[k]));
            has_memory = apart->r[k].host != NULL;
        }
    if (!has_memory)
        job_end(job, apart, false);
    return has_memory;
}

/* Ends a result, a number or a text (is_text). Fills a number's highest limbs with zeros. Copies
 * the result from its temporary memory, if it has any. If the result is a text, does not change the
 * memory behind the text. */
static void end_result(struct job_ref *r, struct job_ref *apart, bool is_done) {
    if (is_done && !r->is_text)
        memset(apart->host + apart->delivered, 0,
               job_bytes(r) - apart->delivered * sizeof *r->host);
    if (apart->host == r->host)
        return;
    if (is_done)
        memcpy(r->host, apart->host, r->is_text ? apart->delivered : job_bytes(r));
    wipe_free(apart->host, job_bytes(r));
}

/* Reads a bool that another process may change at any time. Its byte may be neither 0 nor 1; C does
 * not define the result of reading such a bool directly. */
static bool is_set(const bool *x) {
    unsigned char byte;
    memcpy(&byte, x, 1);
    return byte != 0;
}

static void take_of_ref(struct job_ref *x, const struct job_ref *from) {
    x->residue = from->residue;
    x->has_residue = is_set(&from->has_residue);
    x->delivered = from->delivered;
}

void job_take_answers(struct job *job, const struct job *from) {
    job->answer = from->answer;
    for (unsigned k = 0; k < JOB_OPERANDS; k++)
        take_of_ref(&job->u[k], &from->u[k]);
    for (unsigned k = 0; k < JOB_RESULTS; k++)
        take_of_ref(&job->r[k], &from->r[k]);
}

void job_end(struct job *job, struct job *apart, bool is_done) {
    const bool has_results = is_done && !(apart->answer & (JOB_IS_ABOVE | JOB_IS_NO_NUMBER));
    if (is_done)
        job_take_answers(job, apart);
    for (unsigned k = 0; k < job->results; k++)
        if (job->r[k].count > 0 && job->r[k].host)
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
