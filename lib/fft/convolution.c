/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products of polynomials of digits (kernels/fft/convolution.h). There are three buffers: work,
 * kept and coefficients. Each is as large as a transform. A pass reads one buffer and writes
 * another. */
#include "lib/fft/convolution.h"

#include "kernels/fft/shape.h"
#include "lib/fft/fft_passes.h"

bool convolution_plan(struct fft_plan *p, uint64_t length) {
    return length % 2 == 0 && fft_plan_convolution(p, length / 2);
}

uint64_t convolution_bytes(const struct fft_plan *p) {
    return p->points * fft_complex_bytes(p);
}

/* The state of one product.  The plan `back` has the passes in the opposite order: so the last pass
 * forward and the first pass back process the same values. */
struct convolution {
    struct context *s;
    const struct fft_plan *plan;
    struct fft_plan back;
    struct fft_roots roots;
    bool plus;
    unsigned bits;
    uint32_t rest;
    gpu_mem work, kept, coefficients;
};

static struct fft_pass pass_of(const struct fft_plan *p, unsigned i) {
    return fft_pass_of(p, i, 1, 4 * p->points);
}

/* Returns where the roots of pass i of plan p are in the tables. */
static uint32_t inner(const struct convolution *c, const struct fft_plan *p, unsigned i) {
    return c->roots.inner[p == &c->back ? p->passes - 1 - i : i];
}

static enum gpu_status plain_pass(struct convolution *c, const struct fft_plan *p, unsigned i,
                                  gpu_mem to, gpu_mem from, uint32_t swap) {
    const struct fft_pass k = pass_of(p, i);
    const struct fft_roots *w = &c->roots;
    return launch_fft_double_pass(c->s, k.r, k.groups, to, from, w->mem, w->at, w->log_fine,
                                  inner(c, p, i), k.columns, k.stride, k.done, k.scale, swap);
}

static enum gpu_status first_pass(struct convolution *c, gpu_mem to, struct number x) {
    const struct fft_pass k = pass_of(c->plan, 0);
    const struct fft_roots *w = &c->roots;
    return (c->plus ? launch_fft_digits : launch_fft_digits_pairs)(
        c->s, k.r, k.groups, to, x.mem, x.at, x.words, c->bits, c->rest, w->mem, w->at, w->log_fine,
        inner(c, c->plan, 0), k.stride);
}

/* Queues the first `passes` passes on x's digits.  The last pass writes `to`; those before write
 * `other` and `to` alternately. */
static enum gpu_status forward(struct convolution *c, struct number x, unsigned passes, gpu_mem to,
                               gpu_mem other) {
    gpu_mem at = passes % 2 ? to : other;
    enum gpu_status status = first_pass(c, at, x);
    for (unsigned i = 1; i < passes && status == GPU_OK; i++) {
        gpu_mem next = at.h == to.h ? other : to;
        status = plain_pass(c, c->plan, i, next, at, 0);
        at = next;
    }
    return status;
}

/* Queues the last forward pass, the product with the transform `kept` (or the square), and the
 * first backward pass. Modulo x^(2 n) - 1 a work-group computes columns in pairs. The number of
 * columns is even, because all other passes have even lengths. So the number of groups is the same
 * as modulo x^(2 n) + 1. */
static enum gpu_status pointwise(struct convolution *c, gpu_mem to, gpu_mem from, bool square) {
    const unsigned last = c->plan->passes - 1;
    const struct fft_pass k = pass_of(c->plan, last);
    const struct fft_roots *w = &c->roots;
    const uint32_t at = inner(c, c->plan, last);
    if (square)
        return (c->plus ? launch_fft_square : launch_fft_square_pairs)(
            c->s, k.r, k.groups, to, from, w->mem, w->at, w->log_fine, at, k.stride, k.scale);
    return (c->plus ? launch_fft_multiply : launch_fft_multiply_pairs)(
        c->s, k.r, k.groups, to, from, c->kept, w->mem, w->at, w->log_fine, at, k.stride, k.scale);
}

/* Queues the last backward pass, which writes the coefficients. */
static enum gpu_status last_pass(struct convolution *c, gpu_mem from) {
    const unsigned last = c->back.passes - 1;
    if (!c->plus)
        return plain_pass(c, &c->back, last, c->coefficients, from, 2);
    const struct fft_pass k = pass_of(&c->back, last);
    const struct fft_roots *w = &c->roots;
    return launch_fft_coefficients(c->s, k.r, k.groups, c->coefficients, from, w->mem, w->at,
                                   w->log_fine, inner(c, &c->back, last), k.stride, k.scale);
}

/* Queues the transforms of a product: v's whole transform to `kept`, and u's transform without
 * its last pass. `pointwise` computes this last pass, the products, and the first pass of the
 * inverse transform. Buffers are chosen such that the last pass of the inverse transform reads
 * `work`. */
static enum gpu_status product(struct convolution *c, struct number u, struct number v) {
    const unsigned passes = c->plan->passes;
    const bool square = number_same(u, v);
    gpu_mem at = passes % 2 ? c->work : c->coefficients,
            next = passes % 2 ? c->coefficients : c->work;
    enum gpu_status status = GPU_OK;
    if (!square)
        status = forward(c, v, passes, c->kept, c->work);
    if (status == GPU_OK)
        status = forward(c, u, passes - 1, at, next);
    if (status == GPU_OK)
        status = pointwise(c, next, at, square);
    for (unsigned i = 1; i + 1 < passes && status == GPU_OK; i++) {
        gpu_mem from = next;
        next = at, at = from;
        status = plain_pass(c, &c->back, i, next, from, 0);
    }
    return status == GPU_OK ? last_pass(c, next) : status;
}

enum gpu_status convolution_run(struct context *s, const struct fft_plan *p, bool plus,
                                unsigned bits, uint32_t rest, gpu_mem coefficients, struct number u,
                                struct number v) {
    struct convolution c = {.s = s, .plan = p, .back = fft_plan_reversed(p), .plus = plus};
    c.bits = bits;
    c.rest = rest;
    c.coefficients = coefficients;
    enum gpu_status status = fft_tables_get(s, p, 4 * p->points, &c.roots);
    if (status == GPU_OK)
        status = context_buffer(s, SLOT_WORK, convolution_bytes(p), &c.work);
    if (status == GPU_OK)
        status = context_buffer(s, SLOT_KEPT, convolution_bytes(p), &c.kept);
    if (status != GPU_OK)
        return status;
    return product(&c, u, v);
}
