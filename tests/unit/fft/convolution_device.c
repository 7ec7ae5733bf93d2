/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products of polynomials whose coefficients are balanced digits (positive and negative digits of
 * numbers), computed on the device. */
#include "tests/support/testing.h"

#include <string.h>

#include "lib/fft/convolution.h"
#include "lib/session/session.h"
#include "lib/transfer/transfer.h"
#include "tests/unit/fft/convolution_case.h"

/* BEHIND: guard bytes after the result, filled with PATTERN; FIRST_WORD: the word of a buffer at
 * which operands begin */
enum { BEHIND = 256, PATTERN = 0xa5, FIRST_WORD = 8 };

/* The arguments that are passed to the session's thread. */
struct request {
    struct fft_plan plan;
    bool plus, absent;
    const struct convolution_operand *u, *v;
    unsigned char *coefficients; /* and BEHIND bytes */
    size_t bytes;
};

static enum gpu_status upload(struct context *s, struct number *x,
                              const struct convolution_operand *from) {
    *x = (struct number){.at = FIRST_WORD, .words = from->count};
    enum gpu_status status = gpu_alloc(&s->dev, number_bytes(x->at + x->words), &x->mem);
    return status ? status
                  : transfer_up(s->transfer, &s->queue, x->mem, 4 * x->at, from->words,
                                4 * from->count);
}

static enum gpu_status multiply(struct context *s, struct request *r, gpu_mem c, struct number u,
                                struct number v) {
    enum gpu_status status =
        transfer_up(s->transfer, &s->queue, c, 0, r->coefficients, r->bytes + BEHIND);
    status = status ? status : convolution_run(s, &r->plan, r->plus, r->u->bits, 0, c, u, v);
    r->absent = status == GPU_ABSENT;
    if (r->absent)
        return gpu_finish(&s->queue);
    return status ? status
                  : transfer_down(s->transfer, &s->queue, r->coefficients, c, 0, r->bytes + BEHIND);
}

static enum gpu_status run_there(struct context *s, void *context) {
    struct request *r = context;
    struct number u = {.words = 0}, v = {.words = 0};
    gpu_mem c = {0};
    enum gpu_status status = gpu_alloc(&s->dev, r->bytes + BEHIND, &c);
    status = status ? status : upload(s, &u, r->u);
    if (status == GPU_OK && r->v != r->u)
        status = upload(s, &v, r->v);
    status = status ? status : multiply(s, r, c, u, r->v == r->u ? u : v);
    if (c.h)
        gpu_release(&s->dev, c);
    if (u.mem.h)
        gpu_release(&s->dev, u.mem);
    if (v.mem.h)
        gpu_release(&s->dev, v.mem);
    return status;
}

bool convolution_by_plan(double *c, const struct fft_plan *plan, bool plus,
                         const struct convolution_operand *u, const struct convolution_operand *v) {
    const uint64_t length = 2 * plan->points;
    struct request r = {.plan = *plan, .plus = plus, .u = u, .v = v, .bytes = length * sizeof *c};
    r.coefficients = malloc(r.bytes + BEHIND);
    ck_assert_ptr_nonnull(r.coefficients);
    memset(r.coefficients, PATTERN, r.bytes + BEHIND);
    ck_assert_msg(session_run(run_there, &r, sizeof r, SIZE_MAX / 2) == OUTCOME_DONE,
                  "%llu coefficients: %s", (unsigned long long)length, gpu_error_text());
    for (size_t i = r.bytes; i < r.bytes + BEHIND; i++)
        ck_assert_msg(r.coefficients[i] == PATTERN, "a byte behind the coefficients changed");
    memcpy(c, r.coefficients, r.bytes);
    free(r.coefficients);
    return !r.absent;
}

bool convolution_on_device(double *c, uint64_t length, bool plus,
                           const struct convolution_operand *u,
                           const struct convolution_operand *v) {
    struct fft_plan plan;
    ck_assert_msg(convolution_plan(&plan, length), "no plan for %llu coefficients",
                  (unsigned long long)length);
    return convolution_by_plan(c, &plan, plus, u, v);
}
