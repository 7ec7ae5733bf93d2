/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Fibonacci and Lucas numbers: computes the two numbers from which the operation
 * (lib/calc/calc_fibonacci.h) starts, and builds the job. */
#include "lib/algorithms/fibonacci.h"

#include <limits.h>

#include "lib/gmp/memory.h"
#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"

size_t fibonacci_size(unsigned long n) {
    size_t limbs = n / FIBONACCI_LIMB_INDICES;
    return limbs > INT_MAX / 2 ? 0 : limbs;
}

/* Writes F[k] and F[k-1] to `start`.  Returns the number of limbs of each. */
static size_t begin(mp_ptr start, unsigned long k) {
    mpz_t a, b;
    mpz_init(a);
    mpz_init(b);
    real.mpz_fib2_ui(a, b, k);
    size_t limbs = mpz_size(a);
    normalize_pad(start, limbs, a);
    normalize_pad(start + limbs, limbs, b);
    mpz_clear(a);
    mpz_clear(b);
    return limbs;
}

/* Initializes x with room for `limbs` limbs that the library allocates.  Returns a pointer to them.
 */
static mp_ptr room(mpz_ptr x, size_t limbs) {
    memory_init(x, limbs);
    return x->_mp_d;
}

static void keep(mpz_ptr r, mpz_ptr x, size_t limbs) {
    mpz_limbs_finish(x, (mp_size_t)limbs);
    mpz_swap(r, x);
}

struct job fibonacci_job(unsigned long n, int kind, mp_ptr start) {
    struct job job = {.op = JOB_fibonacci,
                      .operands = 1,
                      .results = 2,
                      .parameter = {[JOB_INDEX] = n, [JOB_STEPS] = 1, [JOB_KIND] = (uint64_t)kind}};
    while (calc_fibonacci_bits(n >> job.parameter[JOB_STEPS]) > FIBONACCI_START_BITS)
        job.parameter[JOB_STEPS]++;
    job.u[0] = job_limbs(start, begin(start, n >> job.parameter[JOB_STEPS]));
    job.u[0].count = 2;
    return job;
}

bool fibonacci(struct composite *w, mpz_ptr r, mpz_ptr s, unsigned long n, int kind) {
    mp_limb_t start[FIBONACCI_START_LIMBS];
    if (n < 2)
        return false;
    struct job job = fibonacci_job(n, kind, start);
    const size_t limbs = job_fibonacci_limbs(&job);
    mpz_t x, y; /* separate results, since r and s may be the same number */
    job.r[0] = job_limbs(room(x, limbs), limbs);
    if (s)
        job.r[1] = job_limbs(room(y, limbs), limbs);
    bool done = recipe_run(w, &job);
    if (done)
        keep(r, x, limbs);
    mpz_clear(x);
    if (done && s)
        keep(s, y, limbs);
    if (s)
        mpz_clear(y);
    return done;
}
