/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Fuzz target: jobs of any content, as other processes may send them.  Short and valid jobs are
 * computed.  Their operands and results have exactly the lengths that the job states, so that a
 * sanitizer finds accesses behind them.
 * GMP computes batches, and operations on single numbers of limbs.  The library's host code
 * computes composite operations, and programs over numbers. */
#include "tests/support/testing.h"

#include "compat/batch/batch_gmp.h"
#include "lib/algorithms/recipe.h"
#include "lib/base/conf.h"
#include "lib/calc/calc_reciprocal.h"
#include "lib/gmp/real.h"
#include "lib/job/engine.h"
#include "lib/job/limbs_gmp.h"
#include "lib/job/numbers.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/composite_cases.h"

enum { MOST_LIMBS = 100, MOST_COMPOSITE_LIMBS = 40 * MOST_LIMBS };

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    real_resolve();
    return 0;
}

/* The input bytes that no function has read yet; reads beyond their end return zeros. */
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

/* Returns a small number, or a number near a power of 2. */
static uint64_t next_size(struct bytes *b) {
    const uint8_t x = next(b);
    return x < 240 ? x % 8 : (UINT64_C(1) << next(b) % 64) - next(b) % 2;
}

/* Returns a length in limbs for a job whose first operand has n limbs: mostly a length that some
 * operation permits, rarely any number. */
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

/* Fills node i (one operation) of an expression from the input. Mostly the node's terms are earlier
 * nodes. */
static void take_node(struct bytes *in, struct expression *e, unsigned i) {
    struct expression_node *node = &e->node[i];
    const uint8_t x = next(in);
    node->kind = (uint8_t)(x < 250 ? EXPRESSION_SUM + x % 4 : x);
    node->terms = node->kind == EXPRESSION_RESIZE ? 1 : 2;
    for (unsigned k = 0; k < BATCH_TERMS && k <= node->terms; k++)
        node->term[k] = (uint8_t)(x < 250 && i > 0 ? next(in) % i : next(in));
    /* uses one operand twice, so that both terms have the same length */
    if (x < 248 && node->terms == 2)
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

/* ---- composite operations: jobs from tests/support/composite_cases.h, some of them changed by
 * the input */

/* The address of operands and results until their memory is allocated.  Only the parameters of a
 * Mandelbrot view are really read from here. */
static uint64_t anywhere[MANDELBROT_LIMBS];

/* Changes an operand's or result's address, and rarely its length or count. Each result gets an
 * address of its own, so that results do not overlap. */
static void change_ref(struct bytes *in, struct job_ref *x, unsigned variable) {
    x->host = variable > 0 ? (uint64_t *)((uintptr_t)variable << 56) : anywhere;
    if (next(in) >= 248)
        x->n = next_size(in);
    if (next(in) >= 252)
        x->count = next(in);
}

static struct job_ref take_limbs(struct bytes *in, uint64_t n) {
    return job_limbs(anywhere, next(in) < 250 ? n : next_size(in));
}

static void take_other(struct bytes *in, struct job *j, uint64_t n, uint64_t d) {
    j->operands = 2 + next(in) % 2, j->results = 1;
    for (unsigned k = 0; k < j->operands; k++)
        j->u[k] = take_limbs(in, k ? d : n);
    j->r[0] = take_limbs(in, d);
    for (unsigned k = 0; k < JOB_PARAMETERS; k++)
        j->parameter[k] = next_size(in);
}

static void take_on_limbs(struct bytes *in, struct job *j, uint64_t n, uint64_t d) {
    const uint64_t un = n > d ? n : d, vn = n > d ? d : n;
    j->operands = j->op == JOB_mul_1 ? 1 + next(in) % 2 : 2, j->results = 1;
    j->u[0] = take_limbs(in, un);
    j->u[1] = take_limbs(in, vn);
    j->r[0] = take_limbs(in, j->op == JOB_mul                       ? un + vn
                             : j->op == JOB_add || j->op == JOB_sub ? un
                             : j->op == JOB_mul_1                   ? un + 2
                                                                    : un + next(in) % vn);
    j->parameter[JOB_LIMB] = next_size(in);
    j->parameter[JOB_SUBTRACT] = next(in) % 2;
}

/* ---- programs over numbers: jobs whose steps read and write a table of variables (operands and
 * results) */

enum { MOST_STEPS = 24, OPERANDS = 4, VARIABLES = OPERANDS + 2 * MOST_STEPS, DIVISORS = 3 };

static struct program {
    struct number_step step[MOST_STEPS];
    struct number_variable variable[VARIABLES];
    struct number_divisor divisor[DIVISORS];
    unsigned variables, divisors;
} program;

static struct job_ref table_of(struct bytes *in, void *entries, uint64_t count, uint64_t limbs) {
    return (struct job_ref){
        .host = entries, .count = count, .n = next(in) < 250 ? limbs : next(in)};
}

/* Adds a variable (an operand or result) of `words` words to the program: with allocated host
 * memory, or without it, so that the job allocates it. Returns its index. */
static uint64_t take_variable(struct bytes *in, uint64_t words, bool is_known) {
    struct number_variable *p = &program.variable[program.variables++];
    *p = (struct number_variable){.words = next(in) < 252 ? words : next_size(in),
                                  .flags = is_known};
    if (is_known || next(in) % 2)
        p->host =
            calloc(1 + (p->words <= MOST_COMPOSITE_LIMBS ? p->words / 2 : 0), sizeof *p->host);
    for (uint64_t i = 0; p->host && p->words <= MOST_COMPOSITE_LIMBS && i < p->words / 2; i++)
        p->host[i] = (i + 1) * 0x9e3779b97f4a7c15u | 1;
    return program.variables - 1;
}

static uint64_t any_variable(struct bytes *in) {
    return next(in) % program.variables;
}

/* Returns the sizes of the buffers for reducing a number by d.  If the length of d is out of
 * range, returns the sizes for a divisor of one bit. */
static struct calc_divisor plan_of(const struct number_divisor *d) {
    return numbers_divisor(d->bits > 0 && d->bits >> 30 == 0 ? d->bits : 1, d->quads);
}

static void take_divisor(struct bytes *in, uint64_t *firsts) {
    struct number_divisor *d = &program.divisor[program.divisors++];
    d->variable = any_variable(in);
    d->bits = 32 * program.variable[d->variable].words - next(in) % 128;
    d->quads = next(in) % 5;
    d->first = *firsts;
    *firsts += calc_reciprocal_first_limbs(plan_of(d).k);
}

static void take_quotient(struct bytes *in, struct number_step *s, uint64_t words) {
    const struct number_divisor *d = &program.divisor[s->divisor];
    const struct calc_divisor by = plan_of(d);
    s->bits = 32 * words - next(in) % 64;
    s->r = take_variable(in, program.variable[d->variable].words, false);
    if (s->kind == NUMBER_QUOTIENT && s->bits >> 30 == 0)
        s->q = take_variable(in, CALC_QUAD * (numbers_dividend_quads(&by, s->bits) - by.n), false);
}

static void take_step(struct bytes *in, struct number_step *s) {
    *s = (struct number_step){.kind = NUMBER_ADD + next(in) % NUMBER_PRODUCT,
                              .r = NUMBER_NONE,
                              .q = NUMBER_NONE,
                              .u = any_variable(in),
                              .v = NUMBER_NONE,
                              .shift = next(in),
                              .divisor = next(in) % DIVISORS};
    const bool has_v = s->kind <= NUMBER_MUL || s->kind == NUMBER_PRODUCT;
    const uint64_t u = program.variable[s->u].words, more = CALC_QUAD * (next(in) % 3);
    if (has_v)
        s->v = any_variable(in);
    const uint64_t v = has_v ? program.variable[s->v].words : 0, most = u > v ? u : v;
    if (s->kind >= NUMBER_QUOTIENT)
        take_quotient(in, s, u + v);
    else if (s->kind == NUMBER_DOWN)
        s->r = take_variable(in, u > more ? u - more : u, false);
    else
        s->r = take_variable(in, most + CALC_QUAD * (s->kind == NUMBER_SUB) + more, false);
}

/* Changes a random word of the program's steps, divisors or variables (operands and results). Never
 * sets a device address, because the host has no device memory. */
static void spoil_program(struct bytes *in, uint64_t steps) {
    uint64_t *word[] = {&program.divisor[next(in) % DIVISORS].variable,
                        &program.divisor[next(in) % DIVISORS].bits,
                        &program.divisor[next(in) % DIVISORS].quads,
                        &program.divisor[next(in) % DIVISORS].is_there,
                        &program.divisor[next(in) % DIVISORS].first,
                        &program.variable[next(in) % VARIABLES].flags};
    const unsigned words = sizeof word / sizeof *word, which = next(in) % (2 * words);
    uint64_t *step = (uint64_t *)&program.step[steps > 0 ? next(in) % steps : 0];
    *(which < words ? word[which] : &step[next(in) % NUMBER_STEP_LIMBS]) = next_size(in);
}

static void take_numbers(struct bytes *in, struct job *j) {
    const uint64_t steps = 1 + next(in) % MOST_STEPS;
    uint64_t firsts = 0;
    program = (struct program){.variables = 0};
    for (unsigned i = 0; i < OPERANDS; i++)
        take_variable(in, CALC_QUAD * (1 + next(in) % 16), true);
    for (unsigned i = 0; i < DIVISORS; i++)
        take_divisor(in, &firsts);
    for (uint64_t i = 0; i < steps; i++)
        take_step(in, &program.step[i]);
    if (next(in) < 64)
        spoil_program(in, steps);
    j->operands = 4;
    j->u[NUMBERS_STEPS] = table_of(in, program.step, steps, NUMBER_STEP_LIMBS);
    j->u[NUMBERS_VARIABLES] =
        table_of(in, program.variable, program.variables, NUMBER_VARIABLE_LIMBS);
    j->u[NUMBERS_DIVISORS] = table_of(in, program.divisor, DIVISORS, NUMBER_DIVISOR_LIMBS);
    j->u[NUMBERS_FIRSTS] = job_limbs(calloc(firsts + 1, sizeof(uint64_t)), firsts);
}

static void drop_numbers(struct job *j) {
    for (unsigned i = 0; i < program.variables; i++)
        free(program.variable[i].host);
    free(j->u[NUMBERS_FIRSTS].host);
}

/* Returns true if all variables of the program together are short enough to allocate. */
static bool is_short_program(const struct job *j) {
    uint64_t words = 0;
    for (uint64_t i = 0; i < j->u[NUMBERS_VARIABLES].count; i++) {
        if (program.variable[i].words > MOST_COMPOSITE_LIMBS)
            return false;
        words += program.variable[i].words;
    }
    return words <= MOST_COMPOSITE_LIMBS;
}

/* ---- trees */

static void take_tree(struct bytes *in, struct job *j, uint64_t n, uint64_t d) {
    take_other(in, j, n, d);
    j->parameter[JOB_LEAVES] = n;
    j->parameter[JOB_LEAF_LIMBS] = 2 * (d % 4);
    j->results = 1 + next(in) % 2;
    j->u[JOB_TREE] = (struct job_ref){.mem = {1}, .count = 1, .n = next_size(in)};
    j->r[0] = j->op == JOB_tree_build ? j->u[JOB_TREE] : take_limbs(in, d);
}

static void take_look(struct bytes *in, struct job *j) {
    j->operands = 1;
    j->u[0] = (struct job_ref){.mem = {next(in) % 8}, .count = next_size(in), .n = next_size(in)};
}

/* ---- operations that allocate, fill, copy and free device memory */

static void take_store(struct bytes *in, struct job *j, uint64_t n, uint64_t at) {
    const struct job_ref memory = {.mem = {next(in) % 8}, .count = 1, .n = n + at};
    j->parameter[JOB_AT] = at;
    j->operands = j->op != JOB_store_alloc && (j->op != JOB_store_fill || next(in) % 2);
    j->results = j->op != JOB_store_alloc && j->op != JOB_store_free;
    j->u[0] = j->op == JOB_store_fill ? take_limbs(in, n) : memory;
    j->r[0] = j->op == JOB_store_fill ? memory : take_limbs(in, n);
    if (j->op == JOB_store_copy)
        j->r[0] =
            (struct job_ref){.mem = {next(in) % 8}, .count = 1, .n = next(in) % 4 ? n + at : n};
}

/* ---- composite operations */

static enum outcome compute_case(struct job *job) {
    struct composite work = {0};
    return recipe_run_on_host(&work, job) ? OUTCOME_DONE : OUTCOME_MEMORY;
}

/* Makes a composite operation. Checks first, if the library has host code for it, that this code
 * computes the unchanged job as GMP does; then changes the job. */
static void take_composite(struct bytes *in, struct job *j) {
    struct composite_case c;
    composite_case_seed(next(in) + 256ul * next(in));
    composite_case_make(&c, j->op, 1 + next(in) % MOST_LIMBS, next(in) % JOB_CASE_VARIANTS);
    if (composite_case_is_for_host(j->op))
        FUZZ_CHECK(composite_case_run(&c, compute_case, "fuzz") == OUTCOME_DONE);
    *j = c.job;
    if (j->op == JOB_mandelbrot)
        memcpy(anywhere, j->u[0].host, sizeof anywhere);
    if (next(in) >= 248)
        anywhere[next(in) % MANDELBROT_LIMBS] = next_size(in);
    composite_case_free(&c);
    for (unsigned k = 0; k < JOB_OPERANDS; k++)
        change_ref(in, &j->u[k], 0);
    for (unsigned k = 0; k < JOB_RESULTS; k++)
        change_ref(in, &j->r[k], k + 1);
}

/* Makes a job whose operands mostly have lengths that make the job valid. */
static void take_in_memory(struct bytes *in, struct job *j) {
    const uint64_t n = 1 + next(in) % MOST_LIMBS, d = 2 + next(in) % MOST_LIMBS;
    if (j->op < JOB_FIRST_COMPOSITE)
        take_on_limbs(in, j, n, d);
    else if (j->op < JOB_FIRST_ON_DEVICE)
        take_composite(in, j);
    else if (j->op == JOB_numbers)
        take_numbers(in, j);
    else if (j->op == JOB_tree_split)
        take_other(in, j, n, d);
    else if (j->op == JOB_batch_look)
        take_look(in, j);
    else if (j->op >= JOB_FIRST_STORE)
        take_store(in, j, n, d % 4);
    else
        take_tree(in, j, n, d);
    if (next(in) < 8)
        j->operands = next(in);
    if (next(in) < 8)
        j->parameter[next(in) % JOB_PARAMETERS] = next_size(in);
    if (next(in) < 8)
        j->r[next(in) % JOB_RESULTS].count = next(in);
}

static void take_job(struct bytes *in, struct job *job) {
    *job = (struct job){.op = next(in) % (JOB_OPS + 1)};
    if (job->op >= JOB_BATCH_OPS && job->op < JOB_OPS) {
        take_in_memory(in, job);
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

/* Allocates memory for an operand. Its limbs are odd, because moduli and divisors must be odd. */
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

/* Computes the job by GMP. The library's two checks on the host, by residues and by computing the
 * job again, must accept the result. After a bit of the result has changed, the check by residues
 * must reject it. It is not applied to products in a ring. */
static void compute_by_gmp(struct job *job) {
    FUZZ_CHECK(limbs_gmp(job));
    mpgpu_conf.verify = VERIFY_FULL;
    FUZZ_CHECK(limbs_verify(job) == VERIFY_GOOD);
    mpgpu_conf.verify = VERIFY_RESIDUE;
    FUZZ_CHECK(limbs_is_in_ring(job) || limbs_verify(job) == VERIFY_GOOD);
    job->r[0].host[job->r[0].n / 2] ^= 1;
    FUZZ_CHECK(limbs_is_in_ring(job) || limbs_verify(job) == VERIFY_WRONG);
}

static void compute_numbers(struct job *job) {
    if (job_fits(job) && is_short_program(job))
        composite_case_run_numbers(job);
}

/* Runs a job that copies or clears device memory, which is host memory here. The job's bytes are at
 * the end of an allocated block, so a sanitizer finds accesses beyond them. */
static void compute_store(const struct job *job) {
    const bool is_fill = job->op == JOB_store_fill;
    const struct job_ref *content = is_fill ? &job->u[0] : &job->r[0];
    mp_limb_t *memory = limbs_of(is_fill ? &job->r[0] : &job->u[0]), *at = memory;
    const bool has_content = is_fill ? job->operands > 0 : job->op == JOB_store_fetch;
    mp_limb_t *limbs = has_content ? limbs_of(content) : NULL;
    at += job->parameter[JOB_AT];
    if (job->op == JOB_store_copy)
        memcpy(limbs = limbs_of(content), memory, job_bytes(content));
    else if (limbs)
        memcpy(is_fill ? at : limbs, is_fill ? limbs : at, job_store_bytes(job));
    else
        memset(at, 0, job_store_bytes(job));
    free(limbs);
    free(memory);
}

/* Computes a job on the host.  For composite operations, only memory accesses are checked: the
 * results are wrong, because computing reciprocals starts from random approximations. */
static void compute_in_memory(struct job *job) {
    struct composite work = {0};
    for (unsigned k = 0; k < job->operands; k++)
        job->u[k].host = limbs_of(&job->u[k]);
    for (unsigned k = 0; k < job->results; k++)
        if (job->r[k].count)
            job->r[k].host = limbs_of(&job->r[k]);
    if (job->op < JOB_FIRST_COMPOSITE)
        compute_by_gmp(job);
    else
        recipe_run_on_host(&work, job);
    for (unsigned k = 0; k < job->operands; k++)
        free(job->u[k].host);
    for (unsigned k = 0; k < job->results; k++)
        if (job->r[k].count)
            free(job->r[k].host);
}

/* Computes a Mandelbrot view on the host instead of the device. */
static void compute_view(const struct job *job) {
    uint32_t *iterations = malloc(job_bytes(&job->r[0])), *norms = malloc(job_bytes(&job->r[1]));
    struct mandelbrot_view v;
    memcpy(&v, job->u[0].host, sizeof v);
    v.most %= 16;
    mandelbrot_host(&v, iterations, norms);
    free(iterations);
    free(norms);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct bytes in = {data, size};
    struct job job;
    take_job(&in, &job);
    if (job.op == JOB_numbers) {
        compute_numbers(&job);
        drop_numbers(&job);
        return 0;
    }
    if (!job_fits(&job))
        return 0;
    job_takes(&job);
    job_longest(&job);
    if (job.op < JOB_BATCH_OPS)
        engine_recipe(&job)->bytes(&job);
    if (is_short(&job) && job.op < JOB_BATCH_OPS)
        compute(&job);
    else if (is_short(&job) && job.op > JOB_store_alloc)
        compute_store(&job);
    else if (is_short(&job) && job.op == JOB_mandelbrot && job.r[0].count > 0)
        compute_view(&job);
    else if (is_short(&job) && (job.op < JOB_FIRST_COMPOSITE || composite_case_is_for_host(job.op)))
        compute_in_memory(&job);
    return 0;
}
