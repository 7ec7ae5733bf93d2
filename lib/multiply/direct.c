/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Small products of limbs in host memory, in slots of one page-locked block: the report
 * (kernels/small/small.h), the result, the operands.
 *
 * A kernel may write to a slot of that block after the slot's product has ended, if the driver
 * repeats a launch.  The result is therefore copied to memory that no kernel sees; then the copy is
 * checked and delivered. */
#include "lib/multiply/direct.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/common/primes.h"
#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/device/limbs_residue.h"
#include "lib/memory/wipe.h"
#include "lib/multiply/check.h"
#include "lib/multiply/fold.h"
#include "lib/multiply/product.h"
#include "lib/process/backoff.h"

#define LIMB_WORDS (sizeof(mp_limb_t) / sizeof(uint32_t))
#define REPORT_WORDS (REPORT_ENTRIES * sizeof(uint64_t) / sizeof(uint32_t))
#define NUMBER_WORDS (2u * SMALL_DIGITS(SMALL_MAX_LOG) + 8) /* the result; both operands */
enum { RESULT_AT = REPORT_WORDS, OPERANDS_AT = RESULT_AT + NUMBER_WORDS };
#define SLOT_WORDS (OPERANDS_AT + NUMBER_WORDS)
#define COPY_LIMBS (NUMBER_WORDS / LIMB_WORDS)

/* For how long a host that makes one product spins before it asks the driver. */
enum { SPIN_NS = 1000000 };

struct direct {
    uint32_t *host;
    mp_limb_t *copies; /* of the results, COPY_LIMBS for each slot */
    gpu_mem view;      /* of the same memory by kernels, or none */
    unsigned ticket[]; /* the last of each slot */
};

/* ---- the block */

size_t direct_bytes(unsigned slots) {
    return (size_t)slots * (SLOT_WORDS + SMALL_WORK_STRIDE) * sizeof(uint32_t);
}

static size_t block_bytes(const struct context *s) {
    return small_slots(s) * SLOT_WORDS * sizeof(uint32_t);
}

void direct_close(struct context *s) {
    if (s->direct) {
        s->dev.backend->host_release(s->dev.impl, s->direct->host);
        free(s->direct->copies);
    }
    free(s->direct);
    s->direct = NULL;
}

enum gpu_status direct_open(struct context *s) {
    void *host;
    if (s->direct)
        return GPU_OK;
    struct direct *d = calloc(1, sizeof *d + small_slots(s) * sizeof *d->ticket);
    if (!d)
        return GPU_NOMEM;
    d->copies = calloc(small_slots(s), COPY_LIMBS * sizeof *d->copies);
    enum gpu_status status =
        d->copies ? s->dev.backend->host_alloc(s->dev.impl, block_bytes(s), &host) : GPU_NOMEM;
    if (status != GPU_OK) {
        free(d->copies);
        free(d);
        return status;
    }
    d->host = host;
    if (!s->dev.caps.cluster || s->dev.backend->host_view(s->dev.impl, host, &d->view) != GPU_OK)
        d->view.h = 0;
    s->direct = d;
    return GPU_OK;
}

bool direct_is_watched(const struct context *s) {
    return s->direct->view.h != 0;
}

static uint32_t *slot_words(const struct context *s, unsigned slot) {
    return s->direct->host + (size_t)slot * SLOT_WORDS;
}

static uint64_t *report(const struct context *s, const struct direct_product *p) {
    return (uint64_t *)slot_words(s, p->slot);
}

static mp_limb_t *result(const struct context *s, const struct direct_product *p) {
    return (mp_limb_t *)(slot_words(s, p->slot) + RESULT_AT);
}

static mp_limb_t *first(const struct context *s, const struct direct_product *p) {
    return (mp_limb_t *)(slot_words(s, p->slot) + OPERANDS_AT);
}

/* In words, from the first. */
static size_t second_at(const struct direct_product *p) {
    return ITEM_BEHIND(p->un * LIMB_WORDS, SLOT_WORDS);
}

static mp_limb_t *second(const struct context *s, const struct direct_product *p) {
    return first(s, p) + second_at(p) / LIMB_WORDS;
}

static mp_limb_t *copy_of_result(const struct context *s, unsigned slot) {
    return s->direct->copies + slot * COPY_LIMBS;
}

/* The report stays: it holds tickets. */
void direct_wipe(const struct context *s, unsigned slot) {
    wipe(copy_of_result(s, slot), COPY_LIMBS * sizeof(mp_limb_t));
    wipe(slot_words(s, slot) + REPORT_WORDS, 2 * NUMBER_WORDS * sizeof(uint32_t));
}

/* ---- the steps */

bool direct_plan(const struct context *s, struct direct_product *p) {
    return product_is_small(s, &p->plan, p->un * LIMB_WORDS, p->vn * LIMB_WORDS);
}

static bool is_square(const struct direct_product *p) {
    return p->up == p->vp && p->un == p->vn;
}

/* Is its operand loaded once?  Products column by column read two. */
static bool is_single(const struct direct_product *p) {
    return is_square(p) && p->plan.log_n > 0;
}

/* Another than the slot has had for millions of products. */
static unsigned next_ticket(unsigned last) {
    return last == SMALL_TICKET_MAX ? 1 : last + 1;
}

void direct_load(const struct context *s, struct direct_product *p) {
    memcpy(first(s, p), p->up, p->un * sizeof *p->up);
    if (!is_single(p))
        memcpy(second(s, p), p->vp, p->vn * sizeof *p->vp);
    memset(report(s, p), 0, REPORT_ENTRIES * sizeof(uint64_t));
    p->ticket = s->direct->ticket[p->slot] = next_ticket(s->direct->ticket[p->slot]);
}

void direct_expect(const struct context *s, struct direct_product *p) {
    if (mpgpu_conf.verify != VERIFY_DEVICE)
        return;
    p->u_residue = limbs_residue(p->up, p->un, s->modulus);
    p->v_residue = is_square(p) ? p->u_residue : limbs_residue(p->vp, p->vn, s->modulus);
}

/* Where a word of its slot lies in the device's copy of the block, in bytes. */
static size_t at_copy(const struct direct_product *p, size_t word) {
    return (p->slot * (size_t)SLOT_WORDS + word) * sizeof(uint32_t);
}

static enum gpu_status upload(struct context *s, const struct direct_product *p, gpu_mem mem) {
    size_t words = is_single(p) ? p->un * LIMB_WORDS : second_at(p) + p->vn * LIMB_WORDS;
    return gpu_write(&s->queue, mem, at_copy(p, OPERANDS_AT), first(s, p),
                     words * sizeof(uint32_t));
}

/* Does the device report what the check compares?  The host computes it of products column by
 * column, in less than a microsecond. */
static bool has_report(const struct direct_product *p) {
    return mpgpu_conf.verify == VERIFY_DEVICE && p->plan.log_n > 0;
}

/* Limbs of the result that are read. */
static size_t result_limbs(const struct direct_product *p) {
    const bool is_whole = p->kind != DIRECT_LOW || mpgpu_conf.verify == VERIFY_DEVICE;
    return is_whole ? p->un + p->vn : p->rn;
}

static enum gpu_status download(struct context *s, const struct direct_product *p, gpu_mem mem) {
    const size_t from = has_report(p) ? 0 : RESULT_AT;
    const size_t words = RESULT_AT - from + result_limbs(p) * LIMB_WORDS;
    return gpu_read(&s->queue, slot_words(s, p->slot) + from, mem, at_copy(p, from),
                    words * sizeof(uint32_t));
}

/* The block as kernels see it: itself, or its copy on the device. */
static enum gpu_status block_of_kernels(struct context *s, gpu_mem *mem) {
    *mem = s->direct->view;
    return direct_is_watched(s) ? GPU_OK : context_buffer(s, SLOT_DIRECT, block_bytes(s), mem);
}

static enum gpu_status launch(struct context *s, struct direct_product *const *p, unsigned count,
                              gpu_mem mem) {
    struct small_launch l = {.mem = mem,
                             .stride = SLOT_WORDS,
                             .r_at = RESULT_AT,
                             .u_at = OPERANDS_AT,
                             .is_checked = has_report(p[0]),
                             .count = count};
    for (unsigned i = 0; i < count; i++)
        l.item[i] =
            small_item(&p[i]->plan, p[i]->un * LIMB_WORDS, p[i]->vn * LIMB_WORDS, is_square(p[i]),
                       p[i]->slot, direct_is_watched(s) ? p[i]->ticket : 0);
    return small_launch(s, &p[0]->plan, &l);
}

enum gpu_status direct_launch(struct context *s, struct direct_product *const *p, unsigned count) {
    gpu_mem mem;
    enum gpu_status status = block_of_kernels(s, &mem);
    bool copies = !direct_is_watched(s);
    for (unsigned i = 0; i < count && status == GPU_OK && copies; i++)
        status = upload(s, p[i], mem);
    if (status == GPU_OK)
        status = launch(s, p, count, mem);
    for (unsigned i = 0; i < count && status == GPU_OK && copies; i++)
        status = download(s, p[i], mem);
    return status;
}

/* Have all groups given what they had to? */
bool direct_is_done(const struct context *s, const struct direct_product *p) {
    const _Atomic uint64_t *done = (const _Atomic uint64_t *)(report(s, p) + REPORT_DONE);
    for (unsigned i = 0; i < small_groups(s, &p->plan); i++)
        if (atomic_load_explicit(&done[i], memory_order_acquire) != p->ticket)
            return false;
    return true;
}

/* Copies the result of a slot, to which kernels may write meanwhile.  Returns the sum that
 * kernels/small/small.h says. */
static uint64_t copy(mp_limb_t *rp, const _Atomic mp_limb_t *xp, size_t n) {
    uint64_t sum = 0;
    for (size_t j = 0; j < n; j++) {
        rp[j] = atomic_load_explicit(&xp[j], memory_order_relaxed);
        sum += small_mixed(rp[j]) * (2 * j + 1);
    }
    return sum;
}

/* The residue of the product that the groups reported.  False: the sum of a copy is not theirs. */
static bool read_report(const struct context *s, const struct direct_product *p, uint64_t sum,
                        uint64_t *residue) {
    const uint64_t *entries = report(s, p);
    const unsigned groups = s->dev.caps.cluster ? small_groups(s, &p->plan) : 1;
    *residue = 0;
    for (unsigned i = 0; i < groups; i++) {
        *residue = (*residue + entries[REPORT_RESIDUE + i]) % s->modulus.m;
        sum -= entries[REPORT_SUM + i] - entries[REPORT_RESIDUE + i];
    }
    return sum == 0;
}

/* GPU_OK if the copy of the result, whose sum is given, is right. */
static enum gpu_status check(const struct context *s, const struct direct_product *p,
                             uint64_t sum) {
    uint64_t residue;
    if (!has_report(p))
        residue = limbs_residue(copy_of_result(s, p->slot), p->un + p->vn, s->modulus);
    else if (!read_report(s, p, sum, &residue))
        residue = UINT64_MAX; /* of no number */
    return check_residues(s, residue, p->u_residue, p->v_residue);
}

enum gpu_status direct_deliver(const struct context *s, struct direct_product *p) {
    mp_limb_t *xp = copy_of_result(s, p->slot);
    const uint64_t sum = copy(xp, (_Atomic mp_limb_t *)result(s, p), result_limbs(p));
    enum gpu_status status = mpgpu_conf.verify == VERIFY_DEVICE ? check(s, p, sum) : GPU_OK;
    if (status == GPU_OK && p->kind == DIRECT_LOW)
        memcpy(p->rp, xp, p->rn * sizeof *xp);
    else if (status == GPU_OK)
        p->top = fold(p->rp, p->rn, xp, p->un + p->vn, p->kind == DIRECT_PLUS);
    return status;
}

/* Spin; if that takes long, ask the driver, which knows of errors, and sleeps. */
static enum gpu_status wait(struct context *s, const struct direct_product *p) {
    struct backoff b = {.spin_ns = direct_is_watched(s) ? SPIN_NS : 0};
    while (direct_is_watched(s) && !direct_is_done(s, p))
        if (!backoff_spin(&b))
            break;
    if (direct_is_watched(s) && b.spin_ns > 0)
        return GPU_OK;
    enum gpu_status status = gpu_finish(&s->queue);
    return status == GPU_OK && direct_is_watched(s) && !direct_is_done(s, p) ? GPU_FAILED : status;
}

enum gpu_status direct_make(struct context *s, struct direct_product *p) {
    enum gpu_status status = direct_open(s);
    if (status != GPU_OK)
        return status;
    direct_load(s, p);
    status = direct_launch(s, &p, 1);
    direct_expect(s, p);
    if (status == GPU_OK)
        status = wait(s, p);
    return status == GPU_OK ? direct_deliver(s, p) : status;
}
