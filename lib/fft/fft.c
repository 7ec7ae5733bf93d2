/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Floating-point transforms: queues the passes. */
#include "lib/fft/fft.h"

#include "kernels/fft/shape.h"
#include "lib/base/ceil_div.h"
#include "lib/device/launch.h"
#include "lib/fft/fft_passes.h"

/* The most values of all transforms together: kernels count columns in 32 bits. */
#define MOST_VALUES ((uint64_t)1 << 32)

struct fft_pass fft_pass_of(const struct fft_plan *p, unsigned i, uint64_t batch, uint64_t order) {
    struct fft_pass pass = {.r = p->r[i], .done = 1};
    for (unsigned k = 0; k < i; k++)
        pass.done *= p->r[k];
    pass.stride = (uint32_t)(p->points / pass.r);
    pass.columns = (uint32_t)(batch * pass.stride);
    pass.scale = (uint32_t)(order / ((uint64_t)pass.done * pass.r));
    pass.groups =
        launch_row(ceil_div(pass.columns, FFT_COLUMNS(pass.r, p->precision == FFT_DOUBLE)));
    return pass;
}

/* Returns the radices of a pass of length r for kernels/fft/mixed.h, four bits each. */
static uint32_t radices_of(unsigned r) {
    static const unsigned radix[] = {5, 4, 3, 2};
    uint32_t all = 0;
    for (int i = 0; i < 4; i++)
        for (; r % radix[i] == 0; r /= radix[i])
            all = all << 4 | radix[i];
    return all;
}

static enum gpu_status launch_mixed(struct context *s, const struct fft_plan *p,
                                    const struct fft_roots *w, const struct fft_pass *k,
                                    uint32_t inner, gpu_mem to, gpu_mem from, uint32_t swap) {
    const uint32_t columns = MIXED_COLUMNS(k->r, (uint32_t)fft_complex_bytes(p));
    const struct launch_groups groups = launch_row(ceil_div(k->columns, columns));
    return (p->precision == FFT_DOUBLE ? launch_fft_double_mixed : launch_fft_float_mixed)(
        s, groups, to, from, w->mem, w->at, w->log_fine, inner, k->columns, k->stride, k->done,
        k->scale, swap, k->r, radices_of(k->r));
}

static enum gpu_status launch_pass(struct context *s, const struct fft_plan *p,
                                   const struct fft_roots *w, const struct fft_pass *k,
                                   uint32_t inner, gpu_mem to, gpu_mem from, uint32_t swap) {
    if (!fft_pass_is_fast(p->precision, k->r))
        return launch_mixed(s, p, w, k, inner, to, from, swap);
    return (p->precision == FFT_DOUBLE ? launch_fft_double_pass : launch_fft_float_pass)(
        s, k->r, k->groups, to, from, w->mem, w->at, w->log_fine, inner, k->columns, k->stride,
        k->done, k->scale, swap);
}

enum gpu_status fft_passes(struct context *s, const struct fft_plan *p, const struct fft_way *way,
                           gpu_mem to, gpu_mem other, gpu_mem from) {
    enum gpu_status status = GPU_OK;
    for (unsigned i = 0; i < p->passes && status == GPU_OK; i++) {
        const struct fft_pass k = fft_pass_of(p, i, way->batch, way->order);
        gpu_mem next = (p->passes - 1 - i) % 2 ? other : to;
        uint32_t swap = way->direction == FFT_FORWARD ? 0 : (i == 0) | (i == p->passes - 1) << 1;
        status = launch_pass(s, p, &way->roots, &k, way->roots.inner[i], next, from, swap);
        from = next;
    }
    return status;
}

bool fft_is_served(const struct context *s, enum fft_precision precision) {
    const struct gpu_caps *caps = &s->dev.caps;
    return caps->local_bytes >= FFT_LOCAL_BYTES && (precision == FFT_FLOAT || caps->doubles);
}

enum gpu_status fft_way_init(struct context *s, const struct fft_plan *p, struct fft_way *way,
                             enum fft_direction d, uint64_t batch, uint64_t order) {
    *way = (struct fft_way){.direction = d, .batch = batch, .order = order};
    if (batch > MOST_VALUES / p->points)
        return GPU_NOMEM;
    return fft_tables_get(s, p, order, &way->roots);
}

enum gpu_status fft_complex(struct context *s, const struct fft_plan *p, enum fft_direction d,
                            gpu_mem to, gpu_mem from, uint64_t batch) {
    struct fft_way way;
    gpu_mem other = {0};
    enum gpu_status status = fft_way_init(s, p, &way, d, batch, p->points);
    if (status == GPU_OK && p->passes > 1)
        status = context_buffer(s, SLOT_FFT, batch * p->points * fft_complex_bytes(p), &other);
    return status == GPU_OK ? fft_passes(s, p, &way, to, other, from) : status;
}
