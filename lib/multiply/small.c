/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Plans and launches small products (kernels/small/small.cl and kernels/small/small_ntt.cl). */
#include "lib/multiply/small.h"

#include "kernels/common/primes.h"
#include "kernels/small/small.h"
#include "lib/device/launch.h"
#include "lib/device/tables.h"

/* The most words of operands that are multiplied column by column, because that is faster than
 * transforms. */
#define COLUMNS_WORDS 128

_Static_assert(COLUMNS_WORDS <= SMALL_WORDS, "what the kernel can do");
_Static_assert(SMALL_GROUPS(SMALL_MIN_LOG) > PRIMES && SMALL_GROUPS(SMALL_MAX_LOG) > 2 * PRIMES,
               "a group for each prime and branch, and some for residues");
_Static_assert(1u << SMALL_MAX_LOG <= PRIMES_MAX_TERMS, "coefficients fit the primes");
_Static_assert(2 * SMALL_DIGITS(SMALL_MAX_LOG) <= 0xffff && SMALL_WORK_STRIDE % 4 == 0,
               "sizes fit an item, and vectors are aligned");

static uint64_t digits(uint64_t words) {
    return (words + 1) / 2;
}

bool small_fits(uint64_t un, uint64_t vn) {
    return digits(un) + digits(vn) <= SMALL_DIGITS(SMALL_MAX_LOG);
}

/* Returns true if a work-group has enough local memory for the plan's transforms. On a device with
 * clusters (work-groups that can wait for one another), a product's work-groups must also fit in
 * one cluster. */
static bool has_room(const struct small_plan *p, const struct gpu_caps *caps) {
    return caps->local_bytes >= SMALL_LOCAL_BYTES(p->log_n) &&
           (caps->cluster == 0 || SMALL_GROUPS(p->log_n) <= caps->cluster);
}

bool small_plan_init(struct small_plan *p, const struct gpu_caps *caps, int asked, uint64_t un,
                     uint64_t vn) {
    const int only_columns = caps->is_cpu && !asked;
    const int is_alone = !caps->cluster && !asked;
    const uint64_t most = only_columns ? SMALL_WORDS : COLUMNS_WORDS;
    p->log_n = 0;
    if (un <= most && vn <= most)
        return true;
    if (only_columns || !small_fits(un, vn))
        return false;
    p->log_n = SMALL_MIN_LOG;
    while (digits(un) + digits(vn) > SMALL_DIGITS(p->log_n))
        p->log_n++;
    /* transforms of this length are not faster without clusters, because one work-group alone would
     * then do the second half of the work */
    if (is_alone && p->log_n == SMALL_MAX_LOG)
        return false;
    return has_room(p, caps);
}

bool small_plan_holds(const struct small_plan *p, const struct gpu_caps *caps, uint64_t un,
                      uint64_t vn) {
    if (p->log_n == 0)
        return un <= SMALL_WORDS && vn <= SMALL_WORDS;
    return p->log_n >= SMALL_MIN_LOG && p->log_n <= SMALL_MAX_LOG &&
           digits(un) + digits(vn) <= SMALL_DIGITS(p->log_n) && has_room(p, caps);
}

unsigned small_groups(unsigned cluster, const struct small_plan *p) {
    if (p->log_n == 0)
        return 1;
    return cluster ? SMALL_GROUPS(p->log_n) : PRIMES * SMALL_BRANCHES(p->log_n);
}

bool small_plan_is_usual(const struct small_plan *p, const struct gpu_caps *caps) {
    return p->log_n == 0 || (!caps->is_cpu && (caps->cluster || p->log_n < SMALL_MAX_LOG));
}

size_t small_work_bytes(unsigned slots) {
    return (size_t)slots * SMALL_WORK_STRIDE * sizeof(uint32_t);
}

enum gpu_status small_work_open(struct context *s, unsigned slots, gpu_mem *work) {
    enum gpu_status status = context_alloc(s, small_work_bytes(slots), work);
    if (status != GPU_OK)
        return status;
    status = gpu_zero(&s->queue, *work, 0, small_work_bytes(slots));
    if (status == GPU_OK)
        status = gpu_finish(&s->queue);
    if (status != GPU_OK)
        context_release(s, *work, small_work_bytes(slots));
    return status;
}

/* Sets *work to the buffer for intermediate results of small products. Before a launch, the first
 * word of each slot in the buffer must be 0. */
static enum gpu_status work_buffer(struct context *s, gpu_mem *work) {
    const size_t bytes = small_work_bytes(small_slots(s));
    enum gpu_status status = context_buffer(s, SLOT_SMALL, bytes, work);
    if (status != GPU_OK || s->slot[SLOT_SMALL].is_ready)
        return status;
    status = gpu_zero(&s->queue, *work, 0, bytes);
    s->slot[SLOT_SMALL].is_ready = status == GPU_OK;
    return status;
}

enum gpu_status small_prepare(struct context *s, const struct small_plan *p) {
    gpu_mem unused;
    if (p->log_n == 0)
        return GPU_OK;
    enum gpu_status status = tables_get(s, &unused);
    return status == GPU_OK ? work_buffer(s, &unused) : status;
}

/* Returns the description of a product for the kernel. For a square by transforms, the second
 * length is 0, so that the kernel reads its operand only once. */
uint64_t small_item(const struct small_plan *p, uint64_t un, uint64_t vn, bool is_square,
                    unsigned slot, unsigned ticket) {
    return SMALL_ITEM(un, is_square && p->log_n > 0 ? 0 : vn, slot, ticket);
}

/* The memory of the operands, results and reports of a launch's products. */
struct place {
    struct number r, u, v, report;
    gpu_mem work;
    bool is_behind; /* v follows u */
};

static enum gpu_status launch(struct context *s, const struct small_plan *p, const struct place *at,
                              const struct small_launch *l) {
    const uint64_t residues_at = l->is_checked ? tables_residue_at() : 0;
    const uint64_t *i = l->item, *b = l->base;
    const struct launch_groups groups = launch_grid(small_groups(s->dev.caps.cluster, p), l->count);
    if (p->log_n == 0)
        return launch_small_mul(s, groups, at->r.mem, at->r.at, at->u.mem, at->u.at, at->v.mem,
                                at->v.at, at->report.mem, at->report.at, at->is_behind, i[0], i[1],
                                i[2], i[3], i[4], i[5], i[6], i[7], b[0], b[1], b[2], b[3], b[4],
                                b[5], b[6], b[7]);
    return launch_small_ntt(s, p->log_n, groups, at->r.mem, at->r.at, at->u.mem, at->u.at,
                            at->v.mem, at->v.at, at->report.mem, at->report.at, at->is_behind,
                            s->slot[SLOT_TABLES].mem, residues_at, at->work, i[0], i[1], i[2], i[3],
                            i[4], i[5], i[6], i[7], b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]);
}

enum gpu_status small_mul(struct context *s, const struct small_plan *p, struct number r,
                          struct number u, struct number v) {
    const struct place at = {
        .r = r, .u = u, .v = v, .report = {r.mem, 0, 0}, .work = s->slot[SLOT_SMALL].mem};
    const struct small_launch l = {
        .count = 1, .item = {small_item(p, u.words, v.words, number_same(u, v), 0, 0)}};
    return launch(s, p, &at, &l);
}

enum gpu_status small_launch(struct context *s, const struct small_plan *p,
                             const struct small_launch *l) {
    const struct place at = {.r = {l->mem, l->r_at, 0},
                             .u = {l->mem, l->u_at, 0},
                             .v = {l->mem, l->u_at, 0},
                             .report = {l->mem, l->report_at, 0},
                             .work = l->work.h ? l->work : s->slot[SLOT_SMALL].mem,
                             .is_behind = true};
    return launch(s, p, &at, l);
}
