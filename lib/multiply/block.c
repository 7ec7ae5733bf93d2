/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Small products: kernels/small/block.cl and kernels/small/block_ntt.cl. */
#include "lib/multiply/block.h"
#include "kernels/small/block.h"
#include "kernels/common/carry.h"
#include "kernels/common/primes.h"
#include "lib/selftest/known.h"
#include "lib/device/tables.h"

/* Up to here column by column is sooner than transforms. */
#define COLUMNS_WORDS 128

_Static_assert(COLUMNS_WORDS <= BLOCK_WORDS, "what the kernel can do");
_Static_assert(BLOCK_GROUPS(BLOCK_MIN_LOG) > PRIMES && BLOCK_GROUPS(BLOCK_MAX_LOG) > 2 * PRIMES,
               "a group for each prime and branch, and some for residues");
_Static_assert(1u << BLOCK_MAX_LOG <= PRIMES_MAX_TERMS, "coefficients fit the primes");

static uint64_t digits(uint64_t words) {
    return (words + 1) / 2;
}

int block_fits(uint64_t un, uint64_t vn) {
    return digits(un) + digits(vn) <= BLOCK_DIGITS(BLOCK_MAX_LOG);
}

int block_plan_init(struct block_plan *p, const struct gpu_caps *caps, int asked, uint64_t un,
                    uint64_t vn) {
    const int only_columns = caps->is_cpu && !asked;
    const int is_alone = !caps->together && !asked;
    const uint64_t most = only_columns ? BLOCK_WORDS : COLUMNS_WORDS;
    p->log_n = 0;
    if (un <= most && vn <= most)
        return 1;
    if (only_columns || !block_fits(un, vn))
        return 0;
    p->log_n = BLOCK_MIN_LOG;
    while (digits(un) + digits(vn) > BLOCK_DIGITS(p->log_n))
        p->log_n++;
    if (is_alone && p->log_n == BLOCK_MAX_LOG) /* one group to do the second half of it all */
        return 0;
    return caps->local_bytes >= BLOCK_LOCAL_BYTES(p->log_n) &&
           (caps->together == 0 || BLOCK_GROUPS(p->log_n) <= caps->together);
}

unsigned block_groups(const struct session *s, const struct block_plan *p) {
    if (p->log_n == 0)
        return 1;
    return s->dev.caps.together ? BLOCK_GROUPS(p->log_n) : PRIMES * BLOCK_BRANCHES(p->log_n);
}

/* The buffer that launches work in: its first word is 0 between them. */
static int work_buffer(struct session *s, gpu_mem *work) {
    int status =
        session_buffer(s, SLOT_BLOCK, BLOCK_WORK_WORDS(BLOCK_MAX_LOG) * sizeof(uint32_t), work);
    if (status != GPU_OK || s->block_ready)
        return status;
    status = gpu_zero(&s->queue, *work, 0, BLOCK_CONTROL_WORDS * sizeof(uint32_t));
    s->block_ready = status == GPU_OK;
    return status;
}

int block_prepare(struct session *s, const struct block_plan *p) {
    gpu_mem unused;
    if (p->log_n == 0)
        return GPU_OK;
    int status = tables_get(s, &unused);
    if (status == GPU_OK)
        status = work_buffer(s, &unused);
    return status == GPU_OK ? known_prove_block(s, p) : status;
}

int block_mul(struct session *s, const struct block_plan *p, struct number r, struct number u,
              struct number v, const struct block_report *report) {
    static const struct block_report none;
    const struct block_report *to = report ? report : &none;
    int by_transforms = p->log_n > 0, is_square = by_transforms && number_same(u, v);
    uint64_t residues_at = to->residues ? tables_residue_at() : 0;
    struct gpu_arg args[] = {gpu_arg_mem(r.mem),
                             gpu_arg_u64(r.at),
                             gpu_arg_mem(u.mem),
                             gpu_arg_u64(u.at),
                             gpu_arg_u32((uint32_t)u.words),
                             gpu_arg_mem(v.mem),
                             gpu_arg_u64(v.at),
                             gpu_arg_u32(is_square ? 0 : (uint32_t)v.words),
                             gpu_arg_mem(report ? to->mem : r.mem),
                             gpu_arg_u64(to->at),
                             gpu_arg_u64(to->launch),
                             gpu_arg_mem(s->slot[SLOT_TABLES].mem),
                             gpu_arg_u64(residues_at),
                             gpu_arg_mem(s->slot[SLOT_BLOCK].mem)};
    const unsigned all = sizeof args / sizeof *args, columns = all - 3;
    unsigned groups = block_groups(s, p);
    if (!by_transforms)
        return number_launch(s, GPU_PROGRAM_block, "block_mul", groups, 1, CARRY_THREADS, args,
                             columns);
    enum gpu_program program =
        (enum gpu_program)(GPU_PROGRAM_block_ntt_8 + (p->log_n - BLOCK_MIN_LOG));
    unsigned log_threads = BLOCK_LOG_BRANCH(p->log_n) - BLOCK_LOG_VALUES(p->log_n);
    return number_launch(s, program, "block_ntt", groups, 1, 1u << log_threads, args, all);
}
