/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Launches the kernels that check gcds, inverses and quotients of batches. */
#include "kernels/batch/batch.h"
#include "lib/base/ceil_div.h"
#include "lib/device/tables.h"
#include "lib/device/verdict.h"
#include "lib/modular/euclid_plan.h"

/* How the work of a check is divided: `items` work-items for each number, and `each` numbers in
 * each work-group. */
struct share {
    uint32_t items, each;
};

static struct share share_of(uint32_t words) {
    uint32_t spans = (uint32_t)ceil_div(words, BATCH_CHECK_SPAN);
    uint32_t items = spans < BATCH_THREADS ? spans : BATCH_THREADS;
    return (struct share){items, BATCH_THREADS / items};
}

static struct launch_groups groups_of(const struct euclid_piece *p, struct share share) {
    return launch_row(ceil_div(p->count, share.each));
}

static enum gpu_status check_gcd(struct context *s, const struct euclid_piece *p) {
    const struct euclid_operation *op = p->op;
    const struct share share = share_of(op->words);
    const struct launch_groups groups = groups_of(p, share);
    return launch_batch_check_gcd(s, groups, verdict_mem(s), verdict_pass(s, groups.x), op->r,
                                  p->record, op->u, op->v, p->first, p->count, op->words,
                                  share.items, share.each, s->slot[SLOT_TABLES].mem,
                                  tables_residue_at());
}

static enum gpu_status check_inverse(struct context *s, const struct euclid_piece *p) {
    const struct euclid_operation *op = p->op;
    const struct share share = share_of(op->words);
    const struct launch_groups groups = groups_of(p, share);
    return launch_batch_check_inverse(
        s, groups, verdict_mem(s), verdict_pass(s, groups.x), p->inverse, op->flags, p->extra,
        p->record, op->u, op->v, euclid_v_step(op), p->inverse_first, p->first, p->count, op->words,
        share.items, share.each, !op->has_even, s->slot[SLOT_TABLES].mem, tables_residue_at());
}

/* Queues the check of quotients. Each work-item processes a part of the divisor (a span of words)
 * and two such parts of the dividend, which may have twice the divisor's length. */
static enum gpu_status check_divide(struct context *s, const struct euclid_piece *p) {
    const struct euclid_operation *op = p->op;
    const uint32_t half = (op->u_words + 1) / 2;
    const struct share share = share_of(op->words > half ? op->words : half);
    const struct launch_groups groups = groups_of(p, share);
    return launch_batch_check_divide(s, groups, verdict_mem(s), verdict_pass(s, groups.x), op->q,
                                     op->r, op->u, op->v, euclid_v_step(op), p->first, p->count,
                                     op->u_words, op->words, share.items, share.each,
                                     s->slot[SLOT_TABLES].mem, tables_residue_at());
}

enum gpu_status euclid_check(struct context *s, const struct euclid_piece *p) {
    switch (p->op->kind) {
    case EUCLID_GCD:
        return check_gcd(s, p);
    case EUCLID_INVERSE:
        return check_inverse(s, p);
    default:
        return check_divide(s, p);
    }
}
