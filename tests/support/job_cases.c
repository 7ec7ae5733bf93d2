/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Generates test cases for the operations on batches of lib/job/ops.def from their shapes: the
 * counts and lengths of operands and results. */
#include "tests/support/testing.h"

#include <string.h>

#include "compat/batch/batch_gmp.h"
#include "compat/batch/look.h"
#include "kernels/matrix/matrix.h"
#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"
#include "lib/modular/barrett.h"
#include "tests/support/job_cases.h"

/* How the operands of a result depend on each other. These relations cause long carries, extreme
 * quotients, or many steps of Euclid's algorithm. */
enum relation {
    NO_RELATION,
    COMPLEMENTS, /* the sum of the first two operands is B^n - 1 or B^n */
    NEIGHBOURS,  /* the first two operands are equal, or differ in a bit or in the lowest limbs */
    MULTIPLES,   /* the first operand is near a multiple of the modulus */
    /* the first two operands have a common factor, or Euclid's algorithm needs many steps for
     * them */
    COMMON
};

/* A case under construction: counts and lengths of operands and results, and parameters. `modulus`
 * is the index of the operand that is the divisor or modulus. `choices` is the index of the operand
 * that selects one of two numbers. Each index is JOB_OPERANDS if the operation has no such
 * operand. */
struct making {
    struct job job;
    size_t count, n;
    unsigned variant, modulus, choices;
    enum relation relation;
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
    m->relation = COMPLEMENTS;
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
    m->relation = COMMON;
    make_low_product(m);
}

static void make_comparison(struct making *m) {
    m->relation = NEIGHBOURS;
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
    m->relation = MULTIPLES;
    add_operand(m, m->count, un);
    add_modulus(m, for_all(m));
    if (is(m, JOB_CASE_UNWANTED))
        add_unwanted(m);
    else
        add_result(m, un);
    add_result(m, m->n);
}

static void make_inverse(struct making *m) {
    m->relation = COMMON;
    add_operand(m, m->count, m->n);
    add_modulus(m, for_all(m));
    add_result(m, m->n);
    add_result(m, 1);
    m->job.parameter[JOB_HAS_EVEN] = is(m, JOB_CASE_BARRETT);
}

/* Chooses between the methods of Montgomery and Barrett.  Returns the limbs of the constants that
 * the method precomputes for a modulus. */
static size_t choose_method(struct making *m) {
    const bool is_by_barrett = is(m, JOB_CASE_BARRETT) || 2 * m->n > MODULAR_MOST_WORDS;
    m->job.parameter[JOB_METHOD] = is_by_barrett ? JOB_BY_BARRETT : 0;
    if (is_by_barrett && is(m, JOB_CASE_NORMAL))
        m->job.parameter[JOB_METHOD] |= JOB_IS_NORMAL;
    return job_known_limbs(m->n, is_by_barrett);
}

static void add_moduli(struct making *m) {
    m->relation = MULTIPLES;
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

/* Makes a job of an expression with two results: a sum that contains a low product and half of a
 * square, and the square. */
static void make_expression(struct making *m) {
    static const struct expression e = {.nodes = 6,
                                        .operands = 2,
                                        .results = 2,
                                        .node = {{EXPRESSION_OPERAND, 1, 1, 0, {0}},
                                                 {EXPRESSION_OPERAND, 1, 1, 0, {1}},
                                                 {EXPRESSION_LOW, 1, 2, 0, {0, 1}},
                                                 {EXPRESSION_PRODUCT, 2, 2, 0, {0, 0}},
                                                 {EXPRESSION_RESIZE, 1, 1, 0, {3}},
                                                 {EXPRESSION_SUM, 1, 4, 2, {2, 1, 0, 4}}},
                                        .result = {5, 3}};
    m->job.e = e;
    two_alike(m);
    add_result(m, m->n);
    add_result(m, 2 * m->n);
}

/* Makes a product of two matrices. By default they have `count` x 3 and 3 x 2 entries. For
 * JOB_CASE_LONGER and entries of one limb they are wider than a kernel's tile and block. For
 * JOB_CASE_SAME the product is a square. */
static void make_matrices(struct making *m) {
    const bool is_square = is(m, JOB_CASE_SAME);
    const size_t rows = is_square && m->count > 5 ? 5 : m->count;
    const bool is_wide = is(m, JOB_CASE_LONGER) && m->n == 1;
    const size_t inner = is_square ? rows : is_wide ? MATRIX_BLOCK + 6 : 3;
    const size_t columns = is_square ? rows : is_wide ? MATRIX_UNITS_COLUMNS + 3 : 2;
    const uint64_t bits = 64 * m->n - 2;
    const uint64_t parameter[JOB_PARAMETERS] = {rows, inner, columns, bits, bits};
    memcpy(m->job.parameter, parameter, sizeof parameter);
    add_operand(m, rows * inner, m->n);
    add_operand(m, inner * columns, m->n);
    m->count = rows * columns;
    add_result(m, job_entry_limbs(job_matrices(&m->job).bits));
}

/* Makes a system of linear equations: with two columns, with A itself on the right side, or only a
 * determinant. */
static void make_system(struct making *m) {
    const size_t most = m->n > 20 ? 2 : 7, side = m->count < most ? m->count : most;
    const size_t columns = is(m, JOB_CASE_SAME) ? side : is(m, JOB_CASE_FOR_ALL) ? 0 : 2;
    const uint64_t bits = 64 * m->n - 2;
    const uint64_t parameter[JOB_PARAMETERS] = {side, columns, bits, bits};
    memcpy(m->job.parameter, parameter, sizeof parameter);
    add_operand(m, side * side, m->n);
    if (columns)
        add_operand(m, side * columns, m->n);
    m->count = side * columns + 1;
    add_result(m, job_entry_limbs(job_system(&m->job).bits));
}

/* Makes one product of polynomials, or several of equal lengths: signed or not, all coefficients or
 * some, possibly modulo a limb. */
static void make_polynomials(struct making *m) {
    uint64_t *p = m->job.parameter;
    const size_t un = m->count, vn = is(m, JOB_CASE_FOR_ALL) ? 1 + un / 3 : un;
    const bool has_limb = is(m, JOB_CASE_BARRETT) && m->n == 1;
    p[JOB_IS_SIGNED] = is(m, JOB_CASE_NORMAL) && !has_limb;
    p[JOB_POLYS] = is(m, JOB_CASE_LONGER) && !p[JOB_IS_SIGNED] ? 3 : 1;
    p[JOB_LOW] = is(m, JOB_CASE_IN_PLACE) && !p[JOB_IS_SIGNED] ? vn - 1 : 0;
    p[JOB_POLY_LIMB] = has_limb ? ~(mp_limb_t)0 >> (un % 3 ? un % 63 : 0) : 0;
    p[JOB_SLOT] = (128 * m->n + p[JOB_IS_SIGNED] + (64 - (unsigned)__builtin_clzll(un)) + 31) / 32;
    m->count *= p[JOB_POLYS];
    add_operand(m, m->count, m->n);
    add_operand(m, vn * p[JOB_POLYS], m->n);
    m->count = (un + (p[JOB_LOW] ? 0 : vn - 1)) * p[JOB_POLYS];
    add_result(m, has_limb ? 1 : (p[JOB_SLOT] + 1) / 2 + is(m, JOB_CASE_SAME));
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
#define LIMBS(name, what) [JOB_##name] = #name,
#define COMPOSITE(name, longest) [JOB_##name] = #name,
#define ON_DEVICE(name) [JOB_##name] = #name,
#define STORE(name) [JOB_##name] = #name,
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

/* The state of a private random generator.  GMP's generator would make the library read its
 * options, which some tests set later. */
static uint64_t dice;

static uint64_t draw(uint64_t n) {
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return (dice >> 32) % n;
}

/* Sets x to random limbs, with some all zeros or ones, or to all ones, one bit, few limbs, or a
 * small number. */
static void fill(mp_limb_t *x, size_t n) {
    const uint64_t kind = draw(8), from = draw(n);
    for (size_t i = 0; i < n; i++) {
        const uint64_t limb = draw(UINT64_MAX) << 32 ^ draw(UINT64_MAX);
        x[i] = limb >> 62 == 0 ? 0 : limb >> 62 == 1 ? ~(mp_limb_t)0 : limb;
    }
    if (kind == 0)
        memset(x, -1, n * sizeof *x);
    else if (kind == 1 || kind == 2)
        memset(x, 0, n * sizeof *x);
    else if (kind == 3)
        memset(x + from, 0, (n - from) * sizeof *x);
    if (kind == 1)
        x[from] = (mp_limb_t)1 << draw(64);
    if (kind == 2)
        x[0] = draw(1000);
}

static void fill_all(mp_limb_t *x, const struct job_ref *b) {
    for (size_t i = 0; i < b->count; i++)
        fill(x + i * b->n, b->n);
}

/* Limits numbers in two's complement, of n limbs, to 64 n - 2 bits and a sign. */
static void limit_entries(mp_limb_t *x, const struct job_ref *b) {
    for (size_t i = 0; i < b->count; i++) {
        mp_limb_t *top = x + i * b->n + b->n - 1;
        *top = (*top & ~(mp_limb_t)0 >> 1) | (*top << 1 & (mp_limb_t)1 << 63);
    }
}

/* Returns number i of an operand. If the operand is a single number, returns this number for each
 * i. */
static mp_limb_t *number_at(mp_limb_t *x, const struct job_ref *b, size_t i) {
    return x + (b->count == 1 ? 0 : i * b->n);
}

/* With a probability of 2/3, changes the random number {mp, n} to one of these moduli: 1; a power
 * of 2; 2^(64 n - 1); ones above zeros; 2^(64 n) minus a small number; a number with fewer bits. */
static void shape_modulus(mp_limb_t *mp, size_t n) {
    const size_t from = draw(n), kind = draw(12);
    if (kind == 4)
        memset(mp, -1, n * sizeof *mp);
    else if (kind < 4)
        memset(mp, 0, n * sizeof *mp);
    if (kind == 0)
        mp[0] = 1;
    else if (kind == 1)
        mp[from] = (mp_limb_t)1 << draw(64);
    else if (kind == 2)
        mp[n - 1] = (mp_limb_t)1 << 63;
    else if (kind == 3)
        memset(mp + from, -1, (n - from) * sizeof *mp);
    else if (kind == 4)
        mp[0] -= draw(1000);
    else if (kind < 8)
        mp[n - 1] >>= draw(64);
}

/* Makes {mp, n} a permitted modulus: not 0, and odd.  If the case permits even moduli
 * (JOB_CASE_BARRETT), every second modulus becomes even.  Sets the highest bit if the job's method
 * requires normal moduli. */
static void mend_modulus(const struct making *m, mp_limb_t *mp, size_t n, size_t i) {
    const bool is_even = is(m, JOB_CASE_BARRETT) && i % 2 == 0;
    mp[0] = is_even ? mp[0] & ~(mp_limb_t)1 : mp[0] | 1;
    if (is_even && mpn_zero_p(mp, (mp_size_t)n))
        mp[0] = 2;
    if (m->job.parameter[JOB_METHOD] & JOB_IS_NORMAL && m->modulus == JOB_MODULUS)
        mp[n - 1] |= (mp_limb_t)1 << 63;
}

static void fill_moduli(const struct making *m, mp_limb_t *x) {
    const struct job_ref *b = &m->job.u[m->modulus];
    for (size_t i = 0; i < b->count; i++) {
        fill(x + i * b->n, b->n);
        shape_modulus(x + i * b->n, b->n);
        mend_modulus(m, x + i * b->n, b->n, i);
    }
}

/* ---- relations between {up, un} and {vp, n}, the operands of number i */

static void make_complement(mp_limb_t *vp, const mp_limb_t *up, size_t n) {
    if (draw(4) == 0)
        mpn_com(vp, up, (mp_size_t)n);
    if (draw(4) == 0)
        mpn_add_1(vp, vp, (mp_size_t)n, 1);
}

static void make_neighbour(mp_limb_t *vp, const mp_limb_t *up, size_t n) {
    const size_t i = draw(3) == 0 ? n - 1 : draw(n);
    if (draw(4) > 0)
        mpn_copyi(vp, up, (mp_size_t)n);
    if (draw(4) == 0)
        fill(vp, i + 1);
    if (draw(2) == 0)
        vp[i] ^= (mp_limb_t)1 << draw(64);
}

/* Changes {up, un} to the next smaller multiple of the modulus, plus 0, 1, 2 or m - 1; in a third
 * of the cases changes nothing. */
static void make_multiple(mp_limb_t *up, size_t un, const mp_limb_t *mp, size_t n) {
    mpz_t x, u, m;
    const uint64_t more = draw(6);
    if (more > 3)
        return;
    mpz_init(x);
    gmp_view(u, up, un);
    gmp_view(m, mp, n);
    real.mpz_tdiv_q(x, u, m);
    real.mpz_mul(x, x, m);
    real.mpz_add_ui(x, x, more < 3 ? more : 0);
    if (more == 3) {
        real.mpz_add(x, x, m);
        real.mpz_sub_ui(x, x, 1);
    }
    if (mpz_size(x) <= un)
        normalize_pad(up, un, x);
    mpz_clear(x);
}

/* Sets x and y to neighbouring Fibonacci numbers, for which Euclid's algorithm needs the most
 * steps. */
static void make_fibonacci(mpz_ptr x, mpz_ptr y, size_t n) {
    /* an index for which the Fibonacci number x has at most n limbs */
    const uint64_t most = n * 64 * 36 / 25 - 1;
    real.mpz_fib2_ui(x, y, draw(2) ? most : 1 + draw(most));
}

/* Sets both operands to the same number, to neighbouring Fibonacci numbers, or to numbers with a
 * common factor of any length. May change nothing. */
static void make_common(mp_limb_t *up, mp_limb_t *vp, size_t n) {
    const uint64_t kind = draw(6);
    const size_t k = draw(n);
    mpz_t x, y, a, g;
    mpz_init(x);
    mpz_init(y);
    gmp_view(g, up + n - k, k);
    if (kind == 0) {
        make_fibonacci(x, y, n);
    } else if (kind < 4) {
        gmp_view(a, up, n - k);
        real.mpz_mul(x, a, g);
        gmp_view(a, vp, n - k);
        real.mpz_mul(y, a, g);
    }
    if (kind == 4) {
        memcpy(vp, up, n * sizeof *vp);
    } else if (mpz_sgn(x) && mpz_size(x) <= n && mpz_size(y) <= n) {
        const bool is_first_larger = draw(2);
        normalize_pad(up, n, is_first_larger ? x : y);
        normalize_pad(vp, n, is_first_larger ? y : x);
    }
    mpz_clear(x);
    mpz_clear(y);
}

/* Changes the operands of number i so that they depend on each other as m->relation demands. */
static void relate_number(struct job_case *c, const struct making *m, size_t i) {
    const struct job_ref *u = m->job.u;
    mp_limb_t *up = c->up[0] + i * u->n;
    mp_limb_t *vp = m->job.operands > 1 ? number_at(c->up[1], &u[1], i) : NULL;
    if (m->relation == COMPLEMENTS)
        make_complement(vp, up, u->n);
    else if (m->relation == NEIGHBOURS)
        make_neighbour(vp, up, u->n);
    else if (m->relation == COMMON)
        make_common(up, vp, u->n);
    if (m->relation == COMMON && m->modulus == 1)
        mend_modulus(m, vp, u->n, i);
    if (m->relation != MULTIPLES)
        return;
    const struct job_ref *by = &u[m->modulus];
    const mp_limb_t *mp = number_at(c->up[m->modulus], by, i);
    make_multiple(up, u->n, mp, by->n);
    if (m->modulus == JOB_MODULUS && are_alike(&u[0], &u[1]))
        make_multiple(vp, u->n, mp, by->n);
}

/* Computes by GMP the constants of the moduli that the job's method (Montgomery's or Barrett's)
 * needs. */
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

/* Returns true if the case wants the second operand to equal the first, and the operation permits
 * it. */
static bool is_second_same(const struct making *m) {
    const struct job_ref *u = m->job.u;
    return is(m, JOB_CASE_SAME) && m->job.operands >= 2 && m->modulus != 1 &&
           are_alike(&u[0], &u[1]);
}

static void fill_operands(struct job_case *c, const struct making *m) {
    const struct job *j = &m->job;
    for (unsigned k = 0; k < j->operands; k++) {
        c->up[k] = limbs_of(&j->u[k]);
        if (k == JOB_KNOWN && m->modulus == JOB_MODULUS)
            know(j, c->up[k], c->up[JOB_MODULUS]);
        else if (k == m->modulus)
            fill_moduli(m, c->up[k]);
        else
            fill_all(c->up[k], &j->u[k]);
        if (j->op == JOB_matrix_mul || j->op == JOB_matrix_solve)
            limit_entries(c->up[k], &j->u[k]);
    }
    for (size_t i = 0; m->relation != NO_RELATION && i < j->u[0].count; i++)
        relate_number(c, m, i);
    for (unsigned k = 0; j->op == JOB_poly_mul && j->parameter[JOB_POLY_LIMB] && k < 2; k++)
        for (size_t i = 0; i < j->u[k].count; i++)
            c->up[k][i] %= j->parameter[JOB_POLY_LIMB];
    if (c->is_second_same)
        memcpy(c->up[1], c->up[0], (size_t)(j->u[0].count * j->u[0].n) * sizeof *c->up[1]);
    /* Operand `choices` has a limb for each number. If the limb is not 0, the operation selects the
     * second of two numbers. */
    for (size_t i = 0; m->choices < j->operands && i < m->count; i++)
        c->up[m->choices][i] = i % 3 ? (mp_limb_t)1 << i % 64 : 0;
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
    dice = seed;
    fill_operands(c, &m);
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

/* Returns true if the batch is also among the operands of t with an index below `operands`. Such a
 * batch must be destroyed only once. */
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

/* Checks that batch_look counts the zeros and even numbers of a batch as the host does. */
static void check_look(mpgpu_batch *b, const mp_limb_t *right) {
    struct euclid_found found, wanted = {0};
    for (size_t i = 0; i < b->count; i++) {
        wanted.zeros += mpn_zero_p(right + i * b->n, (mp_size_t)b->n) != 0;
        wanted.even += right[i * b->n] % 2 == 0;
    }
    ck_assert_int_eq(batch_look(b, &found), wanted.zeros > 0 ? MPGPU_DIVIDE_BY_ZERO : 0);
    ck_assert_uint_eq(found.zeros, wanted.zeros);
    ck_assert_uint_eq(found.even, wanted.even);
}

static void check_batch(const struct job_case *c, mpgpu_batch *b, const mp_limb_t *right,
                        const char *what, unsigned k) {
    mp_limb_t *got = malloc(batch_size(b) * sizeof *got);
    check_look(b, right);
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
