/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Runs a transform on the device, on values from the host. */
#include "tests/support/testing.h"

#include "tests/unit/fft/fft_device.h"

#include <string.h>

#include "lib/session/session.h"
#include "lib/transfer/transfer.h"

enum { PATTERN = 0xa5 };

size_t fft_array_behind = 256;

/* ---- arrays */

static size_t value_bytes(enum fft_precision precision) {
    return precision == FFT_DOUBLE ? sizeof(double) : sizeof(float);
}

size_t fft_array_bytes(const struct fft_array *a) {
    return a->count * value_bytes(a->precision);
}

size_t fft_array_all(const struct fft_array *a) {
    return fft_array_bytes(a) + fft_array_behind;
}

struct fft_array fft_array_alloc(enum fft_precision precision, uint64_t count) {
    struct fft_array a = {.precision = precision, .count = count};
    a.bytes = malloc(fft_array_all(&a));
    ck_assert_ptr_nonnull(a.bytes);
    memset(a.bytes, PATTERN, fft_array_all(&a));
    return a;
}

void fft_array_free(struct fft_array *a) {
    free(a->bytes);
    a->bytes = NULL;
}

void fft_array_set(struct fft_array *a, uint64_t i, long double value) {
    if (a->precision == FFT_DOUBLE)
        ((double *)a->bytes)[i] = (double)value;
    else
        ((float *)a->bytes)[i] = (float)value;
}

long double fft_array_get(const struct fft_array *a, uint64_t i) {
    return a->precision == FFT_DOUBLE ? (long double)((const double *)a->bytes)[i]
                                      : (long double)((const float *)a->bytes)[i];
}

static void check_behind(const struct fft_array *a) {
    for (size_t i = fft_array_bytes(a); i < fft_array_all(a); i++)
        ck_assert_msg(a->bytes[i] == PATTERN, "byte %zu behind the array changed",
                      i - fft_array_bytes(a));
}

/* ---- jobs */

static uint64_t complex_side(const struct fft_plan *p) {
    return 2 * (p->is_real ? p->n / 2 + 1 : p->n);
}

uint64_t fft_job_from(const struct fft_job *job) {
    bool is_real = job->plan.is_real && job->direction == FFT_FORWARD;
    return job->batch * (is_real ? job->plan.n : complex_side(&job->plan));
}

uint64_t fft_job_to(const struct fft_job *job) {
    bool is_real = job->plan.is_real && job->direction == FFT_BACKWARD;
    return job->batch * (is_real ? job->plan.n : complex_side(&job->plan));
}

/* The arguments for the session's thread, which runs the transform. */
struct request {
    const struct fft_job *job;
    struct fft_array *to, *from;
    bool absent;
};

static enum gpu_status transform(struct context *s, const struct fft_job *job, gpu_mem to,
                                 gpu_mem from) {
    if (!job->plan.is_real)
        return fft_complex(s, &job->plan, job->direction, to, from, job->batch);
    return job->direction == FFT_FORWARD ? fft_real_forward(s, &job->plan, to, from, job->batch)
                                         : fft_real_backward(s, &job->plan, to, from, job->batch);
}

/* Uploads both arrays, runs the transform and downloads both arrays. */
static enum gpu_status there_and_back(struct context *s, struct request *r, gpu_mem to,
                                      gpu_mem from) {
    size_t to_bytes = fft_array_all(r->to), from_bytes = fft_array_all(r->from);
    enum gpu_status status = transfer_up(s->transfer, &s->queue, to, 0, r->to->bytes, to_bytes);
    status =
        status ? status : transfer_up(s->transfer, &s->queue, from, 0, r->from->bytes, from_bytes);
    status = status ? status : transform(s, r->job, to, from);
    r->absent = status == GPU_ABSENT;
    if (r->absent)
        return gpu_finish(&s->queue);
    status = status ? status : transfer_down(s->transfer, &s->queue, r->to->bytes, to, 0, to_bytes);
    return status ? status
                  : transfer_down(s->transfer, &s->queue, r->from->bytes, from, 0, from_bytes);
}

static enum gpu_status run_there(struct context *s, void *context) {
    struct request *r = context;
    gpu_mem to = {0}, from = {0};
    enum gpu_status status = gpu_alloc(&s->dev, fft_array_all(r->to), &to);
    status = status ? status : gpu_alloc(&s->dev, fft_array_all(r->from), &from);
    status = status ? status : there_and_back(s, r, to, from);
    if (to.h)
        gpu_release(&s->dev, to);
    if (from.h)
        gpu_release(&s->dev, from);
    return status;
}

bool fft_job_run(const struct fft_job *job, struct fft_array *to, const struct fft_array *from) {
    struct fft_array kept = fft_array_alloc(from->precision, from->count);
    memcpy(kept.bytes, from->bytes, fft_array_all(from));
    struct request r = {.job = job, .to = to, .from = &kept};
    ck_assert_uint_eq(to->count, fft_job_to(job));
    ck_assert_uint_eq(from->count, fft_job_from(job));
    ck_assert_msg(session_run(run_there, &r, sizeof r, SIZE_MAX / 2) == OUTCOME_DONE,
                  "%llu values: %s", (unsigned long long)job->plan.n, gpu_error_text());
    check_behind(to);
    ck_assert_msg(memcmp(kept.bytes, from->bytes, fft_array_all(from)) == 0, "`from` changed");
    fft_array_free(&kept);
    return !r.absent;
}
