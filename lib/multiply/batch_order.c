/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Launches the kernels that compare and select numbers of batches, and the checks of these
 * kernels. */
#include "lib/multiply/batch_order.h"

#include "lib/base/ceil_div.h"
#include "lib/base/conf.h"
#include "lib/device/kept.h"
#include "lib/device/launch.h"
#include "lib/device/verdict.h"
#include "lib/multiply/batch.h"

/* The most work-items that compare a pair of numbers. Together they read the first KiB at once, in
 * which random numbers already differ. */
enum { MOST_ITEMS = 32 };

struct share {
    uint32_t spans, items, each;
    struct launch_groups groups;
};

static struct share share_of(const struct batch_order *op) {
    struct share share = {.spans = (uint32_t)ceil_div(op->words, BATCH_SPAN)};
    share.items = share.spans < MOST_ITEMS ? share.spans : MOST_ITEMS;
    share.each = BATCH_THREADS / share.items;
    share.groups = launch_row(ceil_div(op->count, share.each));
    return share;
}

enum gpu_status batch_order_compute(struct context *s, const struct batch_order *op) {
    const struct share share = share_of(op);
    if (op->kind == BATCH_COMPARE)
        return launch_batch_compare(s, share.groups, op->r, op->u, op->v, op->count, op->words,
                                    share.spans, share.items, share.each);
    return launch_batch_select(s, share.groups, op->r, op->c, op->u, op->v, op->count, op->words,
                               share.spans, share.items, share.each);
}

static enum gpu_status launch_check(struct context *s, const struct batch_order *op) {
    const struct share share = share_of(op);
    const uint32_t pass = verdict_pass(s, share.groups.x);
    if (op->kind == BATCH_COMPARE)
        return launch_batch_check_compare(s, share.groups, verdict_mem(s), pass, op->r, op->u,
                                          op->v, op->count, op->words, share.spans, share.items,
                                          share.each);
    return launch_batch_check_select(s, share.groups, verdict_mem(s), pass, op->r, op->c, op->u,
                                     op->v, op->count, op->words, share.spans, share.items,
                                     share.each);
}

enum gpu_status batch_order_check(struct context *s, const struct batch_order *op) {
    enum gpu_status status = verdict_begin(s);
    if (status == GPU_OK)
        status = kept_result(s, op->r, 0, op->count * (op->kind == BATCH_COMPARE ? 2 : op->words));
    if (status == GPU_OK)
        status = launch_check(s, op);
    return status == GPU_OK ? verdict_end(s) : status;
}

enum gpu_status batch_order_operate(struct context *s, const struct batch_order *op) {
    enum gpu_status status = batch_order_compute(s, op);
    if (status != GPU_OK)
        return status;
    return mpgpu_conf.verify == VERIFY_DEVICE ? batch_order_check(s, op) : gpu_finish(&s->queue);
}
