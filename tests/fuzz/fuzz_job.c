/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Jobs of any content, as other processes may send them.  One that fits, and is short, is computed
 * from operands to results of exactly the lengths that it names: a sanitizer finds what is outside
 * of them.  GMP computes batches, the host's engine composite operations. */
#include "tests/support/testing.h"

#include "compat/batch/batch_gmp.h"
#include "lib/algorithms/recipe.h"
#include "lib/gmp/real.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/composite_cases.h"

enum { MOST_LIMBS = 100, MOST_COMPOSITE_LIMBS = 40 * MOST_LIMBS };

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    real_resolve();
    return 0;
}

/* What is left of the input; zeros at its end. */
struct bytes {
    const uint8_t *data;
    size_t size;
};

static uint8_t next(struct bytes *b) {
    if (b->size == 0)
        return 0;
    b->size--;
    return *b->data++;
}

/* A small number, or one near a power of 2. */
static uint64_t next_size(struct bytes *b) {
    const uint8_t x = next(b);
    return x < 240 ? x % 8 : (UINT64_C(1) << next(b) % 64) - next(b) % 2;
}

/* Mostly a length that goes with n. */
static uint64_t next_length(struct bytes *b, uint64_t n) {
    const uint64_t lengths[] = {
        n, n, n, n, 2 * n, 1, job_known_limbs(n, true), job_known_limbs(n, false)};
    const uint8_t x = next(b);
    return x < 248 ? lengths[x % 8] : next_size(b);
}

static void take_batch(struct bytes *in, struct job_ref *b, const struct job *job) {
    const uint8_t x = next(in);
    b->count = x < 240 ? job->u[0].count : x < 248 ? 1 : next_size(in);
    b->n = next_length(in, job->u[0].n);
}

/* Mostly one that is made of nodes before it. */
static void take_node(struct bytes *in, struct expression *e, unsigned i) {
    struct expression_node *node = &e->node[i];
    const uint8_t x = next(in);
    node->kind = (uint8_t)(x < 250 ? EXPRESSION_SUM + x % 4 : x);
    node->terms = node->kind == EXPRESSION_RESIZE ? 1 : 2;
    for (unsigned k = 0; k < BATCH_TERMS && k <= node->terms; k++)
        node->term[k] = (uint8_t)(x < 250 && i > 0 ? next(in) % i : next(in));
    if (x < 248 && node->terms == 2) /* of the same length */
        node->term[1] = node->term[0];
    node->times =
        (uint8_t)(node->kind == EXPRESSION_RESIZE || x >= 250
                      ? next(in) % 10
                      : e->node[node->term[0]].times << (node->kind == EXPRESSION_PRODUCT));
}

static void take_expression(struct bytes *in, struct job *job) {
    struct expression *e = &job->e;
    const uint8_t x = next(in);
    e->operands = job->operands;
    e->results = job->results;
    e->nodes = x < 250 ? job->operands + 1 + x % 8 : next(in);
    for (unsigned i = 0; i < EXPRESSION_NODES && i < e->nodes; i++)
        if (i < e->operands)
            e->node[i] = (struct expression_node){EXPRESSION_OPERAND, 1, 1, 0, {(uint8_t)i}};
        else
            take_node(in, e, i);
    for (unsigned k = 0; k < EXPRESSION_RESULTS; k++) {
        const uint8_t from = next(in);
        e->result[k] = (uint8_t)(from < 240 ? e->nodes - 1 - k : from);
        if (from < 240 && e->result[k] < EXPRESSION_NODES)
            job->r[k].n = job->u[0].n * e->node[e->result[k]].times;
    }
}

/* ---- composite operations: jobs that tests make (tests/support/composite_cases.h), of which some
 * are changed */

static uint64_t anywhere; /* where operands and results are until they have memory */

static void change_ref(struct bytes *in, struct job_ref *x) {
    x->host = &anywhere;
    if (next(in) >= 248)
        x->n = next_size(in);
    if (next(in) >= 252)
        x->count = next(in);
}

static enum outcome compute_case(struct job *job) {
    struct composite work = {0};
    return recipe_run_on_host(&work, job) ? OUTCOME_DONE : OUTCOME_MEMORY;
}

/* The host's engine must compute what GMP does. */
static void take_composite(struct bytes *in, struct job *j) {
    struct composite_case c;
    composite_case_seed(next(in) + 256ul * next(in));
    composite_case_make(&c, j->op, 1 + next(in) % MOST_LIMBS, next(in) % JOB_CASE_VARIANTS);
    if (composite_case_is_for_host(j->op))
        FUZZ_CHECK(composite_case_run(&c, compute_case, "fuzz") == OUTCOME_DONE);
    *j = c.job;
    composite_case_free(&c);
    for (unsigned k = 0; k < JOB_OPERANDS; k++)
        change_ref(in, &j->u[k]);
    for (unsigned k = 0; k < JOB_RESULTS; k++)
        change_ref(in, &j->r[k]);
    if (next(in) < 8)
        j->operands = next(in);
    if (next(in) < 8)
        j->parameter[next(in) % JOB_PARAMETERS] = next_size(in);
}

static void take_job(struct bytes *in, struct job *job) {
    *job = (struct job){.op = next(in) % (JOB_OPS + 1)};
    if (job->op >= JOB_BATCH_OPS && job->op < JOB_OPS) {
        take_composite(in, job);
        return;
    }
    const uint8_t operands = next(in), results = next(in);
    job->operands = operands < 250 ? 1 + operands % 4 : operands;
    job->results = results < 250 ? 1 + results % 2 : results;
    for (unsigned k = 0; k < JOB_PARAMETERS; k++)
        job->parameter[k] = next_size(in);
    job->u[0] = (struct job_ref){.count = next_size(in), .n = next_size(in)};
    for (unsigned k = 1; k < JOB_OPERANDS; k++)
        take_batch(in, &job->u[k], job);
    for (unsigned k = 0; k < JOB_RESULTS; k++)
        take_batch(in, &job->r[k], job);
    if (job->op == JOB_batch_expression)
        take_expression(in, job);
}

static bool is_short(const struct job *job) {
    for (unsigned k = 0; k < job->operands; k++)
        if (job->u[k].count * job->u[k].n >
            (job->op < JOB_BATCH_OPS ? MOST_LIMBS : MOST_COMPOSITE_LIMBS))
            return false;
    for (unsigned k = 0; k < job->results; k++)
        if (job->r[k].count * job->r[k].n > MOST_COMPOSITE_LIMBS)
            return false;
    return true;
}

/* Odd numbers serve as moduli and divisors. */
static mp_limb_t *limbs_of(const struct job_ref *b) {
    mp_limb_t *x = malloc(b->count * b->n * sizeof *x);
    FUZZ_CHECK(x);
    for (size_t i = 0; i < b->count * b->n; i++)
        x[i] = (i + 1) * 0x9e3779b97f4a7c15u | 1;
    return x;
}

static void compute(const struct job *job) {
    mp_limb_t *up[JOB_OPERANDS] = {NULL}, *rp[JOB_RESULTS] = {NULL};
    for (unsigned k = 0; k < job->operands; k++)
        up[k] = limbs_of(&job->u[k]);
    for (unsigned k = 0; k < job->results; k++)
        rp[k] = job->r[k].count ? limbs_of(&job->r[k]) : NULL;
    job_by_gmp(job, rp, (const mp_limb_t *const *)up);
    for (unsigned k = 0; k < job->operands; k++)
        free(up[k]);
    for (unsigned k = 0; k < job->results; k++)
        free(rp[k]);
}

/* First approximations are not those of the operands, so results mean nothing. */
static void compute_on_host(struct job *job) {
    struct composite work = {0};
    for (unsigned k = 0; k < job->operands; k++)
        job->u[k].host = limbs_of(&job->u[k]);
    for (unsigned k = 0; k < job->results; k++)
        if (job->r[k].count)
            job->r[k].host = limbs_of(&job->r[k]);
    recipe_run_on_host(&work, job);
    for (unsigned k = 0; k < job->operands; k++)
        free(job->u[k].host);
    for (unsigned k = 0; k < job->results; k++)
        if (job->r[k].count)
            free(job->r[k].host);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct bytes in = {data, size};
    struct job job;
    take_job(&in, &job);
    if (!job_fits(&job))
        return 0;
    job_takes(&job);
    job_longest(&job);
    if (job.op < JOB_BATCH_OPS)
        job_recipe(&job)->bytes(&job);
    if (is_short(&job) && job.op < JOB_BATCH_OPS)
        compute(&job);
    else if (is_short(&job) && composite_case_is_for_host(job.op))
        compute_on_host(&job);
    return 0;
}
