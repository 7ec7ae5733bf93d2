/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The recipes (functions that compute a job on the device) of square roots and k-th roots, by
 * Newton's iteration. */
#include "lib/base/ceil_div.h"
#include "lib/base/min.h"
#include "lib/calc/calc_check.h"
#include "lib/calc/calc_root.h"
#include "lib/calc/calc_sqrt.h"
#include "lib/job/job.h"

enum {
    /* quads (units of 128 bits) of a square root's first approximation, which the host computes */
    SQUARE_FIRST = JOB_ROOT_FIRST_LIMBS / 4,
    /* POWER_FIRST / k: quads (units of 128 bits) of a k-th root's first approximation */
    POWER_FIRST = 512
};

struct calc_root_plan job_root_plan(const struct job *j) {
    const uint64_t bits = j->parameter[JOB_BITS], k = j->parameter[JOB_DEGREE];
    return k == 2 ? calc_root_plan(bits, k, CALC_SQRT_GUARD, SQUARE_FIRST)
                  : calc_root_plan(bits, k, CALC_ROOT_GUARD, POWER_FIRST / k);
}

bool job_root_is_possible(uint64_t bits, uint64_t k) {
    return k == 2 || (k > 2 && k <= CALC_ROOT_MOST && ceil_div(bits, k) >= CALC_ROOT_LEAST);
}

uint64_t job_root_limbs(uint64_t bits, uint64_t k) {
    return ceil_div(ceil_div(bits, k), 64);
}

/* Returns an upper bound of the limbs of the remainder of a k-th root s. The remainder is less than
 * (s+1)^k - s^k < 2^k s^(k-1), and at most the number itself. */
uint64_t job_root_rest_limbs(uint64_t bits, uint64_t k) {
    return min_u64(ceil_div(bits, 64), ceil_div((k - 1) * ceil_div(bits, k) + k, 64));
}

static bool fits(const struct job *j) {
    const uint64_t bits = j->parameter[JOB_BITS], k = j->parameter[JOB_DEGREE];
    return job_has(j, 2, 2) && job_is_length(bits, j->u[0].n) &&
           job_is_result(j, JOB_ROOT, job_root_limbs(bits, k)) &&
           job_is_result(j, JOB_REMAINDER, job_root_rest_limbs(bits, k)) &&
           j->u[JOB_FIRST_OF_ROOT].n == 2 * (2 * job_root_plan(j).first + 1);
}

bool job_fits_sqrtrem(const struct job *j) {
    return j->parameter[JOB_DEGREE] == 2 && fits(j);
}

bool job_fits_rootrem(const struct job *j) {
    const uint64_t k = j->parameter[JOB_DEGREE];
    return k > 2 && job_root_is_possible(j->parameter[JOB_BITS], k) && fits(j);
}

static void give(struct calc *c, struct job *j, struct number s, struct number r) {
    j->answer = 0;
    if (j->parameter[JOB_WANTS] & JOB_IS_EXACT && calc_is_less(c, r, calc_one(c)))
        j->answer = JOB_IS_EXACT;
    job_deliver(c, j, JOB_ROOT, s);
    job_deliver(c, j, JOB_REMAINDER, r);
}

void recipe_sqrtrem(struct calc *c, struct job *j) {
    const struct calc_root_plan plan = job_root_plan(j);
    const uint64_t words = CALC_QUAD * plan.m;
    struct number first = job_first(c, &j->u[JOB_FIRST_OF_ROOT]);
    struct number n =
        calc_operand_halves(c, j->u[0].host, j->u[0].n, 2 * words, calc_sqrt_high(&plan));
    struct number s = calc_take(c, words), r = calc_take(c, words);
    calc_sqrtrem(c, &plan, s, r, n, first);
    give(c, j, s, r);
}

/* Waits for the device and downloads a flag. Fails the operation if the flag is neither 0 nor 1. */
static bool flag_of(struct calc *c, struct number flag) {
    uint64_t word = 0; /* word 0 is the flag; the download of one limb also sets word 1 */
    calc_download_to_each(c, &word, flag, 1);
    if ((uint32_t)word > 1 && c->status == GPU_OK)
        c->status = GPU_FAILED;
    return (uint32_t)word == 1;
}

/* Computes a k-th root and its remainder. If the approximation is 1 above the root, the host
 * subtracts 1. A device answers JOB_IS_ABOVE, and a second run subtracts 1, because a device's
 * steps must not depend on the operands. */
void recipe_rootrem(struct calc *c, struct job *j) {
    const struct calc_root_plan plan = job_root_plan(j);
    uint64_t words = calc_root_words(&plan), power_words = calc_root_power_words(&plan);
    const bool is_second = j->parameter[JOB_IS_SECOND];
    struct number first = job_first(c, &j->u[JOB_FIRST_OF_ROOT]), u;
    struct number n =
        calc_operand_halves(c, j->u[0].host, j->u[0].n, power_words, calc_root_high(&plan));
    struct number t = calc_take(c, words), s = calc_take(c, words), r = calc_take(c, power_words);
    calc_root(c, &plan, t, n, first);
    bool is_above = is_second && !c->host;
    if (!is_above)
        is_above = !flag_of(c, calc_root_rest(c, &plan, r, &u, n, t)) && !c->is_planning;
    bool ends_below = is_above && (is_second || c->host);
    if (ends_below || (c->host && c->is_planning))
        calc_root_below(c, &plan, s, r, n, t);
    if (ends_below) {
        give(c, j, s, r);
    } else if (!is_above) {
        calc_root_demand(c, &plan, n, t, u, r);
        give(c, j, t, r);
    } else {
        j->answer = JOB_IS_ABOVE;
    }
}
