/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Views of the Mandelbrot set on a device. */
#include <string.h>

#include "lib/base/ceil_div.h"
#include "lib/device/launch.h"
#include "lib/fixed/mandelbrot.h"
#include "lib/selftest/known_answer.h"
#include "lib/transfer/transfer.h"

/* Work-groups for each compute unit: enough for the 2048 work-items that a multiprocessor holds. */
enum { GROUPS_PER_UNIT = 16 };

static uint64_t groups_of(const struct context *s, const struct mandelbrot_view *v) {
    uint64_t tiles = ceil_div(v->width, MANDELBROT_TILE_WIDTH) *
                     (uint64_t)ceil_div(v->rows, MANDELBROT_TILE_HEIGHT);
    uint64_t groups = ceil_div(tiles * MANDELBROT_TILE, MANDELBROT_THREADS);
    uint64_t most = (uint64_t)GROUPS_PER_UNIT * (s->dev.caps.compute_units + 1);
    return groups < most ? groups : most;
}

/* The buffers of a view: the view itself, the counter of pixels, and the results. */
struct buffers {
    gpu_mem view, next, iterations, magnitudes;
    size_t bytes; /* of each result */
};

/* Uploads left, top and step as the kernels read them. */
static enum gpu_status upload(struct context *s, const struct mandelbrot_view *v, gpu_mem to) {
    const size_t bytes = v->words ? v->words * sizeof(uint32_t) : sizeof(double);
    unsigned char view[3 * sizeof v->left];
    memcpy(view, &v->left, bytes);
    memcpy(view + bytes, &v->top, bytes);
    memcpy(view + 2 * bytes, &v->step, bytes);
    return transfer_up(s->transfer, &s->queue, to, 0, view, 3 * bytes);
}

static enum gpu_status open_buffers(struct context *s, const struct mandelbrot_view *v,
                                    struct buffers *b) {
    b->bytes = (size_t)v->width * v->rows * sizeof(uint32_t);
    enum gpu_status status = context_buffer(s, SLOT_U, 3 * sizeof v->left, &b->view);
    if (status == GPU_OK)
        status = context_buffer(s, SLOT_FLAGS, sizeof(uint32_t), &b->next);
    if (status == GPU_OK)
        status = context_buffer(s, SLOT_R, b->bytes, &b->iterations);
    if (status == GPU_OK)
        status = context_buffer(s, SLOT_WORK, b->bytes, &b->magnitudes);
    if (status == GPU_OK)
        status = upload(s, v, b->view);
    if (status == GPU_OK)
        status = gpu_zero(&s->queue, b->next, 0, sizeof(uint32_t));
    return status;
}

static enum gpu_status draw(struct context *s, const struct mandelbrot_view *v,
                            uint32_t *iterations, uint32_t *magnitudes) {
    struct buffers b;
    enum gpu_status status = open_buffers(s, v, &b);
    if (status == GPU_OK)
        status = launch_mandelbrot_pixels(s, v->words, launch_row(groups_of(s, v)), b.iterations,
                                          b.magnitudes, b.view, b.next, v->width, v->first_row,
                                          v->rows, v->most);
    if (status == GPU_OK)
        status = transfer_down(s->transfer, &s->queue, iterations, b.iterations, 0, b.bytes);
    if (status == GPU_OK)
        status = transfer_down(s->transfer, &s->queue, magnitudes, b.magnitudes, 0, b.bytes);
    return status;
}

/* The view of the self-test: the whole set, with orbits that end soon, late and never. */
enum { WIDTH = 24, ROWS = 16, MOST = 300 };

static struct mandelbrot_view whole_set(unsigned words) {
    struct mandelbrot_view v = {.words = words, .width = WIDTH, .rows = ROWS, .most = MOST};
    if (words) { /* top left corner -2.25 + 1.0625 i; a pixel is slightly larger than 1/8 */
        v.left.fixed[words - 1] = (uint32_t)-3;
        v.left.fixed[words - 2] = 0xc0000000;
        v.top.fixed[words - 1] = 1;
        v.top.fixed[words - 2] = 0x10000000;
        v.step.fixed[words - 2] = 0x21234567;
        v.step.fixed[0] = 0x89abcdef;
    } else {
        v.left.real = -2.25;
        v.top.real = 1.0625;
        v.step.real = 0.1294444;
    }
    return v;
}

static void verify(struct known_answer *t) {
    const struct mandelbrot_view v = whole_set(*(const unsigned *)t->plan);
    uint32_t right[2][WIDTH * ROWS], got[2][WIDTH * ROWS] = {{0}};
    mandelbrot_host(&v, right[0], right[1]);
    KNOWN_ANSWER(t, draw(t->s, &v, got[0], got[1]));
    known_answer_expect(t, memcmp(got, right, sizeof got) == 0, "Mandelbrot set", v.words);
}

enum gpu_status mandelbrot_device(struct context *s, const struct mandelbrot_view *v,
                                  uint32_t *iterations, uint32_t *magnitudes) {
    if ((uint64_t)v->width * v->rows == 0)
        return GPU_OK;
    enum gpu_status status =
        known_answer_ensure(s, KNOWN_MANDELBROT + v->words, 0, verify, &v->words);
    return status == GPU_OK ? draw(s, v, iterations, magnitudes) : status;
}
