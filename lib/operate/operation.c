/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Operations on limbs in host memory: upload, operate, download. */
#include "lib/operate/operation.h"

#include <string.h>

#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/base/stats.h"
#include "lib/device/room.h"
#include "lib/device/uploads.h"
#include "lib/memory/touch.h"
#include "lib/multiply/direct.h"
#include "lib/multiply/fft_product.h"
#include "lib/operate/operate.h"
#include "lib/process/hold.h"
#include "lib/selftest/selftest.h"
#include "lib/selftest/verified_plan.h"
#include "lib/session/session.h"
#include "lib/transfer/transfer.h"
/* Operands in all of an operation whose kernels are launched as one series. */
#define SERIES_BYTES ((size_t)1 << 20)

/* Seconds since *clock, which is set to now; the device's work so far counts. */
static double lap(const struct context *s, double *clock) {
    if (!stats_on)
        return 0;
    gpu_finish(&s->queue);
    double now = stats_clock(), seconds = now - *clock;
    *clock = now;
    return seconds;
}

/* {xp, xn} into a slot, when it is asked for. */
static enum gpu_status expect(struct context *s, enum context_slot slot, const mp_limb_t *xp,
                              size_t xn, struct number *x) {
    enum gpu_status status = number_in_slot(s, slot, xn * LIMB_WORDS, x);
    if (status == GPU_OK)
        status = uploads_add(s, *x, xp);
    return status;
}

/* The plan, and the words that the result takes while it is made. */
static enum gpu_status plan(struct context *s, struct operation *op, uint64_t *room) {
    uint64_t un = op->un * LIMB_WORDS, vn = op->vn * LIMB_WORDS;
    enum gpu_status status = GPU_OK;
    *room = op->rn * LIMB_WORDS;
    if (op->kind == PRODUCT) {
        *room = un + vn;
        status = verified_plan_product(s, &op->product, un, vn, op->without);
        if (status == GPU_OK && op->may_be_cut && product_is_strained(&op->product, un + vn))
            status = GPU_NOMEM;
    } else if (op->kind == MULMOD) {
        status = verified_plan_mulmod(s, &op->mulmod, un, vn, op->without);
        *room = op->mulmod.room;
    } else if (op->kind == BY_LIMB) {
        status = selftest_limb(s);
    }
    return status;
}

static bool is_by_fft(const struct operation *op) {
    return (op->kind == PRODUCT && op->product.algorithm == BY_FFT) ||
           (op->kind == MULMOD && mulmod_is_by_fft(&op->mulmod));
}

/* By fft it always is. */
static bool is_checked(const struct operation *op) {
    return mpgpu_conf.verify == VERIFY_DEVICE || is_by_fft(op);
}

/* Plan, operands (the second not twice if it is the first) and room for the result and its
 * check. */
static enum gpu_status prepare(struct context *s, struct operation *op) {
    uint64_t room;
    enum gpu_status status = plan(s, op, &room);
    if (status == GPU_OK)
        status = expect(s, SLOT_U, op->up, op->un, &op->u);
    if (status == GPU_OK && op->up == op->vp && op->un == op->vn)
        op->v = op->u;
    else if (status == GPU_OK && op->vn > 0)
        status = expect(s, SLOT_V, op->vp, op->vn, &op->v);
    if (status == GPU_OK && op->old > 0)
        status = number_in_slot(s, SLOT_ADDEND, op->old * LIMB_WORDS, &op->addend);
    if (status == GPU_OK)
        status = number_in_slot(s, SLOT_R, room, &op->r);
    return status == GPU_OK && is_checked(op) ? check_prepare(s) : status;
}

/* Do the kernels ask for operands themselves?  Transforms do. */
static bool asks(const struct operation *op) {
    return op->kind == PRODUCT ? op->product.algorithm != BY_SMALL
                               : op->kind == MULMOD && op->mulmod.way != MULMOD_IN_FULL;
}

/* r = u v, and what the result held before. */
static enum gpu_status multiply(struct context *s, struct operation *op) {
    enum gpu_status status = product_mul(s, &op->product, op->r, op->u, op->v);
    if (status != GPU_OK || op->old == 0)
        return status;
    status =
        transfer_up(s->transfer, &s->queue, op->addend.mem, 0, op->rp, op->old * sizeof *op->rp);
    return status == GPU_OK ? number_add(s, op->r, op->r, op->addend, 0, &op->carry) : status;
}

/* Is each of its operands to be there before kernels begin?  Between short copies and kernels the
 * queue loses time at each change. */
static bool comes_first(const struct context *s, const struct operation *op) {
    return !asks(op) || transfer_is_short(s->transfer, op->un * sizeof *op->up);
}

static enum gpu_status compute(struct context *s, struct operation *op) {
    enum gpu_status status = comes_first(s, op) ? uploads_wait(s, op->u) : GPU_OK;
    if (status == GPU_OK && comes_first(s, op) && op->vn > 0)
        status = uploads_wait(s, op->v);
    if (status != GPU_OK)
        return status;
    if (op->kind == PRODUCT)
        return multiply(s, op);
    if (op->kind == BY_LIMB)
        return number_mul_1(s, op->r, op->u, op->limb, op->v, op->subtract);
    if (op->kind != MULMOD)
        return number_add(s, op->r, op->u, op->v, op->kind == DIFFERENCE, &op->carry);
    status = mulmod_begin(s, &op->mulmod, op->r, op->u, op->v);
    op->r = number_part(op->r, 0, op->mulmod.words);
    return status;
}

static enum gpu_status begin_check(struct context *s, struct operation *op) {
    if (op->kind == BY_LIMB)
        return check_start_limb(&op->check, s, op->r, op->u, op->v);
    if (op->kind == MULMOD)
        return check_start_mulmod(&op->check, s, op->r, op->u, op->v, &op->mulmod.reduced);
    return op->old > 0 ? check_start_added(&op->check, s, op->r, op->u, op->v, op->addend)
                       : check_start(&op->check, s, op->r, op->u, op->v);
}

/* What the host is to hear of. */
static enum gpu_status ask(struct context *s, struct operation *op) {
    if (is_checked(op))
        return begin_check(s, op);
    return op->kind == MULMOD ? mulmod_ask(s, &op->mulmod) : GPU_OK;
}

static enum gpu_status end_check(struct operation *op) {
    if (op->kind == PRODUCT)
        return op->old > 0 ? check_added(&op->check, op->r.words, op->carry)
                           : check_product(&op->check);
    if (op->kind == MULMOD)
        return check_mulmod(&op->check, &op->mulmod.reduced);
    if (op->kind == BY_LIMB)
        return check_limb(&op->check, op->r.words, op->limb, op->subtract, op->is_negative);
    return check_sum(&op->check, op->r.words, op->kind == DIFFERENCE, op->carry);
}

/* What the check says, where the host has time for it while the result is on its way. */
static enum gpu_status gather_check(struct context *s, struct operation *op) {
    if (!is_checked(op) || !transfer_comes_directly(s->transfer))
        return GPU_OK;
    enum gpu_status status = gpu_finish(&s->queue);
    if (status == GPU_OK)
        check_gather(&op->check);
    return status;
}

static enum gpu_status begin_down(struct context *s, const struct operation *op) {
    return transfer_begin_down(s->transfer, &s->queue, op->rp, op->r.mem,
                               op->r.at * sizeof(uint32_t), op->rn * sizeof *op->rp);
}

/* The check works while the result is on its way, or before where that is short. */
static enum gpu_status download(struct context *s, struct operation *op) {
    bool is_short = transfer_is_short(s->transfer, op->rn * sizeof *op->rp);
    enum gpu_status status = is_short ? ask(s, op) : begin_down(s, op);
    if (status == GPU_OK)
        status = is_short ? begin_down(s, op) : ask(s, op);
    if (status == GPU_OK && !is_short)
        status = gather_check(s, op);
    return status == GPU_OK ? transfer_end_down(s->transfer, &s->queue) : status;
}

/* A product that is not to be trusted fails, which says nothing of the device. */
static enum gpu_status doubt(struct operation *op) {
    op->is_doubted = is_by_fft(op);
    return GPU_FAILED;
}

static enum gpu_status download_product(struct context *s, struct operation *op) {
    enum gpu_status status = download(s, op);
    return status == GPU_OK && is_by_fft(op) && fft_product_is_doubted(s) ? doubt(op) : status;
}

/* The result, and again where it was not done. */
static enum gpu_status download_mulmod(struct context *s, struct operation *op) {
    int changed = 0;
    enum gpu_status status = download_product(s, op);
    if (status == GPU_OK)
        status = mulmod_end(s, &op->mulmod, op->r, &changed);
    op->carry = op->mulmod.reduced.top;
    return status == GPU_OK && changed ? download(s, op) : status;
}

static bool is_zero(const mp_limb_t *xp, size_t n) {
    while (n > 0 && xp[n - 1] == 0)
        n--;
    return n == 0;
}

/* By fft 0 modulo B^n - 1 comes as that (lib/multiply/mulmod.h); of an operand 0 it is to be 0. */
static void settle_zero(struct operation *op) {
    if (op->kind == MULMOD && op->mulmod.way == MULMOD_BY_FFT && !op->mulmod.plus &&
        op->rp[0] == ~(mp_limb_t)0 && (is_zero(op->up, op->un) || is_zero(op->vp, op->vn)))
        memset(op->rp, 0, op->rn * sizeof *op->rp);
}

/* What the host reads and corrects in the caller's memory. */
static enum gpu_status look(struct context *s, struct operation *op) {
    if (!hold_enter_result(s->hold))
        return hold_refusal(s->hold);
    op->is_negative = op->rp[op->rn - 1] >> 63 != 0;
    settle_zero(op);
    hold_leave(s->hold);
    return GPU_OK;
}

/* Where it fails, the result may hold anything: what was to be added is lost, so that not even
 * with more memory there is another attempt. */
static enum gpu_status deliver(struct context *s, struct operation *op) {
    enum gpu_status status = op->kind == MULMOD ? download_mulmod(s, op) : download_product(s, op);
    if (status == GPU_OK)
        status = look(s, op);
    if (status == GPU_OK && is_checked(op) && end_check(op) != GPU_OK)
        status = doubt(op);
    return status == GPU_NOMEM && op->old > 0 ? GPU_FAILED : status;
}

static enum stats_way way_of_mulmod(const struct mulmod *m) {
    return m->way == MULMOD_IN_FULL  ? product_way(&m->product)
           : m->way == MULMOD_BY_SSA ? STATS_SSA
           : m->way == MULMOD_BY_FFT ? STATS_FFT
                                     : STATS_NTT;
}

/* What has been done, for the statistics. */
static void count(const struct operation *op) {
    enum stats_way way = op->kind == PRODUCT   ? product_way(&op->product)
                         : op->kind == MULMOD  ? way_of_mulmod(&op->mulmod)
                         : op->kind == BY_LIMB ? STATS_LIMB
                                               : STATS_SUM;
    stats_here()->ways[way]++;
}

/* Of larger ones the kernels take longer than their launches. */
static bool is_series(const struct operation *op) {
    return (op->un + op->vn) * sizeof(mp_limb_t) <= SERIES_BYTES;
}

static enum gpu_status series(struct context *s, bool begins) {
    answers_in_series(s, begins);
    return gpu_series(&s->queue, begins);
}

static enum gpu_status attempt_once(struct context *s, struct operation *op) {
    double clock = stats_clock(), uploads = stats_here()->upload;
    enum gpu_status status = prepare(s, op);
    if (status == GPU_OK && is_series(op))
        status = series(s, true);
    if (status == GPU_OK)
        status = compute(s, op);
    uploads -= stats_here()->upload;
    stats_here()->kernels += lap(s, &clock) + uploads;
    if (status == GPU_OK)
        status = deliver(s, op);
    stats_here()->download += lap(s, &clock);
    enum gpu_status ended = is_series(op) ? series(s, false) : GPU_OK;
    status = status == GPU_OK ? ended : status;
    if (status == GPU_OK)
        count(op);
    uploads_forget(s);
    return status;
}

/* A product by fft that is doubted: once more, by another. */
static enum gpu_status attempt(struct context *s, void *operation) {
    struct operation *op = operation;
    enum gpu_status status = attempt_once(s, op);
    if (!op->is_doubted)
        return status;
    mpgpu_log(LOG_INFO, "product by fft of %zu by %zu limbs in doubt: another does it", op->un,
              op->vn);
    stats_here()->doubts++;
    op->is_doubted = false;
    op->without |= WITHOUT(ALGORITHM_FFT);
    return attempt_once(s, op);
}

static enum gpu_status persist(struct context *s, void *operation) {
    return room_persist(s, attempt, operation);
}

/* Returns true for a product, with nothing to be added, that some device may compute together with
 * those of other threads.  Longer ones do not ask a device for that. */
static bool may_gather(const struct operation *op) {
    return (op->kind == PRODUCT || op->kind == MULMOD) && op->old == 0 &&
           small_fits(op->un * LIMB_WORDS, op->vn * LIMB_WORDS);
}

/* Computes it so.  Returns false if the device has to compute it alone. */
static bool gather(struct operation *op, enum outcome *outcome) {
    struct direct_product p = {.kind = op->kind == PRODUCT ? DIRECT_LOW
                                       : op->mulmod.plus   ? DIRECT_PLUS
                                                           : DIRECT_MINUS,
                               .rp = op->rp,
                               .rn = op->rn,
                               .up = op->up,
                               .un = op->un,
                               .vp = op->vp,
                               .vn = op->vn};
    bool serves = session_run_products(&p, 1, outcome);
    op->carry = p.top;
    return serves;
}

_Static_assert(sizeof(struct operation) <= SESSION_ARGUMENT, "see session_run");
enum outcome operation_run(struct operation *op) {
    const struct touch touches[] = {{op->up, op->un * sizeof *op->up, 0},
                                    {op->vp, op->vn * sizeof *op->vp, 0},
                                    {op->rp, op->rn * sizeof *op->rp, 1}};
    size_t limbs = op->un + op->vn + op->rn;
    op->without = op->old > 0 ? WITHOUT(ALGORITHM_FFT) : 0; /* it could not be made again */
    enum outcome outcome;
    if (!touch_all(touches, sizeof touches / sizeof *touches))
        return OUTCOME_MEMORY;
    if (may_gather(op) && gather(op, &outcome))
        return outcome;
    return session_run(persist, op, sizeof *op, limbs * sizeof(mp_limb_t));
}
