/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Roots: computes the first approximation, which Newton's iteration in lib/calc/calc_newton.h
 * needs. Also has the functions for mpz. */
#include "lib/algorithms/root.h"

#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"

enum { QUAD_LIMBS = 2 };

static uint64_t bits_of(const struct root *x) {
    return normalize_bits(x->np, x->nn);
}

size_t root_limbs(const struct root *x) {
    return job_root_limbs(bits_of(x), x->k);
}

size_t root_rest_limbs(const struct root *x) {
    return job_root_rest_limbs(bits_of(x), x->k);
}

/* ---- the first approximation for Newton's iteration */

/* Sets x to the highest k * plan->first quads (128 bits each) of {np, nn}, shifted as
 * lib/calc/calc_newton.h describes. These quads determine the first plan->first quads of the k-th
 * root. */
static void highest(mpz_ptr x, const struct root *root, const struct calc_root_plan *plan) {
    const mpz_t n = MPZ_ROINIT_N((mp_ptr)root->np, (mp_size_t)root->nn);
    int64_t down = (int64_t)(plan->k * (CALC_QUAD_BITS * (plan->m - plan->first))) -
                   (int64_t)plan->k * plan->shift;
    if (down >= 0)
        mpz_tdiv_q_2exp(x, n, (mp_bitcnt_t)down);
    else
        mpz_mul_2exp(x, n, (mp_bitcnt_t)-down);
}

/* Sets z slightly below 1 / (k s^(k-1)), times a power of B = 2^128. s approximates the k-th root
 * in f quads (128 bits each), and s + 2 is above the root. So z = floor(B^(k f) / (k (s+2)^(k-1)))
 * - 2^(k+3) is too small. */
static void first_inverse(mpz_ptr z, mpz_srcptr s, unsigned long k, uint64_t f) {
    mpz_t p, one;
    mpz_init(p);
    mpz_init(one);
    real.mpz_add_ui(p, s, 2);
    real.mpz_pow_ui(p, p, k - 1);
    real.mpz_mul_ui(p, p, k);
    mpz_set_ui(one, 1);
    mpz_mul_2exp(z, one, k * CALC_QUAD_BITS * f);
    real.mpz_tdiv_q(z, z, p);
    mpz_mul_2exp(one, one, k + 3);
    real.mpz_sub(z, z, one);
    mpz_clear(p);
    mpz_clear(one);
}

/* Writes to `first` the two numbers from which Newton's iteration starts (lib/calc/calc_newton.h).
 * The first number, s, is the k-th root of the operand's highest quads (128 bits each), less 1. The
 * second, z, approximates the reciprocal of k s^(k-1). */
static void first_approximation(mp_ptr first, const struct root *x,
                                const struct calc_root_plan *plan) {
    uint64_t f = plan->first;
    mpz_t s, z;
    mpz_init(s);
    mpz_init(z);
    highest(z, x, plan);
    if (plan->k == 2)
        real.mpz_sqrt(s, z);
    else
        real.mpz_root(s, z, plan->k);
    real.mpz_sub_ui(s, s, 1);
    first_inverse(z, s, plan->k, f);
    normalize_pad(first, QUAD_LIMBS * f, s);
    normalize_pad(first + QUAD_LIMBS * f, QUAD_LIMBS * (f + 1), z);
    mpz_clear(s);
    mpz_clear(z);
}

static bool is_possible(const struct root *x) {
    return job_root_is_possible(bits_of(x), x->k);
}

struct job root_job(const struct root *x, mp_ptr first) {
    struct job job = {.op = x->k == 2 ? JOB_sqrtrem : JOB_rootrem,
                      .operands = 2,
                      .results = 2,
                      .u = {job_limbs(x->np, x->nn)},
                      .r = {job_limbs(x->sp, root_limbs(x)), job_limbs(x->rp, root_rest_limbs(x))},
                      .parameter = {[JOB_DEGREE] = x->k,
                                    [JOB_BITS] = bits_of(x),
                                    [JOB_WANTS] = x->is_exact ? JOB_IS_EXACT : 0}};
    const struct calc_root_plan plan = job_root_plan(&job);
    first_approximation(first, x, &plan);
    job.u[JOB_FIRST_OF_ROOT] = job_limbs(first, QUAD_LIMBS * (2 * plan.first + 1));
    return job;
}

bool root_of_limbs(struct composite *w, const struct root *x) {
    mp_limb_t first[JOB_ROOT_FIRST_LIMBS];
    if (!is_possible(x))
        return false;
    struct job job = root_job(x, first);
    bool done = recipe_run(w, &job);
    job.parameter[JOB_IS_SECOND] = (job.answer & JOB_IS_ABOVE) != 0;
    if (done && job.parameter[JOB_IS_SECOND])
        done = recipe_run(w, &job);
    if (done && x->is_exact)
        *x->is_exact = job.answer & JOB_IS_EXACT;
    return done;
}

/* ---- mpz */

size_t root_size(mpz_srcptr u, unsigned long n) {
    const struct root x = {.np = u->_mp_d, .nn = mpz_size(u), .k = n};
    bool is_error = n < 2 || (n % 2 == 0 && u->_mp_size < 0);
    return is_error || x.nn == 0 || !is_possible(&x) ? 0 : x.nn;
}

/* Sets the size field of x to n without the zero limbs at the top, negated if `negative`. */
static void set_size(mpz_ptr x, size_t n, bool negative) {
    n = normalize(x->_mp_d, n);
    x->_mp_size = negative ? -(int)n : (int)n;
}

bool root_mpz(struct composite *w, mpz_ptr r, mpz_ptr rest, bool *is_exact, mpz_srcptr u,
              unsigned long n) {
    struct root x = {.nn = mpz_size(u), .np = u->_mp_d, .k = n, .is_exact = is_exact};
    size_t sn = root_limbs(&x), rn = root_rest_limbs(&x);
    bool negative = u->_mp_size < 0;
    mpz_t own; /* the root, if the caller passed r = NULL */
    mpz_init(own);
    mpz_ptr s = r ? r : own;
    x.sp = composite_mpz_grow(s, sn);
    x.rp = rest ? composite_mpz_grow(rest, rn) : NULL;
    x.np = u->_mp_d; /* composite_mpz_grow may have moved u's limbs, if r or rest is u */
    bool done = root_of_limbs(w, &x);
    if (done)
        set_size(s, sn, negative);
    if (done && rest)
        set_size(rest, rn, negative);
    mpz_clear(own);
    return done;
}

void root_square_mpz(struct composite *w, mpz_ptr s, mpz_ptr r, mpz_srcptr n) {
    if (n->_mp_size <= 0 ||
        thresholds_is_small(root_square_size((size_t)n->_mp_size), &thresholds.sqrt) ||
        !root_mpz(w, s, r, NULL, n, 2))
        real.mpz_sqrtrem(s, r, n);
}
