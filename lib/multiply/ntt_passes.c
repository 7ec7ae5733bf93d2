/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Launches the passes of number-theoretic transforms. If a length has two rings (factors of the
 * polynomial modulus), their transforms follow one another in memory. Each transform has the
 * residues modulo all primes. */
#include "lib/multiply/ntt_passes.h"

#include <stdbool.h>

#include "kernels/common/carry.h"
#include "kernels/ntt/geometry.h"
#include "lib/base/ceil_div.h"
#include "lib/base/min.h"
#include "lib/device/launch.h"
#include "lib/device/ntt_tables.h"
#include "lib/device/uploads.h"

#define SUM_CHUNK CARRY_CHUNK_ABOVE /* words that a group of kernels/ntt/crt.cl computes */
/* The most digits of a transform for which one launch computes the first passes of both operands,
 * because that is faster than two launches. */
#define BOTH_DIGITS (1 << 18)
/* Replaces BOTH_DIGITS while operands are being uploaded. For longer transforms separate launches
 * are faster, because one kernel works while the other operand arrives. */
#define BOTH_DIGITS_ARRIVING (1 << 15)
#define PAIR_DIGITS_ARRIVING (1 << 16)

_Static_assert(SUM_CHUNK % 8 == 0 && SUM_CHUNK < 1 << NTT_MIN_LOG, "see number_carries_mulmod");
_Static_assert(NTT_DIGIT_RESIDUES == PRIMES * sizeof(uint32_t), "a word for each prime");

/* Returns true if the device can run the kernel multiply_pair, which needs a GPU with enough local
 * memory. */
static bool has_pairs(const struct context *s) {
    return !s->dev.caps.simd && s->dev.caps.local_bytes >= PAIR_LOCAL_BYTES;
}

/* Returns the binary logarithm of the points that a work-group of a strided pass processes. On a
 * CPU a group processes adjacent columns that fill one vector. */
static unsigned strided_log_points(const struct context *s, unsigned log_r) {
    return s->dev.caps.simd ? log_r + LOG_SIMD : STRIDED_LOG_POINTS(log_r);
}

uint64_t ntt_transform_words(const struct ntt_length *l) {
    return ntt_length_digits(l) * PRIMES;
}

/* Returns the word at which the residues for ring i (a factor x^n + 1 or x^m - 1) begin in
 * transform `index`. */
static uint64_t ring_at(const struct ntt_length *l, uint64_t index, unsigned i) {
    return index * ntt_transform_words(l) + (i == 0 ? 0 : ntt_ring_digits(&l->ring[0]) * PRIMES);
}

enum gpu_status ntt_row_in_slot(struct context *s, const struct ntt_length *l,
                                enum context_slot slot, uint64_t count, struct ntt_row *row) {
    row->count = count;
    return context_buffer(s, slot, count * ntt_transform_words(l) * sizeof(uint32_t), &row->mem);
}

/* Returns the count of levels in the passes before pass i. */
static unsigned levels_above(const struct ntt_ring *r, unsigned i) {
    unsigned levels = 0;
    for (unsigned k = 0; k < i; k++)
        levels += r->log_r[k];
    return levels;
}

/* Returns how many work-groups strided pass i needs for the coefficients of one ring (a factor of
 * the polynomial modulus) modulo one prime. */
static uint64_t strided_groups(const struct context *s, const struct ntt_ring *r, unsigned i) {
    return ntt_ring_digits(r) >> strided_log_points(s, r->log_r[i]);
}

/* A number x to transform, and the buffer for its transform. */
struct input {
    gpu_mem data;
    struct number x;
};

/* Queues the first pass of one or two transforms, which reads the numbers' digits and writes from
 * word `at` of the buffers. */
static enum gpu_status first_pass(struct context *s, const struct ntt_ring *r, uint64_t at,
                                  const struct input *in, unsigned count) {
    const struct number x = in[0].x, y = in[count - 1].x;
    enum gpu_status status = uploads_wait(s, x);
    if (status == GPU_OK && count > 1)
        status = uploads_wait(s, y);
    if (status != GPU_OK)
        return status;
    return launch_forward_first(
        s, r->log_r[0], launch_grid(strided_groups(s, r, 0) * PRIMES, count), in[0].data, at,
        s->slot[SLOT_TABLES].mem, r->log_m - r->log_r[0], r->root, x.mem, x.at, x.words,
        in[count - 1].data, y.mem, y.at, y.words, 0, 0, 0);
}

/* Queues strided pass i of `count` transforms, or inverse transforms, which follow one another in
 * memory. */
static enum gpu_status strided_pass(struct context *s, const struct ntt_ring *r, unsigned i,
                                    bool inverse, gpu_mem data, uint64_t at, unsigned count) {
    unsigned above = levels_above(r, i);
    return (inverse ? launch_inverse : launch_forward)(
        s, r->log_r[i], launch_grid(strided_groups(s, r, i), count * PRIMES), data, at,
        s->slot[SLOT_TABLES].mem, r->log_m - above - r->log_r[i], 1u << above, r->root << above);
}

/* Queues the strided passes of one or two transforms modulo ring i (a factor of the polynomial
 * modulus). Each transform is transform number `index` of its buffer. */
static enum gpu_status forward_passes(struct context *s, const struct ntt_length *l, unsigned i,
                                      uint64_t index, const struct input *in, unsigned count) {
    const struct ntt_ring *r = &l->ring[i];
    uint64_t at = ring_at(l, index, i);
    enum gpu_status status = first_pass(s, r, at, in, count);
    for (unsigned k = 1; k + 1 < r->passes; k++)
        for (unsigned n = 0; n < count && status == GPU_OK; n++)
            status = strided_pass(s, r, k, false, in[n].data, at, 1);
    return status;
}

/* The arguments that all kernels of contiguous.cl need, for `count` transforms modulo one ring (a
 * factor of the polynomial modulus). */
struct pointwise {
    unsigned log_r;
    struct launch_groups groups;
    uint32_t chunks, first_node;
};

static struct pointwise pointwise_of(const struct ntt_ring *r, unsigned count) {
    unsigned log_r = r->log_r[r->passes - 1];
    uint32_t chunks = (uint32_t)(ntt_ring_digits(r) >> CONTIGUOUS_LOG_POINTS);
    return (struct pointwise){log_r, launch_grid(chunks, count * PRIMES), chunks,
                              r->root << (r->log_m - log_r)};
}

/* Queues the last pass of `count` transforms. They are then complete, and are stored for later
 * products. */
static enum gpu_status last_pass(struct context *s, const struct ntt_ring *r, gpu_mem data,
                                 uint64_t at, unsigned count) {
    const struct pointwise p = pointwise_of(r, count);
    return launch_forward_last(s, p.log_r, p.groups, data, at, s->slot[SLOT_TABLES].mem, p.chunks,
                               p.first_node);
}

/* Queues three steps: the last pass of the transform in `data`, its product by the transform
 * `other`, and the first inverse pass. If is_pair, the kernel first computes the last pass of
 * `other`, too. */
static enum gpu_status multiply_pass(struct context *s, const struct ntt_ring *r, gpu_mem data,
                                     uint64_t at, gpu_mem other, bool is_pair) {
    const struct pointwise p = pointwise_of(r, 1);
    return (is_pair ? launch_multiply_pair : launch_multiply)(s, p.log_r, p.groups, data, at,
                                                              s->slot[SLOT_TABLES].mem, p.chunks,
                                                              p.first_node, other, at);
}

/* Queues three steps: the last pass of the transform in `data`, its square, and the first inverse
 * pass. On a CPU the kernel for products computes squares too. */
static enum gpu_status square_pass(struct context *s, const struct ntt_ring *r, gpu_mem data,
                                   uint64_t at) {
    const struct pointwise p = pointwise_of(r, 1);
    return s->dev.caps.simd ? multiply_pass(s, r, data, at, data, false)
                            : launch_square(s, p.log_r, p.groups, data, at,
                                            s->slot[SLOT_TABLES].mem, p.chunks, p.first_node);
}

enum gpu_status ntt_forward(struct context *s, const struct ntt_length *l, struct ntt_row to,
                            uint64_t index, struct number x) {
    const struct input in = {to.mem, x};
    enum gpu_status status = GPU_OK;
    for (unsigned i = 0; i < l->rings && status == GPU_OK; i++) {
        status = forward_passes(s, l, i, index, &in, 1);
        if (status == GPU_OK)
            status = last_pass(s, &l->ring[i], to.mem, ring_at(l, index, i), 1);
    }
    return status;
}

enum gpu_status ntt_pointwise(struct context *s, const struct ntt_length *l, struct ntt_row work,
                              struct number x, const struct ntt_row *kept) {
    const struct input in = {work.mem, x};
    enum gpu_status status = GPU_OK;
    for (unsigned i = 0; i < l->rings && status == GPU_OK; i++) {
        uint64_t at = ring_at(l, 0, i);
        status = forward_passes(s, l, i, 0, &in, 1);
        if (status == GPU_OK)
            status = kept ? multiply_pass(s, &l->ring[i], work.mem, at, kept->mem, false)
                          : square_pass(s, &l->ring[i], work.mem, at);
    }
    return status;
}

enum gpu_status ntt_pointwise_pair(struct context *s, const struct ntt_length *l,
                                   struct ntt_row work, struct ntt_row other, struct number u,
                                   struct number v) {
    const uint64_t digits = ntt_length_digits(l);
    const int arriving = uploads_pending(s);
    enum gpu_status status = GPU_OK;
    if (!has_pairs(s) || (arriving && digits > PAIR_DIGITS_ARRIVING)) {
        /* the operand that is already uploaded is transformed first */
        const bool swaps = uploads_lack(s, v) && !uploads_lack(s, u);
        status = ntt_forward(s, l, other, 0, swaps ? u : v);
        return status == GPU_OK ? ntt_pointwise(s, l, work, swaps ? v : u, &other) : status;
    }
    const struct input both[] = {{work.mem, u}, {other.mem, v}};
    const unsigned at_once = digits <= (arriving ? BOTH_DIGITS_ARRIVING : BOTH_DIGITS) ? 2 : 1;
    for (unsigned i = 0; i < l->rings && at_once == 1 && status == GPU_OK; i++)
        status = forward_passes(s, l, i, 0, &both[1], 1);
    for (unsigned i = 0; i < l->rings && status == GPU_OK; i++) {
        status = forward_passes(s, l, i, 0, both, at_once);
        if (status == GPU_OK)
            status = multiply_pass(s, &l->ring[i], work.mem, ring_at(l, 0, i), other.mem, true);
    }
    return status;
}

enum gpu_status ntt_pointwise_sum(struct context *s, const struct ntt_length *l,
                                  struct ntt_row work, const struct ntt_sum *sum) {
    enum gpu_status status = GPU_OK;
    for (unsigned i = 0; i < l->rings && status == GPU_OK; i++) {
        const struct pointwise p = pointwise_of(&l->ring[i], 1);
        const uint64_t slots = sum->window.count, at = ring_at(l, 0, i);
        status = launch_multiply_sum(
            s, p.log_r, p.groups, work.mem, at, s->slot[SLOT_TABLES].mem, p.chunks, p.first_node,
            sum->kept.mem, ring_at(l, sum->first, i), sum->window.mem,
            ring_at(l, sum->window_first, i), ntt_transform_words(l),
            (uint32_t)((sum->k - sum->first) % slots), (uint32_t)slots, sum->count);
    }
    return status;
}

/* Joins the results modulo two rings (factors of the polynomial modulus), for `count` products.
 * These results begin at words c_at and d_at. */
static enum gpu_status join(struct context *s, const struct ntt_length *l, gpu_mem data,
                            uint64_t c_at, uint64_t d_at, unsigned count) {
    return launch_join(s, launch_grid(ntt_ring_digits(&l->ring[1]) / JOIN_VALUES, count * PRIMES),
                       data, c_at, d_at, s->slot[SLOT_TABLES].mem, l->ring[0].log_m,
                       l->ring[1].log_m);
}

/* Queues the strided passes of the inverse transform. If the length has two rings (factors of the
 * polynomial modulus), also joins their results. */
static enum gpu_status inverse_passes(struct context *s, const struct ntt_length *l, gpu_mem data) {
    enum gpu_status status = GPU_OK;
    for (unsigned i = 0; i < l->rings; i++)
        for (unsigned k = l->ring[i].passes - 1; k-- > 0 && status == GPU_OK;)
            status = strided_pass(s, &l->ring[i], k, true, data, ring_at(l, 0, i), 1);
    if (status != GPU_OK || l->rings == 1)
        return status;
    return join(s, l, data, 0, ring_at(l, 0, 1), 1);
}

/* Returns the number of digits of the shorter one of two rings (factors of the polynomial modulus);
 * 0 if there is only one ring. */
static uint32_t joined_of(const struct ntt_length *l) {
    return l->rings == 1 ? 0 : (uint32_t)ntt_ring_digits(&l->ring[1]);
}

/* Queues the remaining passes of the inverse transform, and adds the coefficients into r. If
 * *resolves is 1, also resolves the carries between chunks. If the device cannot, sets *resolves to
 * 0, and the caller must resolve them. */
static enum gpu_status sum_up(struct context *s, const struct ntt_length *l, struct ntt_row work,
                              struct number r, uint32_t *resolves) {
    const bool is_signed = l->rings == 1 && l->ring[0].root, wants = *resolves;
    const uint64_t groups = ceil_div(r.words, SUM_CHUNK);
    gpu_mem flags, control;
    enum gpu_status status = number_flags(s, groups, &flags);
    if (status == GPU_OK)
        status = number_resolve(s, groups, &control, resolves);
    *resolves &= wants;
    if (status == GPU_OK)
        status = inverse_passes(s, l, work.mem);
    if (status != GPU_OK)
        return status;
    return launch_crt(s, is_signed, launch_row(groups), r.mem, r.at, 0, r.words, work.mem, 0,
                      ring_at(l, 0, 1), s->slot[SLOT_TABLES].mem, l->ring[0].log_m, joined_of(l),
                      NTT_OFFSET, 2 * NTT_OFFSET, flags, control, *resolves);
}

enum gpu_status ntt_inverse(struct context *s, const struct ntt_length *l, struct ntt_row work,
                            struct number r) {
    uint32_t resolves = 1;
    enum gpu_status status = sum_up(s, l, work, r, &resolves);
    return status == GPU_OK && !resolves
               ? number_carries(s, r, ceil_div(r.words, SUM_CHUNK), SUM_CHUNK)
               : status;
}

enum gpu_status ntt_inverse_mulmod(struct context *s, const struct ntt_length *l,
                                   struct ntt_row work, struct number r) {
    const uint64_t n = ntt_length_digits(l) * NTT_DIGIT_WORDS;
    uint32_t resolves = 0; /* number_carries_mulmod resolves the carries instead */
    enum gpu_status status = sum_up(s, l, work, r, &resolves);
    return status == GPU_OK ? number_carries_mulmod(s, r, ceil_div(r.words, SUM_CHUNK), SUM_CHUNK,
                                                    n, (int)l->ring[0].root)
                            : status;
}

/* ---- transforms of the entries of a matrix */

uint64_t ntt_batch_ring_at(const struct ntt_length *l, uint64_t count, unsigned i) {
    return i == 0 ? 0 : count * ntt_ring_digits(&l->ring[0]) * PRIMES;
}

/* Returns the word at which the residues of ring i (a factor of the polynomial modulus) begin in
 * transform `index`. */
static uint64_t place_of(const struct ntt_length *l, struct ntt_row row, uint64_t index,
                         unsigned i) {
    return ntt_batch_ring_at(l, row.count, i) + index * ntt_ring_digits(&l->ring[i]) * PRIMES;
}

/* Queues all passes of `count` transforms modulo ring i (a factor of the polynomial modulus),
 * beginning with transform `first`. */
static enum gpu_status forward_part(struct context *s, const struct ntt_length *l, unsigned i,
                                    struct ntt_row to, const struct ntt_block *x, uint64_t first,
                                    unsigned count) {
    const struct ntt_ring *r = &l->ring[i];
    const uint64_t at = place_of(l, to, first, i);
    enum gpu_status status = launch_forward_first(
        s, r->log_r[0], launch_grid(strided_groups(s, r, 0) * PRIMES, count), to.mem,
        place_of(l, to, 0, i), s->slot[SLOT_TABLES].mem, r->log_m - r->log_r[0], r->root, x->mem,
        x->at, x->words, to.mem, x->mem, x->at, x->words, first, x->width, x->columns);
    for (unsigned k = 1; k + 1 < r->passes && status == GPU_OK; k++)
        status = strided_pass(s, r, k, false, to.mem, at, count);
    return status == GPU_OK ? last_pass(s, r, to.mem, at, count) : status;
}

enum gpu_status ntt_batch_forward(struct context *s, const struct ntt_length *l, struct ntt_row to,
                                  const struct ntt_block *x) {
    enum gpu_status status = GPU_OK;
    for (uint64_t first = 0; first < to.count && status == GPU_OK; first += NTT_BATCH_MOST)
        for (unsigned i = 0; i < l->rings && status == GPU_OK; i++)
            status = forward_part(s, l, i, to, x, first,
                                  (unsigned)min_u64(to.count - first, NTT_BATCH_MOST));
    return status;
}

/* Queues all passes of `count` inverse transforms, beginning with transform `first`. */
static enum gpu_status inverse_part(struct context *s, const struct ntt_length *l,
                                    struct ntt_row work, uint64_t first, unsigned count) {
    enum gpu_status status = GPU_OK;
    for (unsigned i = 0; i < l->rings && status == GPU_OK; i++) {
        const struct pointwise p = pointwise_of(&l->ring[i], count);
        const uint64_t at = place_of(l, work, first, i);
        status = launch_inverse_first(s, p.log_r, p.groups, work.mem, at, s->slot[SLOT_TABLES].mem,
                                      p.chunks, p.first_node);
        for (unsigned k = l->ring[i].passes - 1; k-- > 0 && status == GPU_OK;)
            status = strided_pass(s, &l->ring[i], k, true, work.mem, at, count);
    }
    return status == GPU_OK && l->rings == 2 ? join(s, l, work.mem, place_of(l, work, first, 0),
                                                    place_of(l, work, first, 1), count)
                                             : status;
}

enum gpu_status ntt_batch_inverse(struct context *s, const struct ntt_length *l,
                                  struct ntt_row work, uint64_t first, unsigned count,
                                  const struct ntt_sums *c) {
    const struct launch_groups groups = launch_grid(ceil_div(c->words, SUM_CHUNK), count);
    gpu_mem flags;
    enum gpu_status status = number_flags(s, groups.x * count, &flags);
    if (status == GPU_OK)
        status = inverse_part(s, l, work, first, count);
    return status == GPU_OK ? launch_crt(s, 1, groups, c->mem, 0, c->stride, c->words, work.mem,
                                         place_of(l, work, first, 0),
                                         l->rings == 1 ? 0 : place_of(l, work, first, 1),
                                         s->slot[SLOT_TABLES].mem, l->ring[0].log_m, joined_of(l),
                                         c->offset, c->offset, flags, flags, 0)
                            : status;
}
