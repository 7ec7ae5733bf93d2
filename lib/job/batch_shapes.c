/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Checks that the batches of an operation have matching counts and lengths, and that the kernels
 * accept these lengths. */
#include "kernels/modular/barrett.h"
#include "kernels/poly/poly.h"
#include "lib/job/job.h"
#include "lib/modular/euclid.h"
#include "lib/modular/modular.h"

static bool is_like(const struct job_ref *b, uint64_t count, uint64_t n) {
    return b->count == count && b->n == n;
}

static bool is_wanted(const struct job_ref *b) {
    return b->count > 0;
}

/* Returns true if the batch has `count` numbers, or only one number, which is then used with all
 * numbers of the other batch. */
static bool is_for(const struct job_ref *b, uint64_t count) {
    return b->count == count || b->count == 1;
}

/* Returns true if all operands have the count and length of the first operand. */
static bool operands_are_alike(const struct job *j) {
    for (unsigned k = 1; k < j->operands; k++)
        if (!is_like(&j->u[k], j->u[0].count, j->u[0].n))
            return false;
    return true;
}

bool job_fits_sum(const struct job *j) {
    const struct job_ref *u = &j->u[0], *carries = &j->r[1];
    return j->operands >= 1 && j->operands <= BATCH_TERMS && j->results == 2 &&
           operands_are_alike(j) && is_like(&j->r[0], u->count, u->n) &&
           (!is_wanted(carries) || is_like(carries, u->count, 1));
}

bool job_fits_product(const struct job *j) {
    return job_has(j, 2, 1) && operands_are_alike(j) &&
           is_like(&j->r[0], j->u[0].count, 2 * j->u[0].n);
}

bool job_fits_low_product(const struct job *j) {
    return job_has(j, 2, 1) && operands_are_alike(j) && is_like(&j->r[0], j->u[0].count, j->u[0].n);
}

bool job_fits_gcd(const struct job *j) {
    return job_fits_low_product(j);
}

bool job_fits_comparison(const struct job *j) {
    return job_has(j, 2, 1) && operands_are_alike(j) && is_like(&j->r[0], j->u[0].count, 1);
}

/* Checks the counts and lengths of a selection: the third operand chooses between the numbers of
 * the first two. */
bool job_fits_selection(const struct job *j) {
    const struct job_ref *u = j->u;
    return job_has(j, 3, 1) && is_like(&u[1], u->count, u->n) && is_like(&u[2], u->count, 1) &&
           is_like(&j->r[0], u->count, u->n);
}

bool job_fits_quotient(const struct job *j) {
    const struct job_ref *n = &j->u[JOB_NUMERATOR], *d = &j->u[JOB_DIVISOR];
    const struct job_ref *q = &j->r[JOB_QUOTIENT], *r = &j->r[JOB_REMAINDER];
    return job_has(j, 2, 2) && (is_wanted(q) || is_wanted(r)) && is_for(d, n->count) &&
           n->n >= d->n && n->n <= 2 * d->n && (!is_wanted(q) || is_like(q, n->count, n->n)) &&
           (!is_wanted(r) || is_like(r, n->count, d->n));
}

bool job_fits_inverse(const struct job *j) {
    const struct job_ref *u = &j->u[0], *m = &j->u[1];
    return job_has(j, 2, 2) && is_for(m, u->count) && m->n == u->n &&
           is_like(&j->r[0], u->count, u->n) && is_like(&j->r[1], u->count, 1);
}

/* Returns true if the counts of the first operand, the moduli and the result match, and the lengths
 * of the latter two. Also checks the moduli's precomputed constants (JOB_KNOWN) if present, but not
 * the second operand. */
static bool fits_modulus(const struct job *j) {
    const struct job_ref *u = &j->u[0], *m = &j->u[JOB_MODULUS], *known = &j->u[JOB_KNOWN];
    const bool has_known = j->operands == JOB_KNOWN + 1;
    return (has_known || j->operands == JOB_MODULUS + 1) && j->results == 1 &&
           is_for(m, u->count) && is_like(&j->r[0], u->count, m->n) &&
           (!has_known || is_like(known, m->count, job_known_limbs(m->n, job_is_by_barrett(j))));
}

bool job_fits_modular(const struct job *j) {
    const struct job_ref *u = &j->u[0], *m = &j->u[JOB_MODULUS];
    return fits_modulus(j) && is_like(&j->u[1], u->count, u->n) &&
           (u->n == m->n || (j->op == JOB_batch_mod && u->n == 2 * m->n));
}

bool job_fits_modular_power(const struct job *j) {
    return fits_modulus(j) && j->u[0].n == j->u[JOB_MODULUS].n && is_for(&j->u[1], j->u[0].count);
}

uint64_t job_known_limbs(uint64_t n, bool is_by_barrett) {
    return (is_by_barrett ? BARRETT_KNOWN_WORDS(2 * n) : MODULAR_KNOWN_WORDS(2 * n)) / 2;
}

bool job_fits_known(const struct job *j) {
    const uint64_t known = job_known_limbs(j->u[0].n, job_is_by_barrett(j));
    return job_has(j, 1, 2) && is_like(&j->r[0], j->u[0].count, known) &&
           is_like(&j->r[JOB_KINDS], j->u[0].count, 1);
}

bool job_fits_expression(const struct job *j) {
    const struct job_ref *u = &j->u[0];
    if (!expression_is_valid(&j->e) || !job_has(j, j->e.operands, j->e.results) ||
        !operands_are_alike(j))
        return false;
    for (unsigned k = 0; k < j->results; k++)
        if (!is_like(&j->r[k], u->count, j->e.node[j->e.result[k]].times * u->n))
            return false;
    return true;
}

/* ---- matrices */

static unsigned log_above(uint64_t x) {
    unsigned log = 0;
    while (x > UINT64_C(1) << log)
        log++;
    return log;
}

struct matrix_operation job_matrices(const struct job *j) {
    return (struct matrix_operation){.rows = j->parameter[JOB_ROWS],
                                     .inner = j->parameter[JOB_INNER],
                                     .columns = j->parameter[JOB_COLUMNS],
                                     .a_words = (uint32_t)(2 * j->u[0].n),
                                     .b_words = (uint32_t)(2 * j->u[1].n),
                                     .r_words = (uint32_t)(2 * j->r[0].n),
                                     .bits = j->parameter[JOB_U_ENTRY_BITS] +
                                             j->parameter[JOB_V_ENTRY_BITS] +
                                             log_above(j->parameter[JOB_INNER])};
}

static bool is_matrix(const struct job_ref *x, uint64_t rows, uint64_t columns, uint64_t bits) {
    return rows >= 1 && columns >= 1 && rows <= INT32_MAX && columns <= INT32_MAX &&
           x->count == rows * columns && bits < UINT32_MAX && x->n == job_entry_limbs(bits);
}

bool job_fits_matrices(const struct job *j) {
    const uint64_t *p = j->parameter;
    return job_has(j, 2, 1) &&
           is_matrix(&j->u[0], p[JOB_ROWS], p[JOB_INNER], p[JOB_U_ENTRY_BITS]) &&
           is_matrix(&j->u[1], p[JOB_INNER], p[JOB_COLUMNS], p[JOB_V_ENTRY_BITS]) &&
           is_matrix(&j->r[0], p[JOB_ROWS], p[JOB_COLUMNS], job_matrices(j).bits);
}

struct matrix_system job_system(const struct job *j) {
    const uint64_t *p = j->parameter;
    return (struct matrix_system){.side = p[JOB_SIDE],
                                  .columns = p[JOB_SYSTEM_COLUMNS],
                                  .a_words = (uint32_t)(2 * j->u[0].n),
                                  .b_words = (uint32_t)(2 * j->u[1].n),
                                  .r_words = (uint32_t)(2 * j->r[0].n),
                                  .bits = matrix_system_bits(p[JOB_SIDE], p[JOB_SYSTEM_COLUMNS],
                                                             p[JOB_A_BITS], p[JOB_B_BITS])};
}

bool job_fits_system(const struct job *j) {
    const uint64_t side = j->parameter[JOB_SIDE], columns = j->parameter[JOB_SYSTEM_COLUMNS];
    return job_has(j, columns ? 2 : 1, 1) &&
           is_matrix(&j->u[0], side, side, j->parameter[JOB_A_BITS]) &&
           (!columns || is_matrix(&j->u[1], side, columns, j->parameter[JOB_B_BITS])) &&
           is_like(&j->r[0], side * columns + 1, job_entry_limbs(job_system(j).bits));
}

bool job_fits_batch_look(const struct job *j) {
    return job_has(j, 1, 0) && job_is_on_device(&j->u[0]) && j->u[0].count <= UINT32_MAX &&
           j->u[0].n <= EUCLID_MOST_WORDS / 2;
}

/* The most words that all coefficients of a product may have together. This limit keeps sizes from
 * overflowing. */
static const uint64_t MOST_SLOT_WORDS = (uint64_t)1 << 40;

bool job_fits_polynomials(const struct job *j) {
    const uint64_t polys = j->parameter[JOB_POLYS], slot = j->parameter[JOB_SLOT];
    const uint64_t limb = j->parameter[JOB_POLY_LIMB], is_signed = j->parameter[JOB_IS_SIGNED];
    const struct job_ref *u = &j->u[0], *v = &j->u[1], *r = &j->r[0];
    if (!job_has(j, 2, 1) || polys == 0 || slot == 0 || slot > INT32_MAX || u->count % polys ||
        v->count % polys || r->count == 0 || r->count % polys)
        return false;
    const uint64_t all = (u->count + v->count) / polys - 1, length = r->count / polys;
    const uint64_t limbs = slot / 2 + slot % 2;
    const bool is_whole = j->parameter[JOB_LOW] == 0 && length == all;
    if (u->n > limbs || v->n > limbs || r->n > limbs + 3)
        return false;
    return j->parameter[JOB_LOW] <= all && length <= all - j->parameter[JOB_LOW] &&
           u->count + v->count <= MOST_SLOT_WORDS / slot &&
           (is_signed ? is_signed == 1 && polys == 1 && is_whole && limb == 0 : true) &&
           (limb == 0 || (u->n == 1 && v->n == 1 && r->n == 1 && slot <= POLY_REDUCE_WORDS));
}

/* ---- lengths */

static bool is_at_most(const struct job_ref *b, uint64_t words) {
    return b->n <= words / 2;
}

bool job_takes_sum(const struct job *j) {
    return is_at_most(&j->u[0], BATCH_MOST_SUM_WORDS);
}

bool job_takes_product(const struct job *j) {
    return is_at_most(&j->u[0], BATCH_MOST_WORDS);
}

bool job_takes_order(const struct job *j) {
    return is_at_most(&j->u[0], UINT32_MAX / 2);
}

bool job_takes_euclid(const struct job *j) {
    return is_at_most(&j->u[1], EUCLID_MOST_WORDS);
}

static bool is_modulus(const struct job *j, const struct job_ref *m) {
    return is_at_most(m, job_is_by_barrett(j) ? BARRETT_MOST_WORDS : MODULAR_MOST_WORDS);
}

/* Returns true if the kernels accept the lengths of moduli and exponents. Kernels count an
 * exponent's bits in 32 bits, so its length is limited. */
bool job_takes_modular(const struct job *j) {
    const uint64_t most = job_is_modular_power(j) && !job_is_by_barrett(j)
                              ? MODULAR_MOST_EXPONENT_WORDS
                              : UINT32_MAX / 32;
    return j->operands > JOB_KNOWN && is_modulus(j, &j->u[JOB_MODULUS]) &&
           is_at_most(&j->u[1], most);
}

bool job_takes_known(const struct job *j) {
    return is_modulus(j, &j->u[0]);
}

bool job_takes_expression(const struct job *j) {
    return job_takes_sum(j) && expression_fits(&j->e, 2 * j->u[0].n);
}

bool job_takes_matrices(const struct job *j) {
    const struct matrix_operation op = job_matrices(j);
    return matrix_takes(&op);
}

bool job_takes_system(const struct job *j) {
    const struct matrix_system op = job_system(j);
    return matrix_system_takes(&op);
}

/* Returns true if the kernels accept all lengths, and every launch needs less than 2^31
 * work-groups. A work-group writes one part of a number. */
bool job_takes_poly(const struct job *j) {
    const uint64_t most = (uint64_t)1 << 36, length = (j->u[0].count + j->u[1].count) * 2;
    return length <= most / j->parameter[JOB_SLOT] && is_at_most(&j->u[0], INT32_MAX) &&
           is_at_most(&j->u[1], INT32_MAX) && is_at_most(&j->r[0], INT32_MAX) &&
           j->r[0].count <= most / (2 * j->r[0].n) && j->parameter[JOB_POLYS] < INT32_MAX;
}
