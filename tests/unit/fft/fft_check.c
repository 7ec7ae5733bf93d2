/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Compares transforms on the device with transforms on the host in long double; errors must be
 * within the documented bound. */
#include "tests/support/testing.h"

#include "tests/unit/fft/fft_check.h"

#include <math.h>
#include <string.h>

static const char *const names[2][2] = {{"complex float", "real float"},
                                        {"complex double", "real double"}};

static const long double reference_roundoff = 0x1p-64L;

long double fft_roundoff(enum fft_precision precision) {
    return precision == FFT_DOUBLE ? 0x1p-53L : 0x1p-24L;
}

/* ---- batches: all their transforms are simple variations of one case */

/* Returns value j of transform number b of a batch, before the transform. If b modulo 3 is 0, this
 * is the case's value; if 1, the case's value times i; if 2, a value of the reversed case. */
static struct wide source(const struct fft_case *c, uint64_t b, uint64_t j) {
    struct wide x = c->x[b % 3 == 2 && j > 0 ? c->n - j : j];
    return b % 3 == 1 ? (struct wide){-x.im, x.re} : x;
}

/* Returns the expected value k of transform number b after the transform. */
static struct wide expected(const struct fft_case *c, uint64_t b, enum fft_direction d,
                            uint64_t k) {
    bool mirrored = (d == FFT_BACKWARD) != (b % 3 == 2);
    struct wide y = c->y[mirrored && k > 0 ? c->n - k : k];
    return b % 3 == 1 ? (struct wide){-y.im, y.re} : y;
}

/* Returns a value of the part of the sequence x whose transform is real: (x[j] + conj(x[n - j])) /
 * 2. */
static struct wide symmetric(struct wide at, struct wide mirrored) {
    return (struct wide){(at.re + mirrored.re) / 2, (at.im - mirrored.im) / 2};
}

static uint64_t mirror(uint64_t k, uint64_t n) {
    return k == 0 ? 0 : n - k;
}

/* ---- filling */

static void fill_one(struct fft_array *from, const struct fft_case *c, const struct fft_job *job,
                     uint64_t b) {
    const uint64_t n = c->n, half = n / 2 + 1;
    if (!job->plan.is_real)
        for (uint64_t j = 0; j < n; j++)
            fft_array_set_wide(from, b * n + j, source(c, b, j));
    else if (job->direction == FFT_FORWARD)
        for (uint64_t j = 0; j < n; j++)
            fft_array_set(from, b * n + j, source(c, b, j).re);
    else
        for (uint64_t j = 0; j < half; j++)
            fft_array_set_wide(from, b * half + j,
                               symmetric(source(c, b, j), source(c, b, mirror(j, n))));
}

/* ---- comparing */

struct sums {
    /* error and y: sums of the squares of all errors and of all results; most: the largest squared
     * error */
    long double error, y, most;
    uint64_t count;
};

static void add_difference(struct sums *sums, struct wide got, struct wide right) {
    long double square = wide_square((struct wide){got.re - right.re, got.im - right.im});
    sums->error += square;
    sums->y += wide_square(right);
    if (!(square <= sums->most))
        sums->most = square;
    sums->count++;
}

static void compare_one(struct sums *sums, const struct fft_array *to, const struct fft_case *c,
                        const struct fft_job *job, uint64_t b) {
    const uint64_t n = c->n, half = n / 2 + 1;
    const enum fft_direction d = job->direction;
    if (!job->plan.is_real)
        for (uint64_t k = 0; k < n; k++)
            add_difference(sums, fft_array_get_wide(to, b * n + k), expected(c, b, d, k));
    else if (d == FFT_FORWARD)
        for (uint64_t k = 0; k < half; k++)
            add_difference(sums, fft_array_get_wide(to, b * half + k),
                           symmetric(expected(c, b, d, k), expected(c, b, d, mirror(k, n))));
    else
        for (uint64_t k = 0; k < n; k++)
            add_difference(sums, (struct wide){fft_array_get(to, b * n + k), 0},
                           (struct wide){expected(c, b, d, k).re, 0});
}

static void keep(struct fft_errors *errors, long double rms, long double most, uint64_t n) {
    if (rms > errors->rms)
        errors->rms = rms, errors->rms_at = n;
    if (most > errors->max)
        errors->max = most, errors->max_at = n;
}

/* Returns the root mean square of the transform's complex values. */
static long double rms_of(const struct fft_case *c) {
    long double squares = 0;
    for (uint64_t k = 0; k < c->n; k++)
        squares += wide_square(c->y[k]);
    return sqrtl(squares / (long double)c->n);
}

/* Compares errors with the bounds FFT_ERROR_RMS and FFT_ERROR_MAX (fft_check.h). The transform on
 * the host also has an error, so the unit of the bounds includes it. */
static void check_sums(const struct sums *sums, const struct fft_case *c, const struct fft_job *job,
                       struct fft_errors *errors) {
    const char *name = names[job->plan.precision][job->plan.is_real];
    const char *way = job->direction == FFT_FORWARD ? "forward" : "backward";
    long double log_2n = log2l(2 * (long double)c->n);
    long double unit =
        log_2n * (fft_roundoff(job->plan.precision) * sqrtl(sums->y / (long double)sums->count) +
                  reference_roundoff * rms_of(c));
    long double rms = sqrtl(sums->error / (long double)sums->count), most = sqrtl(sums->most);
    ck_assert_msg(rms <= FFT_ERROR_RMS * unit, "%s %s, n = %llu: rms error %Lg, unit %Lg", name,
                  way, (unsigned long long)c->n, rms, unit);
    if (!c->is_random)
        return;
    ck_assert_msg(most <= FFT_ERROR_MAX * unit, "%s %s, n = %llu: error %Lg, unit %Lg", name, way,
                  (unsigned long long)c->n, most, unit);
    if (errors && unit > 0)
        keep(errors, rms / unit, most / unit, c->n);
}

/* ---- checks */

static bool check_direction(const struct fft_case *c, const struct fft_job *job,
                            struct fft_errors *errors) {
    struct fft_array from = fft_array_alloc(job->plan.precision, fft_job_from(job));
    struct fft_array to = fft_array_alloc(job->plan.precision, fft_job_to(job));
    struct sums sums = {0, 0, 0, 0};
    for (uint64_t b = 0; b < job->batch; b++)
        fill_one(&from, c, job, b);
    bool ran = fft_job_run(job, &to, &from);
    for (uint64_t b = 0; ran && b < job->batch; b++)
        compare_one(&sums, &to, c, job, b);
    if (ran)
        check_sums(&sums, c, job, errors);
    fft_array_free(&from);
    fft_array_free(&to);
    return ran;
}

bool fft_check_plan(const struct fft_case *c, const struct fft_plan *plan, uint64_t batch,
                    struct fft_errors *errors) {
    struct fft_job job = {.plan = *plan, .direction = FFT_FORWARD, .batch = batch};
    if (!check_direction(c, &job, errors))
        return false;
    job.direction = FFT_BACKWARD;
    return check_direction(c, &job, errors);
}

bool fft_check(const struct fft_case *c, enum fft_precision precision, enum fft_kind kind,
               uint64_t batch, struct fft_errors *errors) {
    struct fft_plan plan;
    ck_assert(fft_plan_init(&plan, precision, kind == FFT_REAL, c->n));
    return fft_check_plan(c, &plan, batch, errors);
}

void fft_check_all(const struct fft_case *c, uint64_t batch, struct fft_errors errors[2][2]) {
    static bool has_said;
    for (int precision = FFT_FLOAT; precision <= FFT_DOUBLE; precision++)
        for (int kind = FFT_COMPLEX; kind <= FFT_REAL; kind++)
            if (!fft_check(c, (enum fft_precision)precision, (enum fft_kind)kind, batch,
                           errors ? &errors[precision][kind] : NULL)) {
                ck_assert_int_eq(precision, FFT_DOUBLE);
                if (!has_said)
                    printf("doubles: the device has none\n");
                has_said = true;
            }
}

void fft_print_errors(const char *what, struct fft_errors errors[2][2]) {
    for (int precision = FFT_FLOAT; precision <= FFT_DOUBLE; precision++)
        for (int kind = FFT_COMPLEX; kind <= FFT_REAL; kind++) {
            const struct fft_errors *e = &errors[precision][kind];
            printf("%s, %s: error over u log2(2 n) rms(y): rms %.3Lf (n = %llu), max %.3Lf (n = "
                   "%llu)\n",
                   what, names[precision][kind], e->rms, (unsigned long long)e->rms_at, e->max,
                   (unsigned long long)e->max_at);
        }
    fflush(stdout);
}
