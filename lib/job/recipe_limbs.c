/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The recipe (the function that computes a job on the device) of products, sums and products by one
 * limb: uploads, computes, checks, downloads. */
#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/base/stats.h"
#include "lib/device/uploads.h"
#include "lib/job/engine.h"
#include "lib/multiply/check.h"
#include "lib/multiply/fft_product.h"
#include "lib/multiply/mulmod.h"
#include "lib/multiply/product.h"
#include "lib/selftest/selftest.h"
#include "lib/selftest/verified_plan.h"
#include "lib/transfer/caller_memory.h"
#include "lib/transfer/transfer.h"

enum { LIMB_WORDS = 2 };

/* Operations with at most this many bytes of operands pass all their kernel launches to the driver
 * together, as one series, which saves launch time. */
#define SERIES_BYTES ((size_t)1 << 20)

/* Computes {rp, rn} from {up, un} and {vp, vn}. Computes a product in full, even if only its low
 * limbs are downloaded. If `old` is not 0, {rp, old} is then added to the product. */
struct operation {
    enum { PRODUCT, MULMOD, SUM, DIFFERENCE, BY_LIMB } kind;
    mp_limb_t *rp;
    size_t rn;
    const mp_limb_t *up;
    size_t un;
    const mp_limb_t *vp;
    size_t vn, old;
    mp_limb_t limb;
    bool subtract;
    /* the operation fails if memory is short, because the caller then multiplies parts of the
     * operands */
    bool may_be_cut;
    /* carry of a sum, borrow of a difference, or limb rn of a product modulo B^rn + 1 (B = 2^64) */
    uint32_t carry;
    /* the result modulo B^rn (B = 2^64) has its highest bit set, which means that it is negative */
    bool is_negative;
    /* the floating-point FFT's result failed its check; another algorithm must repeat it */
    bool is_doubted;
    unsigned without; /* bit mask of algorithms that must not be used (lib/multiply/product.h) */
    /* on the device */
    struct number r, u, v, addend;
    struct product product;
    struct mulmod mulmod;
    struct check check;
};

/* Waits until the device has done its work so far. Returns the seconds since *clock, and sets
 * *clock to now. Does nothing unless statistics are wanted. */
static double lap(const struct context *s, double *clock) {
    if (!stats_are_wanted())
        return 0;
    gpu_finish(&s->queue);
    double now = stats_clock(), seconds = now - *clock;
    *clock = now;
    return seconds;
}

/* Registers {xp, xn} for upload into a buffer of the context. The upload begins when the first
 * kernel that reads the operand is launched (lib/device/uploads.h). */
static enum gpu_status expect(struct context *s, enum context_slot slot, const mp_limb_t *xp,
                              size_t xn, struct number *x) {
    enum gpu_status status = number_in_slot(s, slot, xn * LIMB_WORDS, x);
    if (status == GPU_OK)
        status = uploads_add(s, *x, xp);
    return status;
}

/* Chooses the algorithm, and sets *room to the words that the result needs during the
 * computation. */
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

/* Returns true if the result must be checked: with verify:device, and always after the
 * floating-point FFT, whose rounding may fail. */
static bool is_checked(const struct operation *op) {
    return mpgpu_conf.verify == VERIFY_DEVICE || is_by_fft(op);
}

/* Chooses the algorithm, registers the operands for upload, and allocates memory for the result and
 * its check. A square's operand is uploaded only once. */
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

/* Returns true if the algorithm starts the uploads itself, piece by piece, as transforms do.
 * Otherwise the operands must be uploaded before the first kernel. */
static bool asks(const struct operation *op) {
    return op->kind == PRODUCT ? op->product.algorithm != BY_SMALL
                               : op->kind == MULMOD && op->mulmod.way != MULMOD_IN_FULL;
}

/* Sets r = u v. If `old` > 0, uploads the result's previous limbs and adds them. */
static enum gpu_status multiply(struct context *s, struct operation *op) {
    enum gpu_status status = product_mul(s, &op->product, op->r, op->u, op->v);
    if (status != GPU_OK || op->old == 0)
        return status;
    status =
        transfer_up(s->transfer, &s->queue, op->addend.mem, 0, op->rp, op->old * sizeof *op->rp);
    return status == GPU_OK ? number_add(s, op->r, op->r, op->addend, 0, &op->carry) : status;
}

/* Returns true if the operands must be uploaded completely before the first kernel. Short operands
 * must, because each switch between copies and kernels delays the queue. */
static bool comes_first(const struct context *s, const struct operation *op) {
    return !asks(op) ||
           (transfer_is_short(s->transfer, op->up, op->un * sizeof *op->up) &&
            (op->vn == 0 || transfer_is_short(s->transfer, op->vp, op->vn * sizeof *op->vp)));
}

static enum gpu_status compute(struct context *s, struct operation *op) {
    const bool waits = comes_first(s, op);
    enum gpu_status status = waits ? uploads_wait(s, op->u) : GPU_OK;
    if (status == GPU_OK && waits && op->vn > 0)
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

/* Queues the check of the result. If the result is not checked, queues the download of the data
 * that mulmod_end needs (lib/multiply/mulmod.h). */
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

/* If the download goes directly to the result's memory, reads the check's answer during the
 * download. Otherwise does nothing, because the host must copy the downloaded chunks. */
static enum gpu_status coalesce_check(struct context *s, struct operation *op) {
    if (!is_checked(op) || !transfer_comes_directly(s->transfer))
        return GPU_OK;
    enum gpu_status status = gpu_finish(&s->queue);
    if (status == GPU_OK)
        check_coalesce(&op->check);
    return status;
}

static enum gpu_status begin_down(struct context *s, const struct operation *op) {
    return transfer_begin_down(s->transfer, &s->queue, op->rp, op->r.mem,
                               op->r.at * sizeof(uint32_t), op->rn * sizeof *op->rp);
}

/* Downloads the result. The check runs during a long download, but before a short one. */
static enum gpu_status download(struct context *s, struct operation *op) {
    bool is_short = transfer_is_short(s->transfer, op->rp, op->rn * sizeof *op->rp);
    enum gpu_status status = is_short ? ask(s, op) : begin_down(s, op);
    if (status == GPU_OK)
        status = is_short ? begin_down(s, op) : ask(s, op);
    if (status == GPU_OK && !is_short)
        status = coalesce_check(s, op);
    return status == GPU_OK ? transfer_end_down(s->transfer, &s->queue) : status;
}

/* Fails the operation because its result is not trusted. If the floating-point FFT has computed the
 * result, marks the operation: another algorithm repeats it, and no fault of the device is
 * counted. */
static enum gpu_status doubt(struct operation *op) {
    op->is_doubted = is_by_fft(op);
    return GPU_FAILED;
}

static enum gpu_status download_product(struct context *s, struct operation *op) {
    enum gpu_status status = download(s, op);
    return status == GPU_OK && is_by_fft(op) && fft_product_is_doubted(s) ? doubt(op) : status;
}

/* Downloads a product modulo B^rn - 1 or B^rn + 1 (B = 2^64). If mulmod_end then corrects it on the
 * device, downloads it again. */
static enum gpu_status download_mulmod(struct context *s, struct operation *op) {
    int changed = 0;
    enum gpu_status status = download_product(s, op);
    if (status == GPU_OK)
        status = mulmod_end(s, &op->mulmod, op->r, &changed);
    op->carry = op->mulmod.reduced.top;
    return status == GPU_OK && changed ? download(s, op) : status;
}

/* Sets op->is_negative from the highest bit of a downloaded result modulo B^rn (B = 2^64). */
static enum gpu_status read_sign(struct context *s, struct operation *op) {
    mp_limb_t highest;
    if (!caller_read(s->lease, &highest, op->rp + op->rn - 1, sizeof highest))
        return caller_refusal(s->lease);
    op->is_negative = highest >> 63 != 0;
    return GPU_OK;
}

/* Downloads and checks the result. If memory is short after an addend was added, returns GPU_FAILED
 * instead of GPU_NOMEM: the caller must not retry, because the download may have overwritten the
 * addend. */
static enum gpu_status deliver(struct context *s, struct operation *op) {
    enum gpu_status status = op->kind == MULMOD ? download_mulmod(s, op) : download_product(s, op);
    if (status == GPU_OK && op->kind == BY_LIMB)
        status = read_sign(s, op);
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

/* Counts the algorithm that computed the operation, for the statistics. */
static void count(const struct operation *op) {
    enum stats_way way = op->kind == PRODUCT   ? product_way(&op->product)
                         : op->kind == MULMOD  ? way_of_mulmod(&op->mulmod)
                         : op->kind == BY_LIMB ? STATS_LIMB
                                               : STATS_SUM;
    stats_here()->ways[way]++;
}

/* Returns true if the operation is so small that launching its kernels separately takes longer than
 * running them. */
static bool is_series(const struct operation *op) {
    return (op->un + op->vn) * sizeof(mp_limb_t) <= SERIES_BYTES;
}

static enum gpu_status series(struct context *s, bool begins) {
    answers_in_series(s, begins);
    return gpu_series(&s->queue, begins);
}

static enum gpu_status attempt(struct context *s, struct operation *op) {
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

static void set_kind(struct operation *op, const struct job *job) {
    switch (job->op) {
    case JOB_mulmod_bnm1:
    case JOB_mulmod_bnp1:
        op->kind = MULMOD;
        op->mulmod.words = op->rn * LIMB_WORDS;
        op->mulmod.plus = job->op == JOB_mulmod_bnp1;
        break;
    case JOB_add:
    case JOB_sub:
        op->kind = job->op == JOB_add ? SUM : DIFFERENCE;
        break;
    case JOB_mul_1:
        op->kind = BY_LIMB;
        op->limb = job->parameter[JOB_LIMB];
        op->subtract = job->parameter[JOB_SUBTRACT] != 0;
        break;
    case JOB_mul:
        op->old = job->parameter[JOB_OLD];
        op->may_be_cut = job->parameter[JOB_MAY_BE_CUT] != 0;
        /* if the FFT's result fails its check, it has already overwritten the addend, and no other
         * algorithm could repeat the operation */
        op->without = op->old > 0 ? WITHOUT(ALGORITHM_FFT) : 0;
        break;
    default:
        break;
    }
}

static struct operation operation_of(const struct job *job) {
    const struct job_ref *u = &job->u[0], *r = &job->r[0],
                         *v = job->operands > 1 ? &job->u[1] : &(struct job_ref){0};
    struct operation op = {.kind = PRODUCT,
                           .rp = r->host,
                           .rn = r->n,
                           .up = u->host,
                           .un = u->n,
                           .vp = v->host,
                           .vn = v->n};
    set_kind(&op, job);
    return op;
}

enum gpu_status recipe_limbs(struct context *s, void *job) {
    struct operation op = operation_of(job);
    enum gpu_status status = attempt(s, &op);
    if (op.is_doubted) { /* repeat the operation by another algorithm */
        mpgpu_log(LOG_INFO, "product by fft of %zu by %zu limbs in doubt: another does it", op.un,
                  op.vn);
        stats_here()->recomputed++;
        op.is_doubted = false;
        op.without |= WITHOUT(ALGORITHM_FFT);
        status = attempt(s, &op);
    }
    ((struct job *)job)->answer =
        (op.carry ? JOB_CARRY : 0) | (op.subtract && op.is_negative ? JOB_IS_COMPLEMENT : 0);
    return status;
}
