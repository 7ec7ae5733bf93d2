/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Small products of limbs in host memory, through one page-locked block: the report
 * (kernels/small/small.h), the result, the operands.
 *
 * The block is ours, and so a device that answers late, when nobody waits any more,
 * touches nothing of the program's. */
#include "lib/multiply/direct.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/common/primes.h"
#include "kernels/small/small.h"
#include "lib/base/conf.h"
#include "lib/memory/wipe.h"
#include "lib/multiply/check.h"
#include "lib/multiply/fold.h"
#include "lib/multiply/product.h"
#include "lib/process/backoff.h"
#include "lib/process/gate.h"

#define LIMB_WORDS (sizeof(mp_limb_t) / sizeof(uint32_t))
#define REPORT_WORDS (REPORT_ENTRIES * sizeof(uint64_t) / sizeof(uint32_t))
#define NUMBER_WORDS (2u * SMALL_DIGITS(SMALL_MAX_LOG) + 8) /* the result; both operands */
#define ALL_WORDS (REPORT_WORDS + 2 * NUMBER_WORDS)

/* For how long the host spins before it asks the driver. */
enum { SPIN_NS = 1000000 };

struct direct {
    uint32_t *host;
    gpu_mem view;    /* of the same memory by kernels, or none */
    uint64_t launch; /* how many so far */
    struct number r, u, v;
};

/* ---- the block */

static void release(struct context *s, struct direct *d) {
    if (d->host)
        s->dev.backend->host_release(s->dev.impl, d->host);
    free(d);
}

void direct_close(struct context *s) {
    if (s->direct)
        release(s, s->direct);
    s->direct = NULL;
}

/* The report stays: it counts launches. */
void direct_wipe(struct context *s) {
    if (s->direct)
        wipe(s->direct->host + REPORT_WORDS, 2 * NUMBER_WORDS * sizeof(uint32_t));
}

static enum gpu_status open_block(struct context *s) {
    void *host;
    if (s->direct)
        return GPU_OK;
    struct direct *d = calloc(1, sizeof *d);
    if (!d)
        return GPU_NOMEM;
    enum gpu_status status =
        s->dev.backend->host_alloc(s->dev.impl, ALL_WORDS * sizeof(uint32_t), &host);
    if (status != GPU_OK) {
        release(s, d);
        return status;
    }
    d->host = host;
    if (!s->dev.caps.cluster || s->dev.backend->host_view(s->dev.impl, host, &d->view) != GPU_OK)
        d->view.h = 0;
    s->direct = d;
    return GPU_OK;
}

/* Where the numbers lie, in the block or in the device's copy of it. */
static enum gpu_status place(struct context *s, const struct direct_product *p) {
    struct direct *d = s->direct;
    gpu_mem mem = d->view;
    uint64_t un = p->un * LIMB_WORDS, vn = p->vn * LIMB_WORDS;
    enum gpu_status status = GPU_OK;
    if (!d->view.h)
        status = context_buffer(s, SLOT_DIRECT, ALL_WORDS * sizeof(uint32_t), &mem);
    d->r = (struct number){mem, REPORT_WORDS, un + vn};
    d->u = (struct number){mem, REPORT_WORDS + NUMBER_WORDS, un};
    d->v = p->up == p->vp && un == vn ? d->u : (struct number){mem, d->u.at + (un + 3) / 4 * 4, vn};
    return status;
}

static bool is_square(const struct direct *d) {
    return number_same(d->u, d->v);
}

static mp_limb_t *limbs(const struct direct *d, struct number x) {
    return (mp_limb_t *)(d->host + x.at);
}

static uint64_t *report(const struct direct *d) {
    return (uint64_t *)d->host;
}

/* ---- the steps */

bool direct_plan(const struct context *s, struct direct_product *p) {
    return product_is_small(s, &p->plan, p->un * LIMB_WORDS, p->vn * LIMB_WORDS);
}

/* Memory of the program is read here. */
static enum gpu_status copy_operands(const struct direct *d, const struct direct_product *p) {
    if (!gate_enter())
        return GPU_FAILED;
    memcpy(limbs(d, d->u), p->up, p->un * sizeof *p->up);
    if (!is_square(d))
        memcpy(limbs(d, d->v), p->vp, p->vn * sizeof *p->vp);
    gate_leave();
    return GPU_OK;
}

static enum gpu_status upload(struct context *s, const struct direct *d) {
    uint64_t end = d->v.at + d->v.words, bytes = (end - d->u.at) * sizeof(uint32_t);
    return gpu_write(&s->queue, d->u.mem, d->u.at * sizeof(uint32_t), limbs(d, d->u), bytes);
}

enum gpu_status direct_load(struct context *s, const struct direct_product *p) {
    enum gpu_status status = open_block(s);
    if (status == GPU_OK)
        status = place(s, p);
    if (status == GPU_OK)
        status = copy_operands(s->direct, p);
    return status == GPU_OK && !s->direct->view.h ? upload(s, s->direct) : status;
}

/* Are the residues for the check the device's?  Of products column by column the host makes
 * them, which takes less than a microsecond. */
static bool has_residues(const struct direct_product *p) {
    return mpgpu_conf.verify == VERIFY_DEVICE && p->plan.log_n > 0;
}

static bool is_checked_by_host(const struct direct_product *p) {
    return mpgpu_conf.verify == VERIFY_DEVICE && p->plan.log_n == 0;
}

enum gpu_status direct_launch(struct context *s, const struct direct_product *p) {
    struct direct *d = s->direct;
    struct small_report to = {.mem = d->r.mem, .residues = has_residues(p)};
    if (d->view.h) {
        memset(report(d) + REPORT_DONE, 0, SMALL_GROUPS_MAX * sizeof(uint64_t));
        to.launch = ++d->launch;
    }
    return small_mul(s, &p->plan, d->r, d->u, d->v, &to);
}

/* Have all groups given what they had to? */
static bool is_done(const struct direct *d, unsigned groups) {
    const _Atomic uint64_t *done = (const _Atomic uint64_t *)(report(d) + REPORT_DONE);
    for (unsigned i = 0; i < groups; i++)
        if (atomic_load_explicit(&done[i], memory_order_acquire) != d->launch)
            return false;
    return true;
}

/* Spin; if that takes long, ask the driver, which knows of errors, and sleeps. */
static enum gpu_status wait_for_groups(struct context *s, const struct direct *d, unsigned groups) {
    struct backoff b = {.spin_ns = SPIN_NS};
    do {
        if (is_done(d, groups))
            return GPU_OK;
    } while (backoff_spin(&b));
    enum gpu_status status = gpu_finish(&s->queue);
    return status == GPU_OK && !is_done(d, groups) ? GPU_FAILED : status;
}

/* Only what is looked at. */
static enum gpu_status download(struct context *s, const struct direct *d,
                                const struct direct_product *p) {
    int all = p->kind != DIRECT_LOW || is_checked_by_host(p);
    uint64_t from = has_residues(p) ? 0 : d->r.at;
    uint64_t words = d->r.at - from + (all ? d->r.words : p->rn * LIMB_WORDS);
    enum gpu_status status = gpu_read(&s->queue, d->host + from, d->r.mem, from * sizeof(uint32_t),
                                      words * sizeof(uint32_t));
    enum gpu_status finished = gpu_finish(&s->queue);
    return status == GPU_OK ? finished : status;
}

/* The sum of the report's first entries for a number. */
static uint64_t residue(const struct context *s, unsigned entry, unsigned parts) {
    uint64_t sum = 0;
    for (unsigned i = 0; i < parts; i++)
        sum = (sum + report(s->direct)[entry + i]) % s->modulus.m;
    return sum;
}

uint64_t direct_residue(const struct context *s, const struct small_plan *p, int of_v) {
    unsigned workers = PRIMES * SMALL_BRANCHES(p->log_n);
    return residue(s, of_v && !is_square(s->direct) ? REPORT_V : REPORT_U,
                   s->dev.caps.cluster ? small_groups(s, p) - workers : workers);
}

static enum gpu_status check(const struct context *s, const struct direct_product *p) {
    const struct direct *d = s->direct;
    const struct check_modulus q = s->modulus;
    uint64_t u, v, r;
    if (has_residues(p)) {
        u = direct_residue(s, &p->plan, 0);
        v = direct_residue(s, &p->plan, 1);
        r = residue(s, REPORT_PRODUCT, s->dev.caps.cluster ? small_groups(s, &p->plan) : 1);
    } else {
        u = check_limbs(limbs(d, d->u), p->un, q);
        v = is_square(d) ? u : check_limbs(limbs(d, d->v), p->vn, q);
        r = check_limbs(limbs(d, d->r), p->un + p->vn, q);
    }
    return check_residues(s, r, u, v);
}

/* Memory of the program is written here. */
static enum gpu_status copy_result(const struct direct *d, struct direct_product *p) {
    if (!gate_enter())
        return GPU_FAILED;
    const mp_limb_t *xp = limbs(d, d->r);
    if (p->kind == DIRECT_LOW)
        memcpy(p->rp, xp, p->rn * sizeof *xp);
    else
        p->top = fold(p->rp, p->rn, xp, p->un + p->vn, p->kind == DIRECT_PLUS);
    gate_leave();
    return GPU_OK;
}

enum gpu_status direct_deliver(struct context *s, struct direct_product *p) {
    const struct direct *d = s->direct;
    enum gpu_status status =
        d->view.h ? wait_for_groups(s, d, small_groups(s, &p->plan)) : download(s, d, p);
    if (status == GPU_OK && mpgpu_conf.verify == VERIFY_DEVICE)
        status = check(s, p);
    return status == GPU_OK ? copy_result(d, p) : status;
}

enum gpu_status direct_make(struct context *s, struct direct_product *p) {
    enum gpu_status status = direct_load(s, p);
    if (status == GPU_OK)
        status = direct_launch(s, p);
    return status == GPU_OK ? direct_deliver(s, p) : status;
}
