/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The recipe of powers modulo a number.
 *
 * (mpz_powm_sec is GMP's: its time must not depend on the operands.) */
#include <string.h>

#include "lib/base/ceil_div.h"
#include "lib/calc/calc_check.h"
#include "lib/calc/calc_powm.h"
#include "lib/calc/calc_reciprocal.h"
#include "lib/job/job.h"

enum { MOST_MICROSECONDS = 4000000, STEP_MICROSECONDS = 120, STEP_LIMBS = 700 };
enum { MOST_EXPONENT = MOST_MICROSECONDS / STEP_MICROSECONDS / 64 }; /* limbs */

struct calc_divisor job_modulus(const struct job *j) {
    return calc_modulus_plan(j->parameter[JOB_MODULUS_BITS]);
}

bool job_fits_powm(const struct job *j) {
    const struct job_ref *m = &j->u[JOB_MODULUS];
    return job_has(j, 4, 1) && m->n >= 2 && job_is_length(j->parameter[JOB_MODULUS_BITS], m->n) &&
           j->parameter[JOB_EXPONENT_BITS] >= 2 &&
           job_is_length(j->parameter[JOB_EXPONENT_BITS], j->u[JOB_EXPONENT].n) &&
           (!j->parameter[JOB_IS_REDUCED] || j->u[JOB_BASE].n <= m->n) &&
           job_is_result(j, 0, m->n) &&
           j->u[JOB_FIRST_OF_MODULUS].n == calc_reciprocal_first_limbs(job_modulus(j).k);
}

/* Returns true if the device needs at most MOST_MICROSECONDS: fork and exit wait for it.  On an
 * H200 a step takes STEP_MICROSECONDS, and one microsecond more for each STEP_LIMBS limbs. */
bool job_powm_is_short(const struct job *j) {
    const uint64_t en = j->u[JOB_EXPONENT].n, mn = j->u[JOB_MODULUS].n;
    return en <= MOST_EXPONENT &&
           calc_powm_steps(64 * en) <= MOST_MICROSECONDS / (STEP_MICROSECONDS + mn / STEP_LIMBS);
}

/* Copies the exponent to `to`, for the device.  It is in the program's memory, and the program
 * continues if the device does not answer in time. */
static const uint64_t *read_exponent(struct calc *c, const struct job_ref *e, uint64_t *to) {
    if (c->host || !calc_host_begin(c))
        return e->host;
    memcpy(to, e->host, e->n * sizeof *to);
    calc_host_end(c);
    return to;
}

void recipe_powm(struct calc *c, struct job *j) {
    const struct job_ref *base = &j->u[JOB_BASE];
    uint64_t exponent[MOST_EXPONENT];
    struct calc_powm p = {.by = job_modulus(j),
                          .exponent = read_exponent(c, &j->u[JOB_EXPONENT], exponent),
                          .bits = j->parameter[JOB_EXPONENT_BITS],
                          .is_reduced = j->parameter[JOB_IS_REDUCED]};
    if (c->status != GPU_OK)
        return;
    struct number modulus = job_operand(c, &j->u[JOB_MODULUS], CALC_QUAD * p.by.n);
    struct number b = job_operand(c, base, calc_words(64 * base->n));
    struct number first = job_first(c, &j->u[JOB_FIRST_OF_MODULUS]);
    job_deliver(c, j, 0, calc_powm(c, &p, b, modulus, first));
}
