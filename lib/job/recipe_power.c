/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The recipes of powers, Fibonacci and Lucas numbers. */
#include "lib/base/ceil_div.h"
#include "lib/calc/calc_fibonacci.h"
#include "lib/calc/calc_power.h"
#include "lib/job/job.h"

static struct calc_power power_of(const struct job *j) {
    const struct job_ref *base = &j->u[JOB_BASE], *start = &j->u[JOB_START];
    return (struct calc_power){.base = base->host,
                               .start = start->host,
                               .base_limbs = base->n,
                               .start_limbs = start->n,
                               .exponent = j->parameter[JOB_POWER],
                               .steps = (unsigned)j->parameter[JOB_STEPS],
                               .shift = (unsigned)j->parameter[JOB_SHIFT]};
}

uint64_t job_power_limbs(const struct job *j) {
    const struct calc_power p = power_of(j);
    return ceil_div(calc_power_bits(&p), 64);
}

bool job_fits_pow(const struct job *j) {
    const uint64_t steps = j->parameter[JOB_STEPS];
    return job_has(j, 2, 1) && steps >= 1 && steps < 64 && j->parameter[JOB_SHIFT] < 64 &&
           j->parameter[JOB_POWER] >> steps >= 1;
}

void recipe_pow(struct calc *c, struct job *j) {
    const struct calc_power p = power_of(j);
    job_deliver(c, j, 0, calc_power(c, &p));
}

static struct calc_fibonacci fibonacci_of(const struct job *j) {
    return (struct calc_fibonacci){.n = j->parameter[JOB_INDEX],
                                   .kind = j->parameter[JOB_KIND],
                                   .steps = (unsigned)j->parameter[JOB_STEPS],
                                   .start = j->u[0].host,
                                   .start_limbs = j->u[0].n};
}

uint64_t job_fibonacci_limbs(const struct job *j) {
    const struct calc_fibonacci f = fibonacci_of(j);
    return ceil_div(calc_fibonacci_result_bits(&f), 64);
}

/* The first operand has two numbers, no longer than Fibonacci's number of their index. */
bool job_fits_fibonacci(const struct job *j) {
    const uint64_t n = j->parameter[JOB_INDEX], kind = j->parameter[JOB_KIND];
    return job_has(j, 1, 2) && n >= 2 && n >> 40 == 0 && j->parameter[JOB_STEPS] >= 1 &&
           j->parameter[JOB_STEPS] < 40 && n >> j->parameter[JOB_STEPS] >= 1 &&
           j->u[0].n <= ceil_div(calc_fibonacci_bits(n >> j->parameter[JOB_STEPS]), 64) &&
           j->u[0].count == 2 && kind <= CALC_FIBONACCI_LUCAS &&
           (kind != CALC_FIBONACCI_ONE || j->r[1].count == 0);
}

void recipe_fibonacci(struct calc *c, struct job *j) {
    const struct calc_fibonacci f = fibonacci_of(j);
    struct calc_fibonacci_pair r = calc_fibonacci(c, &f);
    job_deliver(c, j, 0, r.a);
    job_deliver(c, j, 1, r.b);
}
