/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Recipes (functions that compute a job on the device) of the operations that launch their own
 * kernels: operations on batches, and views of the Mandelbrot set. */
#include "lib/calc/calc.h"
#include "lib/job/engine.h"
#include "lib/modular/barrett.h"
#include "lib/modular/euclid.h"
#include "lib/modular/modular.h"
#include "lib/multiply/batch.h"
#include "lib/multiply/batch_order.h"
#include "lib/selftest/selftest.h"

/* Returns the length, in 32-bit words, of each number of operand k. */
static uint32_t words_of(const struct job *j, unsigned k) {
    return 2 * (uint32_t)j->u[k].n;
}

/* Factors in the estimate of a job's bytes (struct recipe). BARRETT_NUMBERS, MONTGOMERY_NUMBERS:
 * numbers in memory for one modular product, besides its operands. POWER_PRODUCTS: modular products
 * counted for each 32-bit word of an exponent. */
enum { BARRETT_NUMBERS = 10, POWER_PRODUCTS = 64, MONTGOMERY_NUMBERS = 4 };

/* ---- sums and products */

static size_t bytes_of_terms(const struct job *j) {
    return j->u[0].count * j->u[0].n * (j->operands + 2) * sizeof(uint64_t);
}

static enum gpu_status run_terms(struct context *s, const struct job *j) {
    const bool is_sum = j->op == JOB_batch_sum;
    struct batch_operation op = {.kind = is_sum                   ? BATCH_SUM
                                         : j->op == JOB_batch_mul ? BATCH_PRODUCT
                                                                  : BATCH_LOW,
                                 .borrows = is_sum && j->parameter[JOB_BORROWS],
                                 .count = j->u[0].count,
                                 .words = words_of(j, 0),
                                 .terms = j->operands,
                                 .negated = is_sum ? (unsigned)j->parameter[JOB_MINUS] : 0,
                                 .r = j->r[0].mem};
    if (is_sum)
        op.carries = j->r[1].mem;
    for (unsigned k = 0; k < j->operands; k++)
        op.term[k] = j->u[k].mem;
    enum gpu_status status = selftest_batch(s, &op);
    return status == GPU_OK ? batch_operate(s, &op) : status;
}

static const struct recipe recipe_sum = {bytes_of_terms, run_terms, STATS_SUM};
static const struct recipe recipe_product = {bytes_of_terms, run_terms, STATS_BATCH};

/* ---- comparisons and selections */

static enum gpu_status run_order(struct context *s, const struct job *j) {
    const bool selects = j->op == JOB_batch_select;
    const struct batch_order op = {.kind = selects ? BATCH_SELECT : BATCH_COMPARE,
                                   .count = j->u[0].count,
                                   .words = words_of(j, 0),
                                   .r = j->r[0].mem,
                                   .u = j->u[0].mem,
                                   .v = j->u[1].mem,
                                   .c = selects ? j->u[2].mem : (gpu_mem){0}};
    enum gpu_status status = selftest_order(s);
    return status == GPU_OK ? batch_order_operate(s, &op) : status;
}

static const struct recipe recipe_order = {bytes_of_terms, run_order, STATS_BATCH};

/* ---- gcds, inverses, quotients */

/* Estimates the device memory, from which the watchdog computes the time limit. Counts
 * BARRETT_NUMBERS additional numbers for each quotient (Newton's method). */
static size_t bytes_of_euclid(const struct job *j) {
    const uint64_t more = j->op == JOB_batch_tdiv_qr ? BARRETT_NUMBERS * j->u[1].n : 0;
    return j->u[0].count * (2 * (j->u[0].n + j->u[1].n) + more) * sizeof(uint64_t);
}

static struct euclid_operation euclid_of(const struct job *j) {
    struct euclid_operation op = {.kind = j->op == JOB_batch_gcd       ? EUCLID_GCD
                                          : j->op == JOB_batch_mod_inv ? EUCLID_INVERSE
                                                                       : EUCLID_DIVIDE,
                                  .count = j->u[0].count,
                                  .words = words_of(j, 1),
                                  .u = j->u[0].mem,
                                  .v = j->u[1].mem};
    op.v_is_one = op.kind != EUCLID_GCD && j->u[1].count == 1;
    if (op.kind == EUCLID_DIVIDE) {
        op.u_words = words_of(j, JOB_NUMERATOR);
        op.q = j->r[JOB_QUOTIENT].mem;
        op.r = j->r[JOB_REMAINDER].mem;
        return op;
    }
    op.r = j->r[0].mem;
    if (op.kind == EUCLID_INVERSE) {
        op.flags = j->r[1].mem;
        op.has_even = j->parameter[JOB_HAS_EVEN] != 0;
    }
    return op;
}

/* Tests the kernels with known answers, then runs a batch of gcds, inverses or quotients. Inverses
 * modulo even numbers also need the kernels of products and quotients
 * (lib/modular/euclid_even.c). */
static enum gpu_status run_euclid(struct context *s, const struct job *j) {
    const struct euclid_operation op = euclid_of(j);
    const struct batch_operation product = {.kind = BATCH_PRODUCT, .words = op.words};
    const struct euclid_operation division = {.kind = EUCLID_DIVIDE, .words = op.words};
    enum gpu_status status = op.has_even ? selftest_batch(s, &product) : GPU_OK;
    if (status == GPU_OK && op.has_even)
        status = selftest_euclid(s, &division);
    if (status == GPU_OK)
        status = selftest_euclid(s, &op);
    return status == GPU_OK ? euclid_operate(s, &op) : status;
}

static const struct recipe recipe_euclid = {bytes_of_euclid, run_euclid, STATS_BATCH};

/* ---- modulo numbers */

static struct modular_operation modular_of(const struct job *j) {
    static const enum modular_kind kinds[] = {MODULAR_KIND_REDUCE, MODULAR_KIND_ADD,
                                              MODULAR_KIND_SUB,    MODULAR_KIND_MUL,
                                              MODULAR_KIND_POW,    MODULAR_KIND_POW_SECURE};
    return (struct modular_operation){
        .kind = kinds[j->op - JOB_batch_mod],
        .count = j->u[0].count,
        .words = words_of(j, JOB_MODULUS),
        .u_words = words_of(j, 0),
        .exponent_words = words_of(j, 1),
        .is_one_exponent = j->u[1].count == 1,
        .r = j->r[0].mem,
        .u = j->u[0].mem,
        .v = j->u[1].mem,
        .moduli = {j->u[JOB_MODULUS].mem, j->u[JOB_KNOWN].mem, j->u[JOB_MODULUS].count == 1}};
}
_Static_assert(JOB_batch_mod_pow_sec - JOB_batch_mod == 5, "kinds in the order of ops.def");

static size_t bytes_of_modular(const struct job *j) {
    const uint64_t products =
        job_is_modular_power(j) ? (uint64_t)POWER_PRODUCTS * words_of(j, 1) : 1;
    const uint64_t numbers = job_is_by_barrett(j) ? BARRETT_NUMBERS : MONTGOMERY_NUMBERS;
    return j->u[0].count * j->u[JOB_MODULUS].n * numbers * products * sizeof(uint64_t);
}

static enum gpu_status run_modular(struct context *s, const struct job *j) {
    const struct modular_operation op = modular_of(j);
    const struct barrett_operation b = {op, j->parameter[JOB_METHOD] & JOB_IS_NORMAL};
    enum gpu_status status =
        job_is_by_barrett(j) ? selftest_barrett(s, op.words) : selftest_modular(s, op.words);
    if (status != GPU_OK)
        return status;
    return job_is_by_barrett(j) ? barrett_operate(s, &b) : modular_operate(s, &op);
}

static const struct recipe recipe_modular = {bytes_of_modular, run_modular, STATS_BATCH};

/* ---- Barrett's and Montgomery's precomputed constants of moduli */

static size_t bytes_of_known(const struct job *j) {
    const uint64_t numbers = job_is_by_barrett(j) ? BARRETT_NUMBERS : MONTGOMERY_NUMBERS;
    return j->u[0].count * j->u[0].n * numbers * sizeof(uint64_t);
}

static enum gpu_status run_known(struct context *s, const struct job *j) {
    const struct modular_request request = {j->r[0].mem, j->r[JOB_KINDS].mem, j->u[0].mem,
                                            j->u[0].count, words_of(j, 0)};
    enum gpu_status status = job_is_by_barrett(j) ? selftest_barrett(s, request.words)
                                                  : selftest_modular(s, request.words);
    if (status == GPU_OK && job_is_by_barrett(j))
        status = selftest_reciprocals(s, request.words);
    if (status != GPU_OK)
        return status;
    return job_is_by_barrett(j) ? barrett_moduli_compute(s, &request)
                                : modular_moduli_compute(s, &request);
}

static const struct recipe recipe_known = {bytes_of_known, run_known, STATS_BATCH};

/* ---- expressions */

static struct expression_operation expression_of(const struct job *j) {
    struct expression_operation op = {.e = j->e, .count = j->u[0].count, .words = words_of(j, 0)};
    for (unsigned k = 0; k < j->results; k++)
        op.r[k] = j->r[k].mem;
    for (unsigned k = 0; k < j->operands; k++)
        op.u[k] = j->u[k].mem;
    return op;
}

/* Returns the bytes from which the watchdog computes the time limit: an upper bound of the device
 * memory, as if all nodes of the expression tree were as long as the longest one. */
static size_t bytes_of_expression(const struct job *j) {
    return j->u[0].count * j->u[0].n * expression_most_times(&j->e) * j->e.nodes * sizeof(uint64_t);
}

static enum gpu_status run_expression(struct context *s, const struct job *j) {
    const struct expression_operation op = expression_of(j);
    return expression_operate(s, &op);
}

static const struct recipe recipe_expression = {bytes_of_expression, run_expression, STATS_BATCH};

/* ---- matrices */

/* Returns the bytes from which the watchdog computes the time limit: the matrices' bytes, plus one
 * byte for every 16 products of residues. An entry of the result needs a residue for about every 14
 * of its bits. */
static size_t bytes_of_matrices(const struct job *j) {
    const struct matrix_operation op = job_matrices(j);
    return job_host_bytes(j) + op.rows * op.inner * op.columns / 16 * (op.bits / 14 + 1);
}

static enum gpu_status run_matrices(struct context *s, const struct job *j) {
    struct matrix_operation op = job_matrices(j);
    op.a = j->u[0].mem;
    op.b = j->u[1].mem;
    op.r = j->r[0].mem;
    enum gpu_status status = selftest_matrix(s, &op);
    return status == GPU_OK ? matrix_operate(s, &op) : status;
}

static const struct recipe recipe_matrices = {bytes_of_matrices, run_matrices, STATS_BATCH};

/* ---- systems of linear equations */

/* Returns the bytes from which the watchdog computes the time limit: the bytes of the matrices,
 * plus at least four bytes for each residue that an elimination step changes. */
static size_t bytes_of_system(const struct job *j) {
    const struct matrix_system op = job_system(j);
    return job_host_bytes(j) +
           op.side * op.side * (op.side + 2 * op.columns) * 4 * matrix_system_primes(&op);
}

static enum gpu_status run_system(struct context *s, const struct job *j) {
    struct matrix_system op = job_system(j);
    op.a = j->u[0].mem;
    op.b = j->u[1].mem;
    op.r = j->r[0].mem;
    enum gpu_status status = selftest_system(s);
    return status == GPU_OK ? matrix_system_operate(s, &op) : status;
}

static const struct recipe recipe_system = {bytes_of_system, run_system, STATS_BATCH};

const struct recipe *engine_recipe(const struct job *job) {
    switch (job->op) {
#define BATCH(name, row, shape, made_by)                                                           \
    case JOB_##name:                                                                               \
        return &recipe_##made_by;
#include "lib/job/ops.def"
    default:
        return NULL;
    }
}

/* ---- counting the zeros and even numbers among divisors or moduli */

void recipe_batch_look(struct calc *c, struct job *j) {
    struct euclid_found found;
    c->status = euclid_look(c->s, j->u[0].mem, j->u[0].count, words_of(j, 0), &found);
    j->answer = found.zeros | (uint64_t)found.even << 32;
}

/* ---- views of the Mandelbrot set */

/* Computes a view of the Mandelbrot set. Copies its parameters and checks the copy, because the
 * caller may have changed them since job_fits checked them. */
void recipe_mandelbrot(struct calc *c, struct job *j) {
    struct mandelbrot_view v;
    uint32_t *const iterations = (uint32_t *)j->r[0].host, *const norms = (uint32_t *)j->r[1].host;
    if (calc_read(c, &v, j->u[0].host, sizeof v))
        c->status =
            job_is_view(j, &v) ? mandelbrot_device(c->s, &v, iterations, norms) : GPU_FAILED;
    j->r[0].delivered = j->r[1].delivered = j->r[0].n;
}
