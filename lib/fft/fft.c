/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Floating-point transforms: the passes, put into the context's queue. */
#include "lib/fft/fft.h"

#include "kernels/fft/shape.h"
#include "lib/base/ceil_div.h"
#include "lib/device/launch.h"
#include "lib/fft/fft_passes.h"
#include "lib/fft/fft_tables.h"

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

static enum gpu_status launch_pass(struct context *s, const struct fft_plan *p,
                                   const struct fft_roots *w, unsigned i, uint64_t batch,
                                   gpu_mem to, gpu_mem from, uint32_t swap) {
    const struct fft_pass k = fft_pass_of(p, i, batch, p->points);
    return (p->precision == FFT_DOUBLE ? launch_fft_double_pass : launch_fft_float_pass)(
        s, k.r, k.groups, to, from, w->mem, w->at, w->log_fine, w->inner[i], k.columns, k.stride,
        k.done, k.scale, swap);
}

/* Results go to `to` and the work buffer in turns, the last to `to`. */
static enum gpu_status passes(struct context *s, const struct fft_plan *p, enum fft_direction d,
                              gpu_mem to, gpu_mem from, uint64_t batch) {
    struct fft_roots roots;
    gpu_mem work = {0};
    enum gpu_status status = fft_tables_get(s, p, p->points, &roots);
    if (status == GPU_OK && p->passes > 1)
        status = context_buffer(s, SLOT_FFT, batch * p->points * fft_complex_bytes(p), &work);
    for (unsigned i = 0; i < p->passes && status == GPU_OK; i++) {
        gpu_mem next = (p->passes - 1 - i) % 2 ? work : to;
        uint32_t swap = d == FFT_FORWARD ? 0 : (i == 0) | (i == p->passes - 1) << 1;
        status = launch_pass(s, p, &roots, i, batch, next, from, swap);
        from = next;
    }
    return status;
}

enum gpu_status fft_complex(struct context *s, const struct fft_plan *p, enum fft_direction d,
                            gpu_mem to, gpu_mem from, uint64_t batch) {
    return passes(s, p, d, to, from, batch);
}
