/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Operands and results that stay on the device: the kernels' time alone. */
#include <stdlib.h>

#include "lib/multiply/mulmod.h"
#include "lib/multiply/product.h"
#include "lib/selftest/verified_plan.h"
#include "lib/session/session.h"
#include "lib/transfer/transfer.h"
#include "tools/bench/bench_device.h"

enum { LIMB_WORDS = sizeof(mp_limb_t) / sizeof(uint32_t) };

struct bench_resident {
    enum bench_kind kind;
    int is_square;
    struct number u, v, r;
    struct product product;
    struct mulmod mulmod;
};

/* What is asked of the executor. */
struct request {
    struct bench_resident *resident;
    struct bench_work *work;
    int times;
};

static int ask(enum gpu_status (*step)(struct context *s, void *context), struct bench_resident *r,
               const struct bench_work *w, int times) {
    struct request request = {r, (struct bench_work *)w, times};
    return session_run(step, &request, sizeof request, SIZE_MAX / 2) != OUTCOME_DONE;
}

static enum gpu_status number_open(struct context *s, struct number *x, uint64_t words) {
    *x = (struct number){.words = words};
    return gpu_alloc(&s->dev, number_bytes(words), &x->mem);
}

/* The plan, and the words of the result while it is made. */
static enum gpu_status plan(struct context *s, struct bench_resident *r, const struct bench_work *w,
                            uint64_t *room) {
    uint64_t un = w->un * LIMB_WORDS, vn = w->vn * LIMB_WORDS;
    *room = w->rn * LIMB_WORDS;
    if (r->kind == BENCH_SUM)
        return GPU_OK;
    if (r->kind == BENCH_PRODUCT)
        return verified_plan_product(s, &r->product, un, vn, 0);
    r->mulmod = (struct mulmod){.words = *room, .plus = r->kind == BENCH_PLUS};
    enum gpu_status status = verified_plan_mulmod(s, &r->mulmod, un, vn, 0);
    *room = r->mulmod.room;
    return status;
}

static enum gpu_status open_there(struct context *s, void *context) {
    const struct request *request = context;
    struct bench_resident *r = request->resident;
    const struct bench_work *w = request->work;
    uint64_t room;
    enum gpu_status status = plan(s, r, w, &room);
    status = status ? status : number_open(s, &r->u, w->un * LIMB_WORDS);
    if (r->is_square)
        r->v = r->u;
    else
        status = status ? status : number_open(s, &r->v, w->vn * LIMB_WORDS);
    return status ? status : number_open(s, &r->r, room);
}

static enum gpu_status close_there(struct context *s, void *context) {
    struct bench_resident *r = ((struct request *)context)->resident;
    gpu_mem all[] = {r->r.mem, r->u.mem, r->is_square ? (gpu_mem){0} : r->v.mem};
    for (int i = 0; i < 3; i++)
        if (all[i].h)
            gpu_release(&s->dev, all[i]);
    return GPU_OK;
}

void bench_resident_close(struct bench_resident *r) {
    if (r)
        ask(close_there, r, NULL, 0);
    free(r);
}

struct bench_resident *bench_resident_open(const struct bench_work *w) {
    struct bench_resident *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->kind = w->operation->kind;
    r->is_square = w->operation->is_square;
    if (ask(open_there, r, w, 0) == 0)
        return r;
    bench_resident_close(r);
    return NULL;
}

static enum gpu_status load_there(struct context *s, void *context) {
    const struct request *request = context;
    const struct bench_resident *r = request->resident;
    const struct bench_work *w = request->work;
    enum gpu_status status =
        transfer_up(s->transfer, &s->queue, r->u.mem, 0, w->up, w->un * sizeof *w->up);
    if (status == GPU_OK && !r->is_square)
        status = transfer_up(s->transfer, &s->queue, r->v.mem, 0, w->vp, w->vn * sizeof *w->vp);
    return status ? status : gpu_finish(&s->queue);
}

int bench_resident_load(struct bench_resident *r, const struct bench_work *w) {
    return ask(load_there, r, w, 0);
}

static enum gpu_status fetch_there(struct context *s, void *context) {
    const struct request *request = context;
    struct bench_work *w = request->work;
    return transfer_down(s->transfer, &s->queue, w->rp, request->resident->r.mem, 0,
                         w->rn * sizeof *w->rp);
}

int bench_resident_fetch(struct bench_resident *r, struct bench_work *w) {
    int failed = ask(fetch_there, r, w, 0);
    w->top = r->kind == BENCH_PLUS ? r->mulmod.reduced.top : 0;
    if (r->kind == BENCH_SUM) /* the carry was not asked for: there was one if it is less */
        w->top = mpn_cmp(w->rp, w->up, (mp_size_t)w->rn) < 0;
    return failed;
}

static enum gpu_status operate(struct context *s, struct bench_resident *r) {
    if (r->kind == BENCH_SUM)
        return number_add(s, r->r, r->u, r->v, 0, NULL);
    if (r->kind == BENCH_PRODUCT)
        return product_mul(s, &r->product, r->r, r->u, r->v);
    return mulmod_mul(s, &r->mulmod, r->r, r->u, r->v);
}

static enum gpu_status run_there(struct context *s, void *context) {
    const struct request *request = context;
    enum gpu_status status = GPU_OK;
    for (int i = 0; i < request->times && status == GPU_OK; i++)
        status = operate(s, request->resident);
    return status ? status : gpu_finish(&s->queue);
}

int bench_resident_run(struct bench_resident *r, int times) {
    return ask(run_there, r, NULL, times);
}
