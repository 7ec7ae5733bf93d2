/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Radix conversion as jobs: the host computes operands of the job, and checks its result.
 *
 * A conversion tree splits a text into leaves of equal length. Let b be the base and m the number
 * of digits in all leaves. The job needs a first approximation of the reciprocal of b^m, which
 * depends on the highest quads (128 bits each) of b^m. The host computes b^(digits of a leaf), and
 * squares it once for each level of the tree. It truncates each square to two limbs more than are
 * needed.
 *
 * A unit is 2^(-64 n) for a power of n limbs. If a power has a relative error of e units, its
 * truncated square has one of less than 2 e + 2 units. After all levels of the tree, the error is
 * less than 2^(levels + 2) units: it fits in the lowest limb. Unless the second lowest limb is all
 * ones, all limbs above it are right, and so is the number of bits. */
#include "lib/algorithms/radix_job.h"

#include <string.h>

#include "lib/base/ceil_div.h"
#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/base/min.h"
#include "lib/calc/calc_reciprocal.h"
#include "lib/device/tables.h"
#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"
#include "lib/session/session.h"

__extension__ typedef unsigned __int128 wide;

enum { SPARE = 2, POWER_LIMBS = FIRST_RECIPROCAL_LIMBS + SPARE, LIMB = 8 };

/* ---- the host's check compares the residues of text and number, both read from host memory */

/* For each character, its value as a digit. */
struct values {
    mp_limb_t of[256];
    mp_limb_t base;
};

static struct values values_of(unsigned base, unsigned characters) {
    struct values v = {.base = base};
    for (unsigned c = 0; c < 256; c++)
        v.of[c] = text_value(c, base, characters);
    return v;
}

/* *x = the value of a text, which fits in a limb. Returns false if a character is no digit. */
static bool read_chunk(mp_limb_t *x, const unsigned char *sp, size_t n, const struct values *v) {
    bool is_text = true;
    *x = 0;
    for (size_t i = 0; i < n; i++) {
        is_text &= v->of[sp[i]] < v->base;
        *x = *x * v->base + v->of[sp[i]];
    }
    return is_text;
}

/* *r = the value of the text {sp, n} modulo m < 2^63. Returns false if a character is no digit.
 */
static bool read_residue(mp_limb_t *r, const unsigned char *sp, size_t n, const struct values *v,
                         mp_limb_t m) {
    mp_limb_t power = v->base, chunk;
    size_t per = 1;
    bool is_text = true;
    for (; power <= ~(mp_limb_t)0 / v->base; power *= v->base)
        per++;
    *r = 0;
    for (size_t size = n % per; n > 0; sp += size, n -= size, size = per) {
        is_text &= read_chunk(&chunk, sp, size, v);
        *r = (mp_limb_t)(((wide)*r * power + chunk) % m);
    }
    return is_text;
}

static bool is_right(const unsigned char *sp, size_t n, unsigned base, unsigned characters,
                     mp_srcptr up, size_t un) {
    const struct values v = values_of(base, characters);
    mp_limb_t r, m = tables_check_modulus().m;
    bool is_text = read_residue(&r, sp, n, &v, m);
    bool has_zero = characters & TEXT_EXACT && n > 0 && v.of[sp[0]] == 0;
    if (!up)
        return !is_text;
    return is_text && !has_zero && r == (un ? mpn_mod_1(up, (mp_size_t)un, m) : 0);
}

enum outcome radix_verify(const unsigned char *sp, size_t n, unsigned base, unsigned characters,
                          mp_srcptr up, size_t un) {
    if (mpgpu_conf.verify < VERIFY_RESIDUE || is_right(sp, n, base, characters, up, un))
        return OUTCOME_DONE;
    session_fault();
    mpgpu_log(LOG_WARNING, "wrong radix conversion of %zu digits from the device; GMP computes it",
              n);
    return OUTCOME_FAILED;
}

/* ---- jobs */

/* {p, CALC_RADIX_LEAF_LIMBS} = base^digits, which is less than 2^(64 CALC_RADIX_LEAF_LIMBS). */
static void make_leaf(mp_ptr p, unsigned base, unsigned digits) {
    mpn_zero(p, CALC_RADIX_LEAF_LIMBS);
    p[0] = 1;
    for (; digits > 0; digits--)
        mpn_mul_1(p, p, CALC_RADIX_LEAF_LIMBS, base);
}

/* Returns OUTCOME_DONE if the device converts texts of this length. */
static enum outcome length_outcome(const struct calc_cut *cut) {
    return cut->levels < 1                   ? OUTCOME_SMALL
           : cut->levels > CALC_RADIX_LEVELS ? OUTCOME_SIZE
                                             : OUTCOME_DONE;
}

/* ---- conversion of a number to a text */

/* Shifts {x, n} until its highest bit is set.  Returns the shift. */
static unsigned highest_bit(mp_ptr x, mp_size_t n) {
    unsigned shift = (unsigned)__builtin_clzl(x[n - 1]);
    if (shift)
        mpn_lshift(x, x, n, shift);
    return shift;
}

/* Computes the power leaf^(2^levels), and writes its highest n limbs to x: truncated, and shifted
 * until the highest bit is set. Returns the number of bits of the whole power, or 0 if the error
 * may reach beyond the two lowest limbs of x. */
static uint64_t power_limbs(mp_ptr x, mp_size_t n, const mp_limb_t *leaf, unsigned levels) {
    mp_limb_t square[2 * POWER_LIMBS];
    uint64_t bits = 64 * CALC_RADIX_LEAF_LIMBS;
    mp_size_t have = CALC_RADIX_LEAF_LIMBS;
    for (; leaf[have - 1] == 0; bits -= 64)
        have--;
    mpn_zero(square, 2 * n);
    mpn_copyi(square + 2 * n - have, leaf, have);
    bits -= highest_bit(square, 2 * n);
    mpn_copyi(x, square + n, n);
    for (unsigned j = 0; j < levels; j++) {
        real.mpn_sqr(square, x, n);
        bits = 2 * bits - highest_bit(square, 2 * n);
        mpn_copyi(x, square + n, n);
    }
    return x[1] == ~(mp_limb_t)0 ? 0 : bits;
}

static enum outcome prepare(struct job *job, const struct calc_cut *cut,
                            struct radix_job_first *to) {
    mp_limb_t power[POWER_LIMBS];
    make_leaf(to->leaf, cut->base, cut->digits);
    const uint64_t k = calc_radix_reciprocal_quads(cut);
    const size_t n = calc_reciprocal_first_limbs(k);
    const uint64_t bits = power_limbs(power, (mp_size_t)(n + SPARE), to->leaf, cut->levels);
    if (bits == 0)
        return OUTCOME_SIZE;
    first_reciprocal(to->first, calc_reciprocal_first(k), power + SPARE, n, 0);
    job->parameter[JOB_POWER_BITS] = bits;
    job->u[JOB_LEAF] = job_limbs(to->leaf, CALC_RADIX_LEAF_LIMBS);
    job->u[JOB_FIRST_OF_POWER] = job_limbs(to->first, n);
    return OUTCOME_DONE;
}

enum outcome radix_job_to_text(struct job *job, struct radix_job_first *first, unsigned char *sp,
                               mp_srcptr up, size_t un, unsigned base, unsigned characters) {
    const unsigned zeros = (unsigned)__builtin_clzl(up[un - 1]);
    mp_limb_t top = up[un - 1] << zeros;
    uint64_t least, most;
    if (zeros > 0 && un > 1)
        top |= up[un - 2] >> (64 - zeros);
    calc_cut_digits(base, top, 64 * un - zeros, &least, &most);
    const struct calc_cut cut = calc_cut_plan(base, most);
    *job = (struct job){
        .op = JOB_get_str,
        .operands = 3,
        .results = 1,
        .u = {job_limbs(up, un)},
        .r = {job_text(sp, most)},
        .parameter = {[JOB_RADIX] = base, [JOB_CHARACTERS] = characters, [JOB_LEAST] = least}};
    enum outcome outcome = length_outcome(&cut);
    return outcome == OUTCOME_DONE ? prepare(job, &cut, first) : outcome;
}

enum outcome radix_job_get(unsigned char *sp, size_t *n, mp_srcptr up, size_t un, unsigned base,
                           unsigned characters) {
    struct radix_job_first first;
    struct job job;
    enum outcome outcome = radix_job_to_text(&job, &first, sp, up, un, base, characters);
    if (outcome == OUTCOME_DONE)
        outcome = job_run(&job);
    *n = job.r[0].n - (job.answer & JOB_IS_SHORTER ? 1 : 0);
    return outcome == OUTCOME_DONE ? radix_verify(sp, *n, base, characters | TEXT_EXACT, up, un)
                                   : outcome;
}

/* ---- conversion of a text to a number */

enum outcome radix_job_of_text(struct job *job, struct radix_job_first *first, mp_ptr rp,
                               size_t most, const unsigned char *sp, size_t n, unsigned base,
                               unsigned characters) {
    const struct calc_cut cut = calc_cut_plan(base, n);
    const size_t limbs = min_u64(ceil_div(calc_cut_bits(&cut, n), 64), most);
    *job = (struct job){.op = JOB_set_str,
                        .operands = 2,
                        .results = 1,
                        .u = {job_text(sp, n), job_limbs(first->leaf, CALC_RADIX_LEAF_LIMBS)},
                        .r = {job_limbs(rp, limbs)},
                        .parameter = {[JOB_RADIX] = base, [JOB_CHARACTERS] = characters}};
    make_leaf(first->leaf, base, cut.digits);
    memcpy(&job->parameter[JOB_TAIL], sp + n / LIMB * LIMB, n % LIMB);
    return length_outcome(&cut);
}

enum outcome radix_job_set(mp_ptr rp, size_t *rn, size_t most, const unsigned char *sp, size_t n,
                           unsigned base, unsigned characters, bool *is_number) {
    struct radix_job_first first;
    struct job job;
    enum outcome outcome = radix_job_of_text(&job, &first, rp, most, sp, n, base, characters);
    if (outcome == OUTCOME_DONE)
        outcome = job_run(&job);
    *is_number = outcome == OUTCOME_DONE && !(job.answer & JOB_IS_NO_NUMBER);
    *rn = *is_number ? normalize(rp, job.r[0].n) : 0;
    if (outcome != OUTCOME_DONE)
        return outcome;
    return radix_verify(sp, n, base, characters, *is_number ? rp : NULL, *rn);
}
