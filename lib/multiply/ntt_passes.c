/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The passes of transforms.  The rings of a length lie behind one another, each with the
 * residues modulo all primes. */
#include "lib/multiply/ntt_passes.h"
#include "lib/device/uploads.h"
#include "kernels/common/carry.h"
#include "lib/device/ntt_tables.h"

#define JOIN_THREADS 256                       /* THREADS of kernels/ntt/join.cl, four values each */
#define SUM_CHUNK (SPAN * (CARRY_THREADS - 1)) /* words of a group of kernels/ntt/crt.cl */
#define LOG_CHUNK 12                           /* LOG_POINTS of kernels/ntt/contiguous.cl */
/* Up to here one launch for the first passes of both operands is sooner than two. */
#define BOTH_DIGITS (1 << 18)
/* While operands are on their way a kernel that waits for both is sooner up to here than one
 * for each, of which one works while the other's operand arrives. */
#define BOTH_DIGITS_ARRIVING (1 << 15)
#define PAIR_DIGITS_ARRIVING (1 << 16)

_Static_assert(SUM_CHUNK % 8 == 0 && SUM_CHUNK < 1 << NTT_MIN_LOG, "see number_carries_mulmod");
_Static_assert(NTT_DIGIT_RESIDUES == PRIMES * sizeof(uint32_t), "a word for each prime");

static enum gpu_program strided_program(unsigned log_r) {
    return (enum gpu_program)(GPU_PROGRAM_strided_5 + (log_r - 5));
}

static enum gpu_program contiguous_program(unsigned log_r) {
    return log_r == 8 ? GPU_PROGRAM_contiguous_8 : GPU_PROGRAM_contiguous_12;
}

/* Whether the device has multiply_pair: GPUs with enough local memory. */
static int has_pairs(const struct context *s) {
    return !s->dev.caps.simd && s->dev.caps.local_bytes >= PAIR_LOCAL_BYTES;
}

/* The points of a strided pass's work-group: LOG_POINTS in kernels/ntt/strided.cl, on a CPU
 * rows of one vector. */
static unsigned strided_log_points(const struct context *s, unsigned log_r) {
    return s->dev.caps.simd ? log_r + LOG_SIMD : log_r < 10 ? 12 : 13;
}

/* The work-items of a group: 16 values each; on a CPU one that works on vectors. */
static unsigned group_threads(const struct context *s, unsigned log_points) {
    return s->dev.caps.simd ? 1 : 1u << (log_points - 4);
}

uint64_t ntt_transform_words(const struct ntt_length *l) {
    return ntt_length_digits(l) * PRIMES;
}

/* Where ring i of transform `index` begins. */
static uint64_t mulmod_at(const struct ntt_length *l, uint64_t index, unsigned i) {
    return index * ntt_transform_words(l) + (i == 0 ? 0 : ntt_ring_digits(&l->ring[0]) * PRIMES);
}

int ntt_row_in_slot(struct context *s, const struct ntt_length *l, enum context_slot slot,
                    uint64_t count, struct ntt_row *row) {
    row->count = count;
    return context_buffer(s, slot, count * ntt_transform_words(l) * sizeof(uint32_t), &row->mem);
}

/* The levels of the passes above pass i. */
static unsigned levels_above(const struct ntt_ring *r, unsigned i) {
    unsigned levels = 0;
    for (unsigned k = 0; k < i; k++)
        levels += r->log_r[k];
    return levels;
}

/* Launch strided pass i over a ring, `each` work-groups instead of one, in `rows` rows. */
static int launch_strided(struct context *s, const struct ntt_ring *r, unsigned i,
                          const char *kernel, unsigned each, unsigned rows,
                          const struct gpu_arg *args, unsigned nargs) {
    unsigned log_points = strided_log_points(s, r->log_r[i]);
    uint64_t groups = (ntt_ring_digits(r) >> log_points) * each;
    return number_launch(s, strided_program(r->log_r[i]), kernel, groups, rows,
                         group_threads(s, log_points), args, nargs);
}

/* A number on its way down into a buffer of transforms. */
struct descent {
    gpu_mem data;
    struct number x;
};

/* From the digits of one number or two, at word `at` of their buffers. */
static int first_pass(struct context *s, const struct ntt_ring *r, uint64_t at,
                      const struct descent *d, unsigned count) {
    const struct number x = d[0].x, y = d[count - 1].x;
    struct gpu_arg args[] = {gpu_arg_mem(d[0].data),
                             gpu_arg_u64(at),
                             gpu_arg_mem(s->slot[SLOT_TABLES].mem),
                             gpu_arg_u32(r->log_m - r->log_r[0]),
                             gpu_arg_u32(r->root),
                             gpu_arg_mem(x.mem),
                             gpu_arg_u64(x.at),
                             gpu_arg_u64(x.words),
                             gpu_arg_mem(d[count - 1].data),
                             gpu_arg_mem(y.mem),
                             gpu_arg_u64(y.at),
                             gpu_arg_u64(y.words)};
    int status = uploads_wait(s, x);
    if (status == GPU_OK && count > 1)
        status = uploads_wait(s, y);
    return status == GPU_OK ? launch_strided(s, r, 0, "forward_first", PRIMES, count, args,
                                             sizeof args / sizeof *args)
                            : status;
}

/* "forward" or "inverse". */
static int strided_pass(struct context *s, const struct ntt_ring *r, unsigned i, const char *kernel,
                        gpu_mem data, uint64_t at) {
    unsigned above = levels_above(r, i);
    struct gpu_arg args[] = {gpu_arg_mem(data),
                             gpu_arg_u64(at),
                             gpu_arg_mem(s->slot[SLOT_TABLES].mem),
                             gpu_arg_u32(r->log_m - above - r->log_r[i]),
                             gpu_arg_u32(1u << above),
                             gpu_arg_u32(r->root << above)};
    return launch_strided(s, r, i, kernel, 1, PRIMES, args, sizeof args / sizeof *args);
}

/* The strided passes of one number or two, into ring i of the transforms `index`. */
static int descend(struct context *s, const struct ntt_length *l, unsigned i, uint64_t index,
                   const struct descent *d, unsigned count) {
    const struct ntt_ring *r = &l->ring[i];
    uint64_t at = mulmod_at(l, index, i);
    int status = first_pass(s, r, at, d, count);
    for (unsigned k = 1; k + 1 < r->passes; k++)
        for (unsigned n = 0; n < count && status == GPU_OK; n++)
            status = strided_pass(s, r, k, "forward", d[n].data, at);
    return status;
}

/* A kernel of the turning pass over a ring: the arguments that all have, and `more`. */
static int turning_pass(struct context *s, const struct ntt_ring *r, const char *kernel,
                        gpu_mem data, uint64_t at, const struct gpu_arg *more, unsigned count) {
    unsigned log_r = r->log_r[r->passes - 1];
    uint64_t chunks = ntt_ring_digits(r) >> LOG_CHUNK;
    struct gpu_arg args[16] = {gpu_arg_mem(data), gpu_arg_u64(at),
                               gpu_arg_mem(s->slot[SLOT_TABLES].mem), gpu_arg_u32((uint32_t)chunks),
                               gpu_arg_u32(r->root << (r->log_m - log_r))};
    for (unsigned i = 0; i < count; i++)
        args[5 + i] = more[i];
    return number_launch(s, contiguous_program(log_r), kernel, chunks, PRIMES,
                         group_threads(s, LOG_CHUNK), args, 5 + count);
}

int ntt_forward(struct context *s, const struct ntt_length *l, struct ntt_row to, uint64_t index,
                struct number x) {
    const struct descent d = {to.mem, x};
    int status = GPU_OK;
    for (unsigned i = 0; i < l->rings && status == GPU_OK; i++) {
        status = descend(s, l, i, index, &d, 1);
        if (status == GPU_OK)
            status =
                turning_pass(s, &l->ring[i], "forward_last", to.mem, mulmod_at(l, index, i), NULL, 0);
    }
    return status;
}

int ntt_pointwise(struct context *s, const struct ntt_length *l, struct ntt_row work, struct number x,
             const struct ntt_row *kept) {
    const struct descent d = {work.mem, x};
    int status = GPU_OK;
    for (unsigned i = 0; i < l->rings && status == GPU_OK; i++) {
        uint64_t at = mulmod_at(l, 0, i);
        status = descend(s, l, i, 0, &d, 1);
        if (status != GPU_OK)
            break;
        if (kept) {
            struct gpu_arg more[] = {gpu_arg_mem(kept->mem), gpu_arg_u64(at)};
            status = turning_pass(s, &l->ring[i], "multiply", work.mem, at, more, 2);
        } else {
            status = turning_pass(s, &l->ring[i], "square", work.mem, at, NULL, 0);
        }
    }
    return status;
}

int ntt_pointwise_pair(struct context *s, const struct ntt_length *l, struct ntt_row work,
                  struct ntt_row other, struct number u, struct number v) {
    const uint64_t digits = ntt_length_digits(l);
    const int arriving = uploads_pending(s);
    int status = GPU_OK;
    if (!has_pairs(s) || (arriving && digits > PAIR_DIGITS_ARRIVING)) {
        status = ntt_forward(s, l, other, 0, v);
        return status == GPU_OK ? ntt_pointwise(s, l, work, u, &other) : status;
    }
    const struct descent both[] = {{work.mem, u}, {other.mem, v}};
    const unsigned at_once = digits <= (arriving ? BOTH_DIGITS_ARRIVING : BOTH_DIGITS) ? 2 : 1;
    for (unsigned i = 0; i < l->rings && at_once == 1 && status == GPU_OK; i++)
        status = descend(s, l, i, 0, &both[1], 1);
    for (unsigned i = 0; i < l->rings && status == GPU_OK; i++) {
        const struct ntt_ring *r = &l->ring[i];
        struct gpu_arg more[] = {gpu_arg_mem(other.mem), gpu_arg_u64(mulmod_at(l, 0, i))};
        status = descend(s, l, i, 0, both, at_once);
        if (status == GPU_OK)
            status = turning_pass(s, r, "multiply_pair", work.mem, mulmod_at(l, 0, i), more, 2);
    }
    return status;
}

int ntt_pointwise_sum(struct context *s, const struct ntt_length *l, struct ntt_row work,
                 const struct ntt_sum *sum) {
    int status = GPU_OK;
    for (unsigned i = 0; i < l->rings && status == GPU_OK; i++) {
        uint64_t slots = sum->window.count;
        struct gpu_arg more[] = {gpu_arg_mem(sum->kept.mem),
                                 gpu_arg_u64(mulmod_at(l, sum->first, i)),
                                 gpu_arg_mem(sum->window.mem),
                                 gpu_arg_u64(mulmod_at(l, 0, i)),
                                 gpu_arg_u64(ntt_transform_words(l)),
                                 gpu_arg_u32((uint32_t)((sum->k - sum->first) % slots)),
                                 gpu_arg_u32((uint32_t)slots),
                                 gpu_arg_u32(sum->count)};
        status = turning_pass(s, &l->ring[i], "multiply_sum", work.mem, mulmod_at(l, 0, i), more,
                              sizeof more / sizeof *more);
    }
    return status;
}

/* The strided passes back, and of two rings what they give together. */
static int ascend(struct context *s, const struct ntt_length *l, gpu_mem data) {
    int status = GPU_OK;
    for (unsigned i = 0; i < l->rings; i++)
        for (unsigned k = l->ring[i].passes - 1; k-- > 0 && status == GPU_OK;)
            status = strided_pass(s, &l->ring[i], k, "inverse", data, mulmod_at(l, 0, i));
    if (status != GPU_OK || l->rings == 1)
        return status;
    struct gpu_arg args[] = {gpu_arg_mem(data), gpu_arg_mem(s->slot[SLOT_TABLES].mem),
                             gpu_arg_u32(l->ring[0].log_m), gpu_arg_u32(l->ring[1].log_m)};
    return NUMBER_LAUNCH(s, GPU_PROGRAM_join, "join",
                         ntt_ring_digits(&l->ring[1]) / (4 * JOIN_THREADS), PRIMES, JOIN_THREADS,
                         args);
}

/* The rest of the way back, and the coefficients' sum into r but for the carries between its
 * `groups` chunks. */
static int sum_up(struct context *s, const struct ntt_length *l, struct ntt_row work,
                  struct number r, uint64_t *groups) {
    int is_signed = l->rings == 1 && l->ring[0].root;
    gpu_mem flags;
    *groups = (r.words + SUM_CHUNK - 1) / SUM_CHUNK;
    int status = number_flags(s, *groups, &flags);
    if (status == GPU_OK)
        status = ascend(s, l, work.mem);
    if (status != GPU_OK)
        return status;
    uint64_t m = l->rings == 1 ? 0 : ntt_ring_digits(&l->ring[1]);
    struct gpu_arg args[] = {gpu_arg_mem(r.mem),
                             gpu_arg_u64(r.at),
                             gpu_arg_u64(r.words),
                             gpu_arg_mem(work.mem),
                             gpu_arg_mem(s->slot[SLOT_TABLES].mem),
                             gpu_arg_u32(l->ring[0].log_m),
                             gpu_arg_u32((uint32_t)m),
                             gpu_arg_mem(flags)};
    return NUMBER_LAUNCH(s, is_signed ? GPU_PROGRAM_crt_signed : GPU_PROGRAM_crt, "crt", *groups, 1,
                         CARRY_THREADS, args);
}

int ntt_back(struct context *s, const struct ntt_length *l, struct ntt_row work, struct number r) {
    uint64_t groups;
    int status = sum_up(s, l, work, r, &groups);
    return status == GPU_OK ? number_carries(s, r, groups, SUM_CHUNK, 0) : status;
}

int ntt_back_mulmod(struct context *s, const struct ntt_length *l, struct ntt_row work,
                     struct number r) {
    const uint64_t n = ntt_length_digits(l) * NTT_DIGIT_WORDS;
    uint64_t groups;
    int status = sum_up(s, l, work, r, &groups);
    return status == GPU_OK
               ? number_carries_mulmod(s, r, groups, SUM_CHUNK, n, (int)l->ring[0].root)
               : status;
}
