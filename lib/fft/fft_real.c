/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Transforms of real values (kernels/fft/real.h).  An even number n > 2 of values is transformed as
 * n / 2 complex ones. */
#include "kernels/fft/shape.h"
#include "lib/base/ceil_div.h"
#include "lib/fft/fft_passes.h"

/* Returns the work-groups for a kernel with `items` work-items for each of `batch` transforms.
 * Each work-item processes a value, or a pair of values. */
static struct launch_groups groups(uint64_t items, uint64_t batch) {
    return launch_row(ceil_div(items * batch, REAL_THREADS));
}

static enum gpu_status split(struct context *s, const struct fft_plan *p, const struct fft_way *way,
                             gpu_mem to, gpu_mem from) {
    const struct fft_roots *w = &way->roots;
    return (p->precision == FFT_DOUBLE ? launch_fft_double_split : launch_fft_float_split)(
        s, groups(p->points / 2 + 1, way->batch), to, from, w->mem, w->at, w->log_fine,
        (uint32_t)p->points, way->batch);
}

static enum gpu_status merge(struct context *s, const struct fft_plan *p, const struct fft_way *way,
                             gpu_mem to, gpu_mem from) {
    const struct fft_roots *w = &way->roots;
    return (p->precision == FFT_DOUBLE ? launch_fft_double_merge : launch_fft_float_merge)(
        s, groups(p->points / 2 + 1, way->batch), to, from, w->mem, w->at, w->log_fine,
        (uint32_t)p->points, way->batch);
}

static enum gpu_status widen(struct context *s, const struct fft_plan *p, uint64_t batch,
                             gpu_mem to, gpu_mem from, bool conjugates) {
    return (p->precision == FFT_DOUBLE ? launch_fft_double_widen : launch_fft_float_widen)(
        s, groups(p->n, batch), to, from, (uint32_t)p->n, batch, conjugates);
}

static enum gpu_status narrow(struct context *s, const struct fft_plan *p, uint64_t batch,
                              gpu_mem to, gpu_mem from, bool reals) {
    return (p->precision == FFT_DOUBLE ? launch_fft_double_narrow : launch_fft_float_narrow)(
        s, groups(reals ? p->n : p->n / 2 + 1, batch), to, from, (uint32_t)p->n, batch, reals);
}

static enum gpu_status buffer(struct context *s, enum context_slot slot, const struct fft_plan *p,
                              uint64_t batch, gpu_mem *mem) {
    return context_buffer(s, slot, batch * p->points * fft_complex_bytes(p), mem);
}

/* Transforms an odd number of values, or two, as complex ones. */
static enum gpu_status by_complex(struct context *s, const struct fft_plan *p,
                                  const struct fft_way *way, gpu_mem to, gpu_mem from) {
    const bool back = way->direction == FFT_BACKWARD;
    gpu_mem last, other;
    enum gpu_status status = buffer(s, SLOT_FFT, p, way->batch, &last);
    if (status == GPU_OK)
        status = buffer(s, SLOT_WORK, p, way->batch, &other);
    gpu_mem first = p->passes % 2 ? other : last;
    if (status == GPU_OK)
        status = widen(s, p, way->batch, first, from, back);
    if (status == GPU_OK)
        status = fft_passes(s, p, way, last, other, first);
    return status == GPU_OK ? narrow(s, p, way->batch, to, last, back) : status;
}

/* The roots have order p->n, the number of real values, even if only half of that number of complex
 * values is transformed. */
enum gpu_status fft_real_forward(struct context *s, const struct fft_plan *p, gpu_mem to,
                                 gpu_mem from, uint64_t batch) {
    struct fft_way way;
    gpu_mem work;
    enum gpu_status status = fft_way_init(s, p, &way, FFT_FORWARD, batch, p->n);
    if (status != GPU_OK || p->points == p->n)
        return status == GPU_OK ? by_complex(s, p, &way, to, from) : status;
    status = buffer(s, SLOT_FFT, p, batch, &work);
    if (status == GPU_OK)
        status = fft_passes(s, p, &way, work, to, from);
    return status == GPU_OK ? split(s, p, &way, to, work) : status;
}

enum gpu_status fft_real_backward(struct context *s, const struct fft_plan *p, gpu_mem to,
                                  gpu_mem from, uint64_t batch) {
    struct fft_way way;
    gpu_mem work;
    enum gpu_status status = fft_way_init(s, p, &way, FFT_BACKWARD, batch, p->n);
    if (status != GPU_OK || p->points == p->n)
        return status == GPU_OK ? by_complex(s, p, &way, to, from) : status;
    status = buffer(s, SLOT_FFT, p, batch, &work);
    gpu_mem first = p->passes % 2 ? work : to;
    if (status == GPU_OK)
        status = merge(s, p, &way, first, from);
    return status == GPU_OK ? fft_passes(s, p, &way, to, work, first) : status;
}
