/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes one device's shard of a product. Contexts of other devices may read this product until
 * product_shard_forget is called. So it has its own buffer, which is neither freed nor reallocated
 * before that call. The same holds for uploaded parts of an operand that other devices copy. */
#include "lib/operate/shards/product_shard.h"

#include "lib/base/conf.h"
#include "lib/base/stats.h"
#include "lib/device/retry.h"
#include "lib/device/uploads.h"
#include "lib/multiply/check.h"
#include "lib/multiply/product.h"
#include "lib/selftest/verified_plan.h"
#include "lib/transfer/transfer.h"

enum { LIMB_WORDS = 2 };

struct work {
    struct shard_product *shard;
    struct product plan;
    struct number r, u, v;
    struct check check_u, check_v;
};

/* Indices of checks. */
enum { PLACE_U, PLACE_V };

static bool is_checked(void) {
    return mpgpu_conf.verify == VERIFY_DEVICE;
}

/* ---- the product */

static enum gpu_status expect(struct context *s, enum context_slot slot, const mp_limb_t *xp,
                              size_t xn, struct number *x) {
    enum gpu_status status = number_in_slot(s, slot, xn * LIMB_WORDS, x);
    return status == GPU_OK ? uploads_add(s, *x, xp) : status;
}

enum gpu_status product_shard_fetch(struct context *s, struct number x,
                                    const struct shard_part *part) {
    size_t bytes = (size_t)part->words * sizeof(uint32_t),
           at = (size_t)(x.at + part->at) * sizeof(uint32_t),
           from = (size_t)part->from * sizeof(uint32_t);
    return part->host ? transfer_up(s->transfer, &s->queue, x.mem, at, part->host, bytes)
                      : gpu_peer_copy(&s->queue, x.mem, at, part->device, part->mem, from, bytes);
}

static enum gpu_status fetch_broadcast(struct context *s, const struct shard_product *p,
                                       struct number *v) {
    enum gpu_status status = number_in_slot(s, SLOT_V, p->vn * LIMB_WORDS, v);
    for (unsigned i = 0; i < p->broadcasts && status == GPU_OK; i++)
        status = product_shard_fetch(s, *v, &p->broadcast[i]);
    return status;
}

static enum gpu_status expect_both(struct context *s, struct work *w) {
    const struct shard_product *p = w->shard;
    enum gpu_status status = GPU_OK;
    if (!p->is_inside)
        status = expect(s, SLOT_U, p->up, p->un, &w->u);
    if (status == GPU_OK)
        status = p->broadcasts > 0 ? fetch_broadcast(s, p, &w->v)
                                   : expect(s, SLOT_V, p->vp, p->vn, &w->v);
    if (p->is_inside)
        w->u = number_part(w->v, (uint64_t)(p->up - p->vp) * LIMB_WORDS, p->un * LIMB_WORDS);
    return status;
}

/* Chooses the algorithm of the shard's product. Excludes the floating-point FFT, because another
 * algorithm must compute its doubtful results again (fft_product_is_doubted). */
static enum gpu_status plan(struct context *s, struct work *w) {
    uint64_t un = w->shard->un * LIMB_WORDS, vn = w->shard->vn * LIMB_WORDS;
    enum gpu_status status = verified_plan_product(s, &w->plan, un > vn ? un : vn,
                                                   un > vn ? vn : un, WITHOUT(ALGORITHM_FFT));
    if (status == GPU_OK && product_is_strained(&w->plan, un + vn))
        status = GPU_NOMEM;
    return status;
}

static enum gpu_status prepare(struct context *s, struct work *w) {
    uint64_t words = (w->shard->un + w->shard->vn) * LIMB_WORDS;
    enum gpu_status status = plan(s, w);
    if (status == GPU_OK)
        status = expect_both(s, w);
    if (status == GPU_OK)
        status = number_in_slot(s, SLOT_SHARD, words, &w->r);
    return status == GPU_OK && is_checked() ? check_prepare(s) : status;
}

/* Queues the product. The functions for transforms upload their operands piece by piece. For other
 * algorithms the operands must be on the device first. */
static enum gpu_status multiply(struct context *s, struct work *w) {
    bool asks = w->plan.algorithm != BY_SMALL, swaps = w->u.words < w->v.words;
    enum gpu_status status = asks ? GPU_OK : uploads_wait(s, w->u);
    if (status == GPU_OK && !asks)
        status = uploads_wait(s, w->v);
    return status == GPU_OK
               ? product_mul(s, &w->plan, w->r, swaps ? w->v : w->u, swaps ? w->u : w->v)
               : status;
}

/* Queues the computation of the residue of the factor v, for the check. Call it with is_here = true
 * before the product: it then acts if v was copied from other devices. Call it with false after the
 * product: it then acts if v was uploaded during the product. */
static enum gpu_status ask_for_v(struct context *s, struct work *w, bool is_here) {
    return is_checked() && is_here == (w->shard->broadcasts > 0)
               ? check_start_one(&w->check_v, s, w->v, PLACE_V)
               : GPU_OK;
}

static enum gpu_status compute(struct context *s, struct work *w) {
    enum gpu_status status = ask_for_v(s, w, true);
    return status == GPU_OK ? multiply(s, w) : status;
}

/* Downloads the limbs that another device needs, if there are any, and waits. During the download
 * the device computes the factors' residues. */
static enum gpu_status finish(struct context *s, struct work *w) {
    struct shard_product *p = w->shard;
    size_t at = (w->r.at + p->give_at * LIMB_WORDS) * sizeof(uint32_t);
    enum gpu_status status = GPU_OK;
    if (p->give_limbs > 0)
        status = transfer_begin_down(s->transfer, &s->queue, p->give, w->r.mem, at,
                                     p->give_limbs * sizeof(mp_limb_t));
    if (status == GPU_OK)
        status = ask_for_v(s, w, false);
    if (status == GPU_OK && is_checked())
        status = check_start_one(&w->check_u, s, w->u, PLACE_U);
    if (status == GPU_OK)
        status =
            p->give_limbs > 0 ? transfer_end_down(s->transfer, &s->queue) : gpu_finish(&s->queue);
    if (status == GPU_OK && is_checked()) {
        p->residue_of_u = check_residue(&w->check_u, 0);
        p->residue_of_v = check_residue(&w->check_v, 0);
    }
    return status;
}

static enum gpu_status attempt(struct context *s, void *shard_product) {
    struct shard_product *p = shard_product;
    struct work w = {.shard = p};
    double begin = stats_clock() - stats_here()->upload;
    enum gpu_status status = prepare(s, &w);
    if (status == GPU_OK)
        status = compute(s, &w);
    if (status == GPU_OK)
        status = finish(s, &w);
    uploads_forget(s);
    stats_here()->kernels += stats_clock() - stats_here()->upload - begin;
    p->product = w.r;
    p->way = product_way(&w.plan);
    return status;
}

enum gpu_status product_shard_multiply(struct context *s, void *shard_product) {
    struct shard_product *p = shard_product;
    enum gpu_status status = retry_with_less(s, attempt, p);
    p->keeper = s;
    p->device = s->dev.impl;
    /* A failure does not change keeps_shard, because other devices may still copy parts of an
     * operand that this context uploaded earlier. */
    if (status == GPU_OK)
        atomic_store(&s->keeps_shard, true);
    return status;
}

enum gpu_status product_shard_broadcast(struct context *s, void *shard_broadcast) {
    struct shard_broadcast *l = shard_broadcast;
    enum gpu_status status =
        number_in_slot(s, SLOT_BROADCAST, l->limbs * LIMB_WORDS, &l->broadcast);
    if (status == GPU_OK)
        status = transfer_up(s->transfer, &s->queue, l->broadcast.mem, 0, l->vp,
                             l->limbs * sizeof(mp_limb_t));
    if (status == GPU_OK)
        status = gpu_finish(&s->queue);
    l->keeper = s;
    l->device = s->dev.impl;
    if (status == GPU_OK)
        atomic_store(&s->keeps_shard, true);
    return status;
}

void product_shard_forget(struct context *keeper) {
    if (keeper)
        atomic_store(&keeper->keeps_shard, false);
}
