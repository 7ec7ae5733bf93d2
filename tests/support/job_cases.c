/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Cases of operations, by their shapes. */
#include "tests/support/testing.h"

#include <string.h>

#include "compat/batch/batch_gmp.h"
#include "lib/modular/barrett.h"
#include "tests/support/job_cases.h"

/* What a shape makes of a case: the counts and lengths of operands and results, and parameters.
 * `modulus` is the operand that is a divisor or a modulus, `choices` one that selects, both
 * JOB_OPERANDS where there is none. */
struct making {
    struct job job;
    size_t count, n;
    unsigned variant, modulus, choices;
};

static bool is(const struct making *m, unsigned bit) {
    return m->variant & bit;
}

static void add_operand(struct making *m, size_t count, size_t n) {
    m->job.u[m->job.operands++] = (struct job_ref){.count = count, .n = n};
}

static void add_result(struct making *m, size_t n) {
    m->job.r[m->job.results++] = (struct job_ref){.count = m->count, .n = n};
}

static void add_unwanted(struct making *m) {
    m->job.r[m->job.results++] = (struct job_ref){.count = 0};
}

static bool are_alike(const struct job_ref *a, const struct job_ref *b) {
    return a->n == b->n && a->count == b->count;
}

static size_t for_all(const struct making *m) {
    return is(m, JOB_CASE_FOR_ALL) ? 1 : m->count;
}

static void add_modulus(struct making *m, size_t count) {
    m->modulus = m->job.operands;
    add_operand(m, count, m->n);
}

static void two_alike(struct making *m) {
    add_operand(m, m->count, m->n);
    add_operand(m, m->count, m->n);
}

/* ---- shapes */

static void make_sum(struct making *m) {
    two_alike(m);
    while (is(m, JOB_CASE_LONGER) && m->job.operands < BATCH_TERMS)
        add_operand(m, m->count, m->n);
    m->job.parameter[JOB_MINUS] = is(m, JOB_CASE_BARRETT) ? 0x5a : is(m, JOB_CASE_FOR_ALL) ? 2 : 0;
    m->job.parameter[JOB_BORROWS] = m->job.parameter[JOB_MINUS] == 2;
    add_result(m, m->n);
    if (is(m, JOB_CASE_UNWANTED))
        add_unwanted(m);
    else
        add_result(m, 1);
}

static void make_product(struct making *m) {
    two_alike(m);
    add_result(m, 2 * m->n);
}

static void make_low_product(struct making *m) {
    two_alike(m);
    add_result(m, m->n);
}

static void make_gcd(struct making *m) {
    make_low_product(m);
}

static void make_comparison(struct making *m) {
    two_alike(m);
    add_result(m, 1);
}

static void make_selection(struct making *m) {
    two_alike(m);
    m->choices = m->job.operands;
    add_operand(m, m->count, 1);
    add_result(m, m->n);
}

static void make_quotient(struct making *m) {
    const size_t un = is(m, JOB_CASE_LONGER) ? 2 * m->n : m->n + m->n / 3;
    add_operand(m, m->count, un);
    add_modulus(m, for_all(m));
    if (is(m, JOB_CASE_UNWANTED))
        add_unwanted(m);
    else
        add_result(m, un);
    add_result(m, m->n);
}

static void make_inverse(struct making *m) {
    add_operand(m, m->count, m->n);
    add_modulus(m, for_all(m));
    add_result(m, m->n);
    add_result(m, 1);
    m->job.parameter[JOB_HAS_EVEN] = is(m, JOB_CASE_BARRETT);
}

/* Sets the method.  Returns the limbs of what is known of a modulus by it. */
static size_t choose_method(struct making *m) {
    const bool is_by_barrett = is(m, JOB_CASE_BARRETT) || 2 * m->n > MODULAR_MOST_WORDS;
    m->job.parameter[JOB_METHOD] = is_by_barrett ? JOB_BY_BARRETT : 0;
    return job_known_limbs(m->n, is_by_barrett);
}

static void add_moduli(struct making *m) {
    add_modulus(m, for_all(m));
    add_operand(m, for_all(m), choose_method(m));
    add_result(m, m->n);
}

static void make_modular(struct making *m) {
    const bool is_longer = m->job.op == JOB_batch_mod && is(m, JOB_CASE_LONGER);
    add_operand(m, m->count, is_longer ? 2 * m->n : m->n);
    add_operand(m, m->count, is_longer ? 2 * m->n : m->n);
    add_moduli(m);
}

static void make_modular_power(struct making *m) {
    add_operand(m, m->count, m->n);
    add_operand(m, is(m, JOB_CASE_SAME) ? m->count : for_all(m), 1);
    if (is(m, JOB_CASE_LONGER) && m->n <= 4)
        m->job.u[1].n = 2;
    if (m->job.op == JOB_batch_mod_pow_sec)
        m->variant &= ~(unsigned)JOB_CASE_BARRETT; /* moduli are odd */
    add_moduli(m);
}

static void make_known(struct making *m) {
    add_modulus(m, m->count);
    add_result(m, choose_method(m));
    add_result(m, 1);
}

/* Low products in a sum, and a square. */
static void make_expression(struct making *m) {
    static const struct expression e = {.nodes = 5,
                                        .operands = 2,
                                        .results = 2,
                                        .node = {{EXPRESSION_OPERAND, 1, 1, 0, {0}},
                                                 {EXPRESSION_OPERAND, 1, 1, 0, {1}},
                                                 {EXPRESSION_LOW, 1, 2, 0, {0, 1}},
                                                 {EXPRESSION_SUM, 1, 3, 2, {2, 1, 0}},
                                                 {EXPRESSION_PRODUCT, 2, 2, 0, {0, 0}}},
                                        .result = {3, 4}};
    m->job.e = e;
    two_alike(m);
    add_result(m, m->n);
    add_result(m, 2 * m->n);
}

static void shape(struct making *m) {
    static void (*const makes[JOB_BATCH_OPS])(struct making *) = {
#define BATCH(name, row, shape, made_by) [JOB_##name] = make_##shape,
#include "lib/job/ops.def"
    };
    makes[m->job.op](m);
}

const char *job_case_name(enum job_op op) {
    static const char *const names[JOB_OPS] = {
#define BATCH(name, row, shape, made_by) [JOB_##name] = #name,
#define COMPOSITE(name, longest) [JOB_##name] = #name,
#include "lib/job/ops.def"
    };
    return names[op];
}

/* ---- limbs */

static mp_limb_t *limbs_of(const struct job_ref *b) {
    mp_limb_t *x = malloc((size_t)(b->count * b->n) * sizeof *x);
    ck_assert_ptr_nonnull(x);
    return x;
}

static void fill(mp_limb_t *x, size_t n, uint64_t seed) {
    for (size_t i = 0; i < n; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        x[i] = seed >> 62 == 0 ? 0 : seed >> 62 == 1 ? ~(mp_limb_t)0 : seed ^ seed >> 29;
    }
}

/* Divisors and moduli are not 0; odd, unless they may be even, of which every second one is. */
static void fill_moduli(mp_limb_t *x, const struct job_ref *b, bool are_even, uint64_t seed) {
    fill(x, (size_t)(b->count * b->n), seed);
    for (size_t i = 0; i < b->count; i++) {
        x[i * b->n] |= are_even && i % 2 == 0 ? 6 : 1;
        if (are_even && i % 2 == 0)
            x[i * b->n] &= ~(mp_limb_t)1;
    }
}

/* What is known of the moduli {mp, ...}. */
static void know(const struct job *j, mp_limb_t *known, const mp_limb_t *mp) {
    const struct job_ref *m = &j->u[JOB_MODULUS];
    struct job of = {.op = JOB_batch_mod_known, .operands = 1, .results = 2, .u = {*m}};
    mp_limb_t *kinds = malloc((size_t)m->count * sizeof *kinds);
    of.parameter[JOB_METHOD] = j->parameter[JOB_METHOD];
    of.r[0] = j->u[JOB_KNOWN];
    of.r[JOB_KINDS] = (struct job_ref){.count = m->count, .n = 1};
    job_by_gmp(&of, (mp_limb_t *const[]){known, kinds}, (const mp_limb_t *const[]){mp});
    free(kinds);
}

/* Is the second operand the first one again? */
static bool is_second_same(const struct making *m) {
    const struct job_ref *u = m->job.u;
    return is(m, JOB_CASE_SAME) && m->job.operands >= 2 && m->modulus != 1 &&
           are_alike(&u[0], &u[1]);
}

static void fill_operands(struct job_case *c, const struct making *m, uint64_t seed) {
    const struct job *j = &m->job;
    for (unsigned k = 0; k < j->operands; k++) {
        const size_t size = (size_t)(j->u[k].count * j->u[k].n);
        c->up[k] = limbs_of(&j->u[k]);
        if (k == JOB_KNOWN && m->modulus == JOB_MODULUS)
            know(j, c->up[k], c->up[JOB_MODULUS]);
        else if (k == m->modulus)
            fill_moduli(c->up[k], &j->u[k], is(m, JOB_CASE_BARRETT), seed + k);
        else
            fill(c->up[k], size, seed + k);
        if (k == 1 && c->is_second_same)
            memcpy(c->up[1], c->up[0], size * sizeof *c->up[1]);
        if (k == m->choices) /* some are chosen, by any bit */
            for (size_t i = 0; i < size; i++)
                c->up[k][i] = i % 3 ? (mp_limb_t)1 << i % 64 : 0;
    }
}

void job_case_make(struct job_case *c, enum job_op op, size_t count, size_t n, unsigned variant,
                   uint64_t seed) {
    struct making m = {.job = {.op = op},
                       .count = count,
                       .n = n,
                       .variant = variant,
                       .modulus = JOB_OPERANDS,
                       .choices = JOB_OPERANDS};
    shape(&m);
    *c =
        (struct job_case){.job = m.job, .variant = m.variant, .is_second_same = is_second_same(&m)};
    ck_assert_msg(job_fits(&m.job), "%s: a case that does not fit", job_case_name(op));
    fill_operands(c, &m, seed);
    for (unsigned k = 0; k < m.job.results; k++)
        c->right[k] = m.job.r[k].count ? limbs_of(&m.job.r[k]) : NULL;
    job_by_gmp(&m.job, c->right, (const mp_limb_t *const *)c->up);
}

void job_case_free(struct job_case *c) {
    for (unsigned k = 0; k < c->job.results; k++)
        free(c->right[k]);
    for (unsigned k = 0; k < c->job.operands; k++)
        free(c->up[k]);
}

/* ---- batches */

static mpgpu_batch *batch_of(const struct job_ref *b) {
    mpgpu_batch *x = b->count ? mpgpu_batch_create((size_t)b->count, (size_t)b->n) : NULL;
    ck_assert(x || !b->count);
    return x;
}

void job_case_open(struct job_case *c) {
    const struct job *j = &c->job;
    struct batch_task *t = &c->task;
    *t = (struct batch_task){
        .op = j->op, .operands = j->operands, .results = j->results, .e = &j->e};
    memcpy(t->parameter, j->parameter, sizeof j->parameter);
    for (unsigned k = 0; k < j->operands; k++) {
        t->u[k] = k == 1 && c->is_second_same ? t->u[0] : batch_of(&j->u[k]);
        ck_assert_int_eq(mpgpu_batch_set(t->u[k], c->up[k]), 0);
    }
    for (unsigned k = 0; k < j->results; k++) {
        const bool is_place =
            k == 0 && c->variant & JOB_CASE_IN_PLACE && are_alike(&j->r[0], &j->u[0]);
        t->r[k] = is_place ? t->u[0] : batch_of(&j->r[k]);
    }
}

/* Another operand or result before is the same. */
static bool is_again(const struct batch_task *t, const mpgpu_batch *b, unsigned operands) {
    for (unsigned k = 0; k < operands; k++)
        if (t->u[k] == b)
            return true;
    return false;
}

void job_case_close(struct job_case *c) {
    const struct batch_task *t = &c->task;
    for (unsigned k = 0; k < t->results; k++)
        if (!is_again(t, t->r[k], t->operands))
            mpgpu_batch_destroy(t->r[k]);
    for (unsigned k = 0; k < t->operands; k++)
        if (!is_again(t, t->u[k], k))
            mpgpu_batch_destroy(t->u[k]);
}

static void check_batch(const struct job_case *c, mpgpu_batch *b, const mp_limb_t *right,
                        const char *what, unsigned k) {
    mp_limb_t *got = malloc(batch_size(b) * sizeof *got);
    ck_assert_int_eq(mpgpu_batch_get(got, b), 0);
    for (size_t i = 0; i < batch_size(b); i++)
        ck_assert_msg(got[i] == right[i], "%s: %s %u: limb %zu of number %zu of %zu: %lx, not %lx",
                      job_case_name(c->task.op), what, k, i % b->n, i / b->n, b->count, got[i],
                      right[i]);
    free(got);
}

void job_case_check(const struct job_case *c) {
    const struct batch_task *t = &c->task;
    for (unsigned k = 0; k < t->results; k++)
        if (t->r[k])
            check_batch(c, t->r[k], c->right[k], "result", k);
    for (unsigned k = 0; k < t->operands; k++)
        if (t->u[k] != t->r[0])
            check_batch(c, t->u[k], c->up[k], "operand", k);
}
