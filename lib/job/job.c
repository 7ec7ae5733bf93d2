/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Functions with a case for every operation, generated from the list ops.def. */
#include "lib/job/job.h"

/* Returns true if the batch is not empty, and not larger than mpgpu_batch_create allows. So sizes
 * computed from its count and length do not overflow. */
static bool is_possible(const struct job_ref *b) {
    return b->count > 0 && b->n > 0 && b->count <= JOB_MOST_LIMBS / b->n;
}

static bool are_possible(const struct job *j) {
    const bool needs_operand = j->op != JOB_store_alloc && j->op != JOB_store_fill;
    if (j->operands < needs_operand || j->operands > JOB_OPERANDS || j->results > JOB_RESULTS)
        return false;
    for (unsigned k = 0; k < j->operands; k++)
        if (!is_possible(&j->u[k]))
            return false;
    for (unsigned k = 0; k < j->results; k++)
        if (j->r[k].count > 0 && !is_possible(&j->r[k]))
            return false;
    return true;
}

/* Returns true if *x is `count` numbers of n limbs in host memory, or texts of n characters if
 * `is_text`. */
static bool is_in_memory(const struct job_ref *x, uint64_t count, bool is_text) {
    return job_has_countable_bits(x) && x->count == count && x->is_text == is_text;
}

/* Returns true if every operand and result is in host memory and is one number or one text, and
 * results do not overlap. The operand of fibonacci has two numbers. */
static bool are_in_memory(const struct job *j) {
    const uint64_t count = j->op == JOB_fibonacci ? 2 : 1;
    for (unsigned k = 0; k < j->operands; k++)
        if (!is_in_memory(&j->u[k], count, j->op == JOB_set_str && k == 0))
            return false;
    const bool has_texts = j->op == JOB_get_str || j->op == JOB_mandelbrot;
    for (unsigned k = 0; k < j->results; k++)
        if (j->r[k].count > 0 && !is_in_memory(&j->r[k], 1, has_texts))
            return false;
    return !job_results_overlap(j);
}

/* Returns true if all operands and results of a batch operation are on a device, or all in host
 * memory, and no two results overlap. */
static bool are_in_right_places(const struct job *j) {
    const bool is_in_memory = j->u[0].host;
    for (unsigned k = 0; k < j->operands; k++)
        if ((j->u[k].host != NULL) != is_in_memory || j->u[k].is_text)
            return false;
    for (unsigned k = 0; k < j->results; k++)
        if (j->r[k].count > 0 && ((j->r[k].host != NULL) != is_in_memory || j->r[k].is_text))
            return false;
    return !job_results_overlap(j);
}

bool job_fits(const struct job *job) {
    if (!are_possible(job))
        return false;
    switch (job->op) {
#define BATCH(name, row, shape, made_by)                                                           \
    case JOB_##name:                                                                               \
        return are_in_right_places(job) && job_fits_##shape(job);
#define LIMBS(name, what)                                                                          \
    case JOB_##name:                                                                               \
        return are_in_memory(job) && job_fits_##name(job);
#define COMPOSITE(name, longest)                                                                   \
    case JOB_##name:                                                                               \
        return are_in_memory(job) && job_fits_##name(job);
#define ON_DEVICE(name)                                                                            \
    case JOB_##name:                                                                               \
        return job_fits_##name(job);
#define STORE(name) ON_DEVICE(name)
#include "lib/job/ops.def"
    default:
        return false;
    }
}

bool job_takes(const struct job *job) {
    switch (job->op) {
#define BATCH(name, row, shape, made_by)                                                           \
    case JOB_##name:                                                                               \
        return job_takes_##made_by(job);
#include "lib/job/ops.def"
    case JOB_powm:
        return job_powm_is_short(job);
    default:
        return true;
    }
}

void job_work(struct calc *c, void *job) {
    struct job *j = job;
    switch (j->op) {
#define COMPOSITE(name, longest)                                                                   \
    case JOB_##name:                                                                               \
        recipe_##name(c, j);                                                                       \
        break;
#define UPLOADED(name)
#include "lib/job/ops.def"
    default:
        c->status = GPU_FAILED;
    }
}

uint64_t job_longest(const struct job *j) {
    switch (j->op) {
#define COMPOSITE(name, longest)                                                                   \
    case JOB_##name:                                                                               \
        return longest;
#include "lib/job/ops.def"
    default:
        return 0;
    }
}

bool job_crosses(const struct job *job) {
    bool crosses = job->op != JOB_numbers && job->op < JOB_FIRST_STORE;
    for (unsigned k = 0; k < job->operands; k++)
        crosses = crosses && job->u[k].mem.h == 0;
    for (unsigned k = 0; k < job->results; k++)
        crosses = crosses && job->r[k].mem.h == 0;
    return crosses;
}
