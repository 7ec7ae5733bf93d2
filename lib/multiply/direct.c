/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes small products in slots of one page-locked block. A slot contains the operands, the
 * result, and a report of the kernel (kernels/small/small.h).
 *
 * If the driver repeats a launch, a kernel may write to a slot after the slot's product has ended.
 * So the host copies the result to memory that no kernel can access, then checks and delivers the
 * copy. */
#include "lib/multiply/direct.h"

#include <gmp.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/common/primes.h"
#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/device/limbs_residue.h"
#include "lib/device/modulus.h"
#include "lib/device/tables.h"
#include "lib/memory/wipe.h"
#include "lib/multiply/product.h"
#include "lib/process/backoff.h"

/* ---- functions that reduce products on the host. Modulo B^n - 1 (B = 2^64) a product low + B^n
 * high is low + high; modulo B^n + 1 it is low - high. A carry out of the sum is added to it at
 * limb 0. If the difference is negative, its limbs represent the difference plus B^n, so 1 is added
 * too. */

/* Adds {yp, yn} to {rp, n}, or subtracts it if `subtract`; yn <= n. Returns the carry or borrow. */
static mp_limb_t add(mp_limb_t *rp, size_t n, const mp_limb_t *yp, size_t yn, int subtract) {
    const mp_limb_t flip = subtract ? ~(mp_limb_t)0 : 0;
    mp_limb_t carry = flip & 1;
    for (size_t i = 0; i < n; i++) {
        mp_limb_t y = (i < yn ? yp[i] : 0) ^ flip, sum = rp[i] + y;
        rp[i] = sum + carry;
        carry = (mp_limb_t)(sum < y) | (mp_limb_t)(rp[i] < sum);
    }
    return carry ^ (flip & 1);
}

/* Adds `carry` to the number {rp, n}. Returns the carry out of this number. */
static mp_limb_t increment(mp_limb_t *rp, size_t n, mp_limb_t carry) {
    for (size_t i = 0; i < n && carry; i++)
        carry = ++rp[i] == 0;
    return carry;
}

/* Sets {rp, rn} to {xp, xn} modulo B^rn - 1, or modulo B^rn + 1 if `plus`, where B = 2^64 and 1 <=
 * xn <= 2 rn. rp does not overlap xp. Modulo B^rn - 1 the result is 0 only if {xp, xn} is 0;
 * otherwise B^rn - 1 represents 0. Returns limb rn of the result: 1 if the result modulo B^rn + 1
 * is B^rn, otherwise 0. */
static uint32_t fold(mp_limb_t *rp, size_t rn, const mp_limb_t *xp, size_t xn, int plus) {
    size_t low = xn < rn ? xn : rn;
    for (size_t i = low; i < rn; i++)
        rp[i] = 0;
    for (size_t i = 0; i < low; i++)
        rp[i] = xp[i];
    mp_limb_t carry = add(rp, rn, xp + low, xn - low, plus);
    return (uint32_t)increment(rp, rn, carry);
}

#define LIMB_WORDS (sizeof(mp_limb_t) / sizeof(uint32_t))
#define REPORT_WORDS (REPORT_ENTRIES * sizeof(uint64_t) / sizeof(uint32_t))
/* words of a slot for the result; both operands together have the same space */
#define NUMBER_WORDS (2u * SMALL_DIGITS(SMALL_MAX_LOG) + 8)
enum { RESULT_AT = REPORT_WORDS, OPERANDS_AT = RESULT_AT + NUMBER_WORDS };
#define SLOT_WORDS (OPERANDS_AT + NUMBER_WORDS)
#define COPY_LIMBS (NUMBER_WORDS / LIMB_WORDS)

/* How long the host polls for the end of a single product before it waits by a driver call. */
enum { SPIN_NS = 1000000 };

/* ---- the slots */

size_t direct_bytes(unsigned slots) {
    return (size_t)slots * (SLOT_WORDS + SMALL_WORK_STRIDE) * sizeof(uint32_t);
}

size_t direct_host_bytes(unsigned slots) {
    return (size_t)slots * SLOT_WORDS * sizeof(uint32_t);
}

static void release_slots(struct direct *d) {
    if (d)
        free(d->copies);
    free(d);
}

struct direct *direct_begin(const struct gpu_caps *caps, void *host, unsigned slots) {
    struct direct *d = calloc(1, sizeof *d + slots * sizeof *d->ticket);
    if (!d)
        return NULL;
    d->host = host;
    d->slots = slots;
    d->cluster = caps->cluster;
    d->modulus = tables_check_modulus();
    d->copies = calloc(slots, COPY_LIMBS * sizeof *d->copies);
    if (d->copies)
        return d;
    release_slots(d);
    return NULL;
}

struct direct_launch_slots direct_view(const struct context *s, void *host, unsigned slots) {
    struct direct_launch_slots d = {.host = host, .slots = slots};
    if (!s->dev.caps.cluster || s->dev.backend->host_view(s->dev.impl, host, &d.view) != GPU_OK)
        d.view.h = 0;
    return d;
}

void direct_close(struct context *s) {
    if (s->direct)
        s->dev.backend->host_release(s->dev.impl, s->direct->host);
    release_slots(s->direct);
    s->direct = NULL;
}

enum gpu_status direct_open(struct context *s) {
    const unsigned slots = small_slots(s);
    void *host;
    if (s->direct)
        return GPU_OK;
    enum gpu_status status =
        s->dev.backend->host_alloc(s->dev.impl, direct_host_bytes(slots), &host);
    if (status != GPU_OK)
        return status;
    s->direct = direct_begin(&s->dev.caps, host, slots);
    if (!s->direct) {
        s->dev.backend->host_release(s->dev.impl, host);
        return GPU_NOMEM;
    }
    s->direct_view = direct_view(s, host, slots).view;
    s->direct->is_watched = s->direct_view.h != 0;
    return GPU_OK;
}

static uint32_t *slot_words(const struct direct *d, unsigned slot) {
    return d->host + (size_t)slot * SLOT_WORDS;
}

static uint64_t *report(const struct direct *d, const struct direct_product *p) {
    return (uint64_t *)slot_words(d, p->slot);
}

static mp_limb_t *result(const struct direct *d, const struct direct_product *p) {
    return (mp_limb_t *)(slot_words(d, p->slot) + RESULT_AT);
}

static mp_limb_t *first(const struct direct *d, const struct direct_product *p) {
    return (mp_limb_t *)(slot_words(d, p->slot) + OPERANDS_AT);
}

/* Returns the distance in words from the first operand to the second in a slot. */
static size_t second_at(size_t un) {
    return ITEM_BEHIND(un * LIMB_WORDS);
}

static mp_limb_t *copy_of_result(const struct direct *d, unsigned slot) {
    return d->copies + slot * COPY_LIMBS;
}

/* Clears the numbers of a slot and the copy of its result. Does not clear the report, which
 * direct_load clears. */
void direct_wipe(const struct direct *d, unsigned slot) {
    wipe(copy_of_result(d, slot), COPY_LIMBS * sizeof(mp_limb_t));
    wipe(slot_words(d, slot) + REPORT_WORDS, 2 * NUMBER_WORDS * sizeof(uint32_t));
}

/* ---- functions to call before the launch */

bool direct_plan(const struct context *s, struct direct_product *p) {
    return product_is_small(s, &p->plan, p->un * LIMB_WORDS, p->vn * LIMB_WORDS);
}

static bool is_square(const struct direct_product *p) {
    return p->up == p->vp && p->un == p->vn;
}

/* Returns true if the slot has only one operand, because the product is a square. Products that are
 * computed column by column (log_n = 0) always read two operands. */
static bool is_single(bool is_square, unsigned log_n) {
    return is_square && log_n > 0;
}

/* Returns the ticket that follows `last`. A ticket numbers the products of a slot, and is repeated
 * only after millions of products. */
static unsigned next_ticket(unsigned last) {
    return last == SMALL_TICKET_MAX ? 1 : last + 1;
}

void direct_load(struct direct *d, struct direct_product *p) {
    memcpy(first(d, p), p->up, p->un * sizeof *p->up);
    if (!is_single(is_square(p), p->plan.log_n))
        memcpy(first(d, p) + second_at(p->un) / LIMB_WORDS, p->vp, p->vn * sizeof *p->vp);
    memset(report(d, p), 0, REPORT_ENTRIES * sizeof(uint64_t));
    p->ticket = d->ticket[p->slot] = next_ticket(d->ticket[p->slot]);
}

void direct_expect(const struct direct *d, struct direct_product *p) {
    if (mpgpu_conf.verify != VERIFY_DEVICE)
        return;
    p->u_residue = limbs_residue(p->up, p->un, d->modulus);
    p->v_residue = is_square(p) ? p->u_residue : limbs_residue(p->vp, p->vn, d->modulus);
}

/* Returns true if the kernel reports sums for the check. For products that are computed column by
 * column the host computes these sums, in less than a microsecond. */
static bool has_report(const struct direct_product *p) {
    return mpgpu_conf.verify == VERIFY_DEVICE && p->plan.log_n > 0;
}

/* Returns how many limbs of the result the host reads: all of them if the product is checked or
 * reduced, otherwise the rn limbs that the caller wants. */
static size_t result_limbs(const struct direct_product *p) {
    const bool is_whole = p->kind != DIRECT_LOW || mpgpu_conf.verify == VERIFY_DEVICE;
    return is_whole ? p->un + p->vn : p->rn;
}

struct direct_item direct_item(const struct direct_product *p) {
    return (struct direct_item){.un = (uint32_t)p->un,
                                .vn = (uint32_t)p->vn,
                                .read = (uint32_t)result_limbs(p),
                                .is_square = is_square(p),
                                .has_report = has_report(p),
                                .log_n = p->plan.log_n,
                                .slot = p->slot,
                                .ticket = p->ticket};
}

/* ---- the launch */

bool direct_item_fits(const struct context *s, const struct direct_item *x, unsigned slots) {
    const uint64_t un = x->un, vn = x->vn;
    return vn >= 1 && un >= vn && un <= COPY_LIMBS && x->read <= un + vn && x->slot < slots &&
           x->is_square <= (un == vn) && x->has_report <= (x->log_n > 0) && x->ticket >= 1 &&
           x->ticket <= SMALL_TICKET_MAX &&
           small_plan_holds(&(struct small_plan){x->log_n}, &s->dev.caps, un * LIMB_WORDS,
                            vn * LIMB_WORDS);
}

/* Returns the offset, in bytes, of word `word` of the product's slot, in the device's copy of the
 * block. */
static size_t at_copy(const struct direct_item *x, size_t word) {
    return (x->slot * (size_t)SLOT_WORDS + word) * sizeof(uint32_t);
}

static enum gpu_status upload(struct context *s, const struct direct_launch_slots *d,
                              const struct direct_item *x, gpu_mem mem) {
    const uint32_t *from = d->host + (size_t)x->slot * SLOT_WORDS + OPERANDS_AT;
    const size_t words = is_single(x->is_square, x->log_n) ? x->un * LIMB_WORDS
                                                           : second_at(x->un) + x->vn * LIMB_WORDS;
    return gpu_write(&s->queue, mem, at_copy(x, OPERANDS_AT), from, words * sizeof(uint32_t));
}

static enum gpu_status download(struct context *s, const struct direct_launch_slots *d,
                                const struct direct_item *x, gpu_mem mem) {
    const size_t from = x->has_report ? 0 : RESULT_AT;
    const size_t words = RESULT_AT - from + x->read * LIMB_WORDS;
    return gpu_read(&s->queue, d->host + (size_t)x->slot * SLOT_WORDS + from, mem, at_copy(x, from),
                    words * sizeof(uint32_t));
}

/* Returns true if one launch can compute both products. Slots that kernels cannot access are copied
 * to one buffer, so both products must then be in the same block of slots. */
bool direct_go_together(const struct direct_ready *x, const struct direct_ready *y) {
    return x->item.log_n == y->item.log_n && x->item.has_report == y->item.has_report &&
           (x->in == y->in || (x->in->view.h && y->in->view.h && x->in->work.h == y->in->work.h));
}

/* Launches `count` products, at most SMALL_ITEMS. If kernels can access the slots in host memory
 * (view.h is not 0), mem.h is an address: the launch's offsets begin there. Otherwise `mem` is a
 * copy of the block with the slots of all these products. */
static enum gpu_status launch(struct context *s, const struct direct_ready *x, unsigned count,
                              gpu_mem mem) {
    const struct small_plan plan = {x->item.log_n};
    struct small_launch l = {.mem = mem,
                             .work = x->in->work,
                             .r_at = RESULT_AT,
                             .u_at = OPERANDS_AT,
                             .is_checked = x->item.has_report,
                             .count = count};
    for (unsigned i = 0; i < count; i++) {
        const struct direct_item *k = &x[i].item;
        const bool is_viewed = x[i].in->view.h != 0;
        l.item[i] = small_item(&plan, k->un * LIMB_WORDS, k->vn * LIMB_WORDS, k->is_square,
                               x[i].in->first_work + k->slot, is_viewed ? k->ticket : 0);
        l.base[i] = (is_viewed ? x[i].in->view.h - mem.h : 0) / sizeof(uint32_t) +
                    (uint64_t)k->slot * SLOT_WORDS;
    }
    return small_launch(s, &plan, &l);
}

/* Launches the products. If kernels cannot access the slots, also queues the copies of the slots to
 * the device and back. */
enum gpu_status direct_launch(struct context *s, const struct direct_ready *x, unsigned count) {
    gpu_mem mem = x->in->view;
    const bool copies = !mem.h;
    for (unsigned i = 1; i < count; i++)
        if (x[i].in->view.h < mem.h)
            mem = x[i].in->view;
    enum gpu_status status =
        copies ? context_buffer(s, SLOT_DIRECT, direct_host_bytes(x->in->slots), &mem) : GPU_OK;
    for (unsigned i = 0; i < count && status == GPU_OK && copies; i++)
        status = upload(s, x[i].in, &x[i].item, mem);
    if (status == GPU_OK)
        status = launch(s, x, count, mem);
    for (unsigned i = 0; i < count && status == GPU_OK && copies; i++)
        status = download(s, x[i].in, &x[i].item, mem);
    return status;
}

/* ---- functions to call after a product has ended */

static unsigned groups_of(const struct direct *d, const struct direct_product *p) {
    return small_groups(d->cluster, &p->plan);
}

/* Returns true if all work-groups of the product have written its ticket (the number of the product
 * in this slot) to their reports. */
bool direct_is_done(const struct direct *d, const struct direct_product *p) {
    const _Atomic uint64_t *done = (const _Atomic uint64_t *)(report(d, p) + REPORT_DONE);
    for (unsigned i = 0; i < groups_of(d, p); i++)
        if (atomic_load_explicit(&done[i], memory_order_acquire) != p->ticket)
            return false;
    return true;
}

/* Copies a result from its slot, to which kernels may still write. Returns the checksum of the copy
 * as defined in kernels/small/small.h. */
static uint64_t copy(mp_limb_t *rp, const _Atomic mp_limb_t *xp, size_t n) {
    uint64_t sum = 0;
    for (size_t j = 0; j < n; j++) {
        rp[j] = atomic_load_explicit(&xp[j], memory_order_relaxed);
        sum += small_mixed(rp[j]) * (2 * j + 1);
    }
    return sum;
}

/* Sets *residue to the sum of the residues that the work-groups report. Returns false if `sum`, the
 * checksum of the copied result, is not the reported one. */
static bool read_report(const struct direct *d, const struct direct_product *p, uint64_t sum,
                        uint64_t *residue) {
    const uint64_t *entries = report(d, p);
    const unsigned groups = d->cluster ? groups_of(d, p) : 1;
    *residue = 0;
    for (unsigned i = 0; i < groups; i++) {
        *residue = (*residue + entries[REPORT_RESIDUE + i]) % d->modulus.m;
        sum -= entries[REPORT_SUM + i] - entries[REPORT_RESIDUE + i];
    }
    return sum == 0;
}

/* Returns GPU_OK if the copy of the result is right. `sum` is the checksum of this copy. */
static enum gpu_status check(const struct direct *d, const struct direct_product *p, uint64_t sum) {
    uint64_t residue;
    if (!has_report(p))
        residue = limbs_residue(copy_of_result(d, p->slot), p->un + p->vn, d->modulus);
    else if (!read_report(d, p, sum, &residue))
        residue = UINT64_MAX; /* of no number */
    if (residue == modulus_mul(p->u_residue, p->v_residue, d->modulus))
        return GPU_OK;
    mpgpu_log(LOG_WARNING, "a small product failed its check");
    return GPU_FAILED;
}

enum gpu_status direct_deliver(const struct direct *d, struct direct_product *p) {
    mp_limb_t *xp = copy_of_result(d, p->slot);
    const uint64_t sum = copy(xp, (_Atomic mp_limb_t *)result(d, p), result_limbs(p));
    enum gpu_status status = mpgpu_conf.verify == VERIFY_DEVICE ? check(d, p, sum) : GPU_OK;
    if (status == GPU_OK && p->kind == DIRECT_LOW)
        memcpy(p->rp, xp, p->rn * sizeof *xp);
    else if (status == GPU_OK)
        p->top = fold(p->rp, p->rn, xp, p->un + p->vn, p->kind == DIRECT_PLUS);
    return status;
}

/* ---- functions that compute a single product and wait for it */

/* Waits for the end of a product: polls its report first, then waits by a driver call, which sleeps
 * and reports errors. */
static enum gpu_status wait(struct context *s, const struct direct_product *p) {
    const bool is_watched = s->direct->is_watched;
    struct backoff b = {.spin_ns = is_watched ? SPIN_NS : 0};
    while (is_watched && !direct_is_done(s->direct, p))
        if (!backoff_spin(&b))
            break;
    if (is_watched && b.spin_ns > 0)
        return GPU_OK;
    enum gpu_status status = gpu_finish(&s->queue);
    return status == GPU_OK && is_watched && !direct_is_done(s->direct, p) ? GPU_FAILED : status;
}

enum gpu_status direct_make(struct context *s, struct direct_product *p) {
    enum gpu_status status = direct_open(s);
    if (status != GPU_OK)
        return status;
    direct_load(s->direct, p);
    const struct direct_launch_slots slots = {
        .host = s->direct->host, .slots = s->direct->slots, .view = s->direct_view};
    status = direct_launch(s, &(struct direct_ready){&slots, direct_item(p)}, 1);
    direct_expect(s->direct, p);
    if (status == GPU_OK)
        status = wait(s, p);
    return status == GPU_OK ? direct_deliver(s->direct, p) : status;
}
