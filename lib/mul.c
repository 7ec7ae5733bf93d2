/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Operations on limbs in host memory: upload, operate, download. */
#include "mul.h"
#include "check.h"
#include "conf.h"
#include "ntt.h"
#include "number.h"
#include "stats.h"
#include "transfer.h"

#define LIMB_WORDS (sizeof(mp_limb_t) / sizeof(uint32_t))

/* Seconds since *clock, which is set to now; the device's work so far counts. */
static double lap(const struct session *s, double *clock) {
    if (!stats_on)
        return 0;
    gpu_finish(&s->queue);
    double now = stats_clock(), seconds = now - *clock;
    *clock = now;
    return seconds;
}

/* An operation: {rp, rn} from {up, un} and {vp, vn}. */
struct operation {
    enum { PRODUCT, SUM, DIFFERENCE } kind;
    mp_limb_t *rp;
    size_t rn;
    const mp_limb_t *up;
    size_t un;
    const mp_limb_t *vp;
    size_t vn;
    uint32_t carry; /* of a sum, or the borrow */
    /* on the device */
    struct number r, u, v;
    struct ntt_plan plan;
    struct check check;
};

/* {xp, xn} into a slot. */
static int upload(struct session *s, enum session_slot slot, const mp_limb_t *xp, size_t xn,
                  struct number *x) {
    int status = number_in_slot(s, slot, xn * LIMB_WORDS, x);
    if (status == GPU_OK)
        status = transfer_up(s->transfer, &s->queue, x->mem, 0, xp, xn * sizeof *xp);
    return status;
}

/* Plan, operands (the second not twice if it is the first) and room for the result. */
static int prepare(struct session *s, struct operation *op) {
    int status = GPU_OK;
    if (op->kind == PRODUCT)
        status = ntt_prepare(s, &op->plan, op->un * LIMB_WORDS, op->vn * LIMB_WORDS);
    if (status == GPU_OK)
        status = upload(s, SLOT_U, op->up, op->un, &op->u);
    if (status == GPU_OK && op->up == op->vp && op->un == op->vn)
        op->v = op->u;
    else if (status == GPU_OK)
        status = upload(s, SLOT_V, op->vp, op->vn, &op->v);
    return status == GPU_OK ? number_in_slot(s, SLOT_R, op->rn * LIMB_WORDS, &op->r) : status;
}

static int is_checked(void) {
    return mpgpu_conf.verify == VERIFY_DEVICE;
}

static int compute(struct session *s, struct operation *op) {
    int status = op->kind == PRODUCT
                     ? ntt_mul(s, &op->plan, op->r, op->u, op->v)
                     : number_add(s, op->r, op->u, op->v, op->kind == DIFFERENCE, &op->carry);
    return status == GPU_OK && is_checked() ? check_start(&op->check, s, op->r, op->u, op->v)
                                            : status;
}

static int deliver(struct session *s, struct operation *op) {
    int status = transfer_down(s->transfer, &s->queue, op->rp, op->r.mem,
                               op->r.at * sizeof(uint32_t), op->rn * sizeof *op->rp);
    if (status != GPU_OK || !is_checked())
        return status;
    return op->kind == PRODUCT
               ? check_product(&op->check)
               : check_sum(&op->check, op->r.words, op->kind == DIFFERENCE, op->carry);
}

static int attempt(struct session *s, struct operation *op) {
    double clock = stats_clock();
    int status = prepare(s, op);
    stats_times.upload += lap(s, &clock);
    if (status == GPU_OK)
        status = compute(s, op);
    stats_times.kernels += lap(s, &clock);
    if (status == GPU_OK)
        status = deliver(s, op);
    stats_times.download += lap(s, &clock);
    return status;
}

/* Where memory does not suffice: once more without the buffers that other operations
 * have left, and then with shorter transforms. */
static enum mpgpu_why operate(struct operation *op) {
    struct session *s;
    enum mpgpu_why why = session_begin(&s);
    if (why != WHY_DONE)
        return why;
    int status = attempt(s, op);
    for (int tight = 0; tight <= 3 && status == GPU_NOMEM; tight += 3) {
        if (gpu_finish(&s->queue) != GPU_OK)
            break;
        session_trim(s);
        s->tight = tight;
        status = attempt(s, op);
    }
    s->tight = 0;
    return session_end(s, status);
}

enum mpgpu_why mpgpu_mul(mp_limb_t *rp, const mp_limb_t *up, size_t un, const mp_limb_t *vp,
                         size_t vn) {
    struct operation op = {
        .kind = PRODUCT, .rp = rp, .rn = un + vn, .up = up, .un = un, .vp = vp, .vn = vn};
    return operate(&op);
}

enum mpgpu_why mpgpu_add(mp_limb_t *rp, const mp_limb_t *up, size_t un, const mp_limb_t *vp,
                         size_t vn, mp_limb_t *cy) {
    struct operation op = {.kind = SUM, .rp = rp, .rn = un, .up = up, .un = un, .vp = vp, .vn = vn};
    enum mpgpu_why why = operate(&op);
    *cy = op.carry;
    return why;
}

enum mpgpu_why mpgpu_sub(mp_limb_t *rp, const mp_limb_t *up, size_t un, const mp_limb_t *vp,
                         size_t vn, mp_limb_t *cy) {
    struct operation op = {
        .kind = DIFFERENCE, .rp = rp, .rn = un, .up = up, .un = un, .vp = vp, .vn = vn};
    enum mpgpu_why why = operate(&op);
    *cy = op.carry;
    return why;
}
