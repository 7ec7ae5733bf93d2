/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The columns device and link. `device` measures kernels alone: operands and results stay on the
 * device. `link` measures transfers alone: it copies an operation's bytes from and to page-locked
 * memory. */
#include <stdlib.h>
#include <string.h>

#include "lib/multiply/mulmod.h"
#include "lib/multiply/product.h"
#include "lib/selftest/verified_plan.h"
#include "lib/session/session.h"
#include "lib/transfer/transfer.h"
#include "tools/bench/bench.h"

enum { LIMB_WORDS = sizeof(mp_limb_t) / sizeof(uint32_t) };

/* Transfers use one block of page-locked memory, of at most this many bytes, repeatedly. */
enum { MOST_BYTES = 128 << 20 };

struct bench_resident {
    enum bench_kind kind;
    bool is_square;
    struct number u, v, r;
    struct product product;
    struct mulmod mulmod;
};

struct bench_link {
    size_t up, down; /* bytes each way */
    size_t block;
    void *host;
    gpu_mem device;
};

/* Arguments of a function that runs in the session's device thread. */
struct request {
    struct bench_resident *resident;
    struct bench_link *link;
    struct bench_work *work;
    int times;
};

static int ask(enum gpu_status (*step)(struct context *s, void *context), struct request request) {
    return session_run(step, &request, sizeof request, SIZE_MAX / 2) != OUTCOME_DONE;
}

/* ---- operands on the device */

static enum gpu_status number_open(struct context *s, struct number *x, uint64_t words) {
    *x = (struct number){.words = words};
    return gpu_alloc(&s->dev, number_bytes(words), &x->mem);
}

/* Plans the operation.  Sets *room to the words that the result needs during the computation. */
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

static enum gpu_status resident_open(struct context *s, void *context) {
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

static enum gpu_status resident_close(struct context *s, void *context) {
    struct bench_resident *r = ((struct request *)context)->resident;
    gpu_mem all[] = {r->r.mem, r->u.mem, r->is_square ? (gpu_mem){0} : r->v.mem};
    for (int i = 0; i < 3; i++)
        if (all[i].h)
            gpu_release(&s->dev, all[i]);
    return GPU_OK;
}

void bench_resident_close(struct bench_resident *r) {
    if (r)
        ask(resident_close, (struct request){.resident = r});
    free(r);
}

struct bench_resident *bench_resident_open(const struct bench_work *w) {
    struct bench_resident *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->kind = w->operation->kind;
    r->is_square = w->operation->is_square;
    if (ask(resident_open, (struct request){.resident = r, .work = (struct bench_work *)w}) == 0)
        return r;
    bench_resident_close(r);
    return NULL;
}

static enum gpu_status resident_load(struct context *s, void *context) {
    const struct request *request = context;
    const struct bench_resident *r = request->resident;
    const struct bench_work *w = request->work;
    enum gpu_status status =
        transfer_up(s->transfer, &s->queue, r->u.mem, 0, w->up, w->un * sizeof *w->up);
    if (status == GPU_OK && !r->is_square)
        status = transfer_up(s->transfer, &s->queue, r->v.mem, 0, w->vp, w->vn * sizeof *w->vp);
    return status ? status : gpu_finish(&s->queue);
}

int bench_resident_load(struct bench_resident *r, struct bench_work *w) {
    return ask(resident_load, (struct request){.resident = r, .work = w});
}

static enum gpu_status resident_fetch(struct context *s, void *context) {
    const struct request *request = context;
    struct bench_work *w = request->work;
    return transfer_down(s->transfer, &s->queue, w->rp, request->resident->r.mem, 0,
                         w->rn * sizeof *w->rp);
}

int bench_resident_fetch(struct bench_resident *r, struct bench_work *w) {
    int failed = ask(resident_fetch, (struct request){.resident = r, .work = w});
    w->top = r->kind == BENCH_PLUS ? r->mulmod.reduced.top : 0;
    if (r->kind == BENCH_SUM) /* the sum has a carry if it is less than an operand */
        w->top = mpn_cmp(w->rp, w->up, (mp_size_t)w->rn) < 0;
    return failed;
}

static enum gpu_status resident_run(struct context *s, struct bench_resident *r) {
    if (r->kind == BENCH_SUM)
        return number_add(s, r->r, r->u, r->v, 0, NULL);
    if (r->kind == BENCH_PRODUCT)
        return product_mul(s, &r->product, r->r, r->u, r->v);
    return mulmod_mul(s, &r->mulmod, r->r, r->u, r->v);
}

/* ---- the link */

static enum gpu_status link_open(struct context *s, void *context) {
    struct bench_link *link = ((struct request *)context)->link;
    enum gpu_status status = s->dev.backend->host_alloc(s->dev.impl, link->block, &link->host);
    if (status != GPU_OK)
        return status;
    memset(link->host, 1, link->block);
    return gpu_alloc(&s->dev, link->block, &link->device);
}

static enum gpu_status link_close(struct context *s, void *context) {
    struct bench_link *link = ((struct request *)context)->link;
    if (link->device.h)
        gpu_release(&s->dev, link->device);
    if (link->host)
        s->dev.backend->host_release(s->dev.impl, link->host);
    return GPU_OK;
}

struct bench_link *bench_link_open(const struct bench_work *w) {
    struct bench_link *link = calloc(1, sizeof *link);
    if (!link)
        return NULL;
    link->up = (w->un + (w->up == w->vp ? 0 : w->vn)) * sizeof(mp_limb_t);
    link->down = w->rn * sizeof(mp_limb_t);
    link->block = link->up > link->down ? link->up : link->down;
    link->block = link->block < MOST_BYTES ? link->block : MOST_BYTES;
    if (ask(link_open, (struct request){.link = link}) == 0)
        return link;
    bench_link_close(link);
    return NULL;
}

void bench_link_close(struct bench_link *link) {
    if (link)
        ask(link_close, (struct request){.link = link});
    free(link);
}

static enum gpu_status link_run(struct context *s, const struct bench_link *link) {
    enum gpu_status status = GPU_OK;
    for (size_t left = link->up, bytes; left > 0 && status == GPU_OK; left -= bytes) {
        bytes = left < link->block ? left : link->block;
        status = gpu_write(&s->queue, link->device, 0, link->host, bytes);
    }
    for (size_t left = link->down, bytes; left > 0 && status == GPU_OK; left -= bytes) {
        bytes = left < link->block ? left : link->block;
        status = gpu_read(&s->queue, link->host, link->device, 0, bytes);
    }
    return status;
}

/* ---- computes or transfers repeatedly in the device thread */

static enum gpu_status run(struct context *s, void *context) {
    const struct request *r = context;
    enum gpu_status status = GPU_OK;
    for (int i = 0; i < r->times && status == GPU_OK; i++)
        status = r->link ? link_run(s, r->link) : resident_run(s, r->resident);
    return status ? status : gpu_finish(&s->queue);
}

int bench_resident_run(struct bench_resident *r, int times) {
    return ask(run, (struct request){.resident = r, .times = times});
}

int bench_link_run(struct bench_link *link, int times) {
    return ask(run, (struct request){.link = link, .times = times});
}
