/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Small products: kernels/small/small.cl and kernels/small/small_ntt.cl. */
#include "lib/multiply/small.h"

#include "kernels/common/primes.h"
#include "kernels/small/small.h"
#include "lib/device/launch.h"
#include "lib/device/tables.h"

/* Up to here column by column is sooner than transforms. */
#define COLUMNS_WORDS 128

_Static_assert(COLUMNS_WORDS <= SMALL_WORDS, "what the kernel can do");
_Static_assert(SMALL_GROUPS(SMALL_MIN_LOG) > PRIMES && SMALL_GROUPS(SMALL_MAX_LOG) > 2 * PRIMES,
               "a group for each prime and branch, and some for residues");
_Static_assert(1u << SMALL_MAX_LOG <= PRIMES_MAX_TERMS, "coefficients fit the primes");

static uint64_t digits(uint64_t words) {
    return (words + 1) / 2;
}

bool small_fits(uint64_t un, uint64_t vn) {
    return digits(un) + digits(vn) <= SMALL_DIGITS(SMALL_MAX_LOG);
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
    if (is_alone && p->log_n == SMALL_MAX_LOG) /* one group to do the second half of it all */
        return false;
    return caps->local_bytes >= SMALL_LOCAL_BYTES(p->log_n) &&
           (caps->cluster == 0 || SMALL_GROUPS(p->log_n) <= caps->cluster);
}

unsigned small_groups(const struct context *s, const struct small_plan *p) {
    if (p->log_n == 0)
        return 1;
    return s->dev.caps.cluster ? SMALL_GROUPS(p->log_n) : PRIMES * SMALL_BRANCHES(p->log_n);
}

/* The buffer that launches work in: its first word is 0 between them. */
static enum gpu_status work_buffer(struct context *s, gpu_mem *work) {
    enum gpu_status status =
        context_buffer(s, SLOT_SMALL, SMALL_WORK_WORDS(SMALL_MAX_LOG) * sizeof(uint32_t), work);
    if (status != GPU_OK || s->small_ready)
        return status;
    status = gpu_zero(&s->queue, *work, 0, SMALL_CONTROL_WORDS * sizeof(uint32_t));
    s->small_ready = status == GPU_OK;
    return status;
}

enum gpu_status small_prepare(struct context *s, const struct small_plan *p) {
    gpu_mem unused;
    if (p->log_n == 0)
        return GPU_OK;
    enum gpu_status status = tables_get(s, &unused);
    return status == GPU_OK ? work_buffer(s, &unused) : status;
}

enum gpu_status small_mul(struct context *s, const struct small_plan *p, struct number r,
                          struct number u, struct number v, const struct small_report *report) {
    static const struct small_report none;
    const struct small_report *to = report ? report : &none;
    int is_square = p->log_n > 0 && number_same(u, v);
    uint64_t residues_at = to->residues ? tables_residue_at() : 0;
    const struct launch_groups groups = launch_row(small_groups(s, p));
    const gpu_mem report_mem = report ? to->mem : r.mem;
    const uint32_t un = (uint32_t)u.words, vn = is_square ? 0 : (uint32_t)v.words;
    if (p->log_n == 0)
        return launch_small_mul(s, groups, r.mem, r.at, u.mem, u.at, un, v.mem, v.at, vn,
                                report_mem, to->at, to->launch);
    return launch_small_ntt(s, p->log_n, groups, r.mem, r.at, u.mem, u.at, un, v.mem, v.at, vn,
                            report_mem, to->at, to->launch, s->slot[SLOT_TABLES].mem, residues_at,
                            s->slot[SLOT_SMALL].mem);
}
