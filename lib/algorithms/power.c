/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Powers: splits the power of two off the base, and computes the short power with which the job
 * (lib/job/recipe_power.c) starts. */
#include "lib/algorithms/power.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"
#include "lib/gmp/result.h"
#include "lib/memory/wipe.h"

/* GMP reserves up to SPARE_LIMBS limbs more than the result has.  If an mpz could not hold these
 * too, GMP computes the call and reports the overflow. */
enum { SPARE_LIMBS = 16 };

/* The job starts with a short power, which GMP computes in microseconds: of at most START_LIMBS
 * limbs, or the base itself. */
enum { START_LIMBS = 128 };

/* The power b^e, where b = {bp, bn} * 2^twos and {bp, bn} is odd. */
struct power {
    mp_srcptr bp;
    size_t bn;
    unsigned long e;
    mp_bitcnt_t twos; /* of the result */
    size_t limbs;     /* limbs of the result's odd part; may be up to about e / 64 too many */
    mp_ptr shifted;   /* NULL, or a shifted copy of the base. bp points to the copy */
};

/* Sets p->twos and p->limbs.  Returns false if the result may be too long for an mpz. up's lowest
 * limb is not 0. */
static bool result_size(struct power *p, mp_srcptr up, size_t un, size_t zero_limbs,
                        unsigned shift) {
    const mp_bitcnt_t most = (mp_bitcnt_t)(INT_MAX - SPARE_LIMBS) * GMP_NUMB_BITS;
    mp_bitcnt_t twos = (mp_bitcnt_t)zero_limbs * GMP_NUMB_BITS + shift;
    mp_bitcnt_t bits = mpn_sizeinbase(up, (mp_size_t)un, 2) - shift;
    if ((bits + twos) > most / p->e)
        return false;
    p->twos = twos * p->e;
    p->limbs = bits * p->e / GMP_NUMB_BITS + 3;
    return true;
}

/* Splits the power of two off {up, un}.  Returns false if memory for the odd part is missing, or if
 * the result may be too long for an mpz. */
static bool power_open(struct power *p, mp_srcptr up, size_t un, unsigned long e) {
    size_t zero_limbs = mpn_scan1(up, 0) / GMP_NUMB_BITS;
    unsigned shift = (unsigned)(mpn_scan1(up, 0) % GMP_NUMB_BITS);
    *p = (struct power){.bp = up + zero_limbs, .bn = un - zero_limbs, .e = e};
    if (!result_size(p, p->bp, p->bn, zero_limbs, shift))
        return false;
    if (!shift)
        return true;
    p->shifted = malloc(p->bn * sizeof *p->shifted);
    if (!p->shifted)
        return false;
    mpn_rshift(p->shifted, p->bp, (mp_size_t)p->bn, shift);
    p->bn -= p->shifted[p->bn - 1] == 0;
    p->bp = p->shifted;
    return true;
}

size_t power_limbs(mp_srcptr up, size_t un, unsigned long e) {
    size_t bits;
    if (un == 0 || e < 2)
        return 0;
    if (__builtin_mul_overflow(normalize_bits(up, un), e, &bits))
        bits = SIZE_MAX;
    return bits / GMP_NUMB_BITS;
}

/* Returns the number of squarings that lead from the short power, with which the job starts, to the
 * result: at least one. */
static unsigned steps_of(size_t bn, unsigned long e) {
    unsigned steps = 1;
    while (e >> steps > 1 && (e >> steps) > START_LIMBS / bn)
        steps++;
    return steps;
}

struct job power_job(mp_srcptr bp, size_t bn, unsigned long e, unsigned shift, mpz_ptr start) {
    const mpz_t base = MPZ_ROINIT_N((mp_ptr)bp, (mp_size_t)bn);
    const unsigned steps = steps_of(bn, e);
    real.mpz_pow_ui(start, base, e >> steps);
    return (struct job){.op = JOB_pow,
                        .operands = 2,
                        .results = 1,
                        .u = {job_limbs(bp, bn), job_limbs(start->_mp_d, mpz_size(start))},
                        .parameter = {[JOB_POWER] = e, [JOB_STEPS] = steps, [JOB_SHIFT] = shift}};
}

/* {rp, *n} = the power, with zeros at its top; rp has room for `alloc` limbs. */
static bool compute(struct composite *w, const struct power *p, mp_ptr rp, size_t alloc,
                    size_t *n) {
    const size_t zeros = p->twos / GMP_NUMB_BITS;
    mpz_t start;
    mpz_init(start);
    struct job job = power_job(p->bp, p->bn, p->e, p->twos % GMP_NUMB_BITS, start);
    job.r[0] = job_limbs(rp + zeros, job_power_limbs(&job));
    *n = zeros + job.r[0].n;
    bool done = *n <= alloc && recipe_run(w, &job);
    if (done)
        mpn_zero(rp, (mp_size_t)zeros);
    mpz_clear(start);
    return done;
}

bool power_mpz(struct composite *w, mpz_ptr r, mp_srcptr up, size_t un, unsigned long e,
               bool negative) {
    struct power p;
    size_t n = 0;
    if (!power_open(&p, up, un, e))
        return false;
    size_t alloc = p.limbs + p.twos / GMP_NUMB_BITS;
    bool is_one = p.bn == 1 && p.bp[0] == 1; /* true: the power is a power of two */
    bool done = !is_one && !thresholds_is_small(p.limbs, &thresholds.pow) &&
                compute(w, &p, result_room(r, alloc), alloc, &n);
    n = done ? normalize(r->_mp_d, n) : 0;
    r->_mp_size = negative ? -(int)n : (int)n;
    wipe_free(p.shifted, p.bn * sizeof *p.shifted);
    return done;
}
