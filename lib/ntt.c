/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products by number-theoretic transforms modulo five primes: the passes of
 * kernels/strided.cl and contiguous.cl, then kernels/crt.cl. */
#include "ntt.h"
#include "conf.h"
#include "known.h"
#include "ntt_tables.h"
#include "tables.h"
#include "../kernels/carry.h"

#define DIGIT_WORDS NTT_DIGIT_WORDS

static enum gpu_program strided_program(unsigned log_r) {
    return (enum gpu_program)(GPU_PROGRAM_strided_5 + (log_r - 5));
}

static enum gpu_program contiguous_program(unsigned log_r) {
    return log_r == 8 ? GPU_PROGRAM_contiguous_8 : GPU_PROGRAM_contiguous_12;
}

static size_t transform_bytes(const struct ntt_length *l) {
    return (size_t)ntt_length_digits(l) * PRIMES * sizeof(uint32_t);
}

/* The points of a strided pass's work-group: LOG_POINTS in kernels/strided.cl, on a CPU
 * rows of one vector. */
static unsigned strided_log_points(const struct session *s, unsigned log_r) {
    return s->dev.caps.is_cpu ? log_r + LOG_WIDE : log_r < 10 ? 12 : 13;
}

/* The work-items of a group: 16 values each; on a CPU one that works on vectors. */
static unsigned group_threads(const struct session *s, unsigned log_points) {
    return s->dev.caps.is_cpu ? 1 : 1u << (log_points - 4);
}

/* The node of the first of so many segments of a level. */
static uint32_t first_node(const struct ntt_length *l, uint64_t segments) {
    return (uint32_t)(l->root * segments);
}

/* Pass i of a length on `data`: the levels below the branches and passes above. */
static int strided_pass(struct session *s, const struct ntt_length *l, unsigned i,
                        const char *kernel, gpu_mem data, const struct number *src) {
    unsigned log_s = l->log_m, log_points = strided_log_points(s, l->log_r[i]),
             segments = l->branches;
    for (unsigned k = 0; k < i; k++)
        segments <<= l->log_r[k];
    for (unsigned k = 0; k <= i; k++)
        log_s -= l->log_r[k];
    struct gpu_arg args[8] = {gpu_arg_mem(data), gpu_arg_mem(s->slot[SLOT_TABLES].mem),
                              gpu_arg_u32(log_s), gpu_arg_u32(segments),
                              gpu_arg_u32(first_node(l, segments))};
    unsigned nargs = 5;
    if (src) {
        args[nargs++] = gpu_arg_mem(src->mem);
        args[nargs++] = gpu_arg_u64(src->at);
        args[nargs++] = gpu_arg_u64(src->words);
    }
    return number_launch(s, strided_program(l->log_r[i]), kernel,
                         ntt_length_digits(l) >> log_points, PRIMES, group_threads(s, log_points),
                         args, nargs);
}

/* The turning pass: forward_last, multiply (by `other`) or square. */
static int contiguous_pass(struct session *s, const struct ntt_length *l, const char *kernel,
                           gpu_mem data, const gpu_mem *other) {
    uint64_t chunks = ntt_length_digits(l) >> 12;
    unsigned log_r = l->log_r[l->passes - 1];
    struct gpu_arg args[5] = {gpu_arg_mem(data), gpu_arg_mem(s->slot[SLOT_TABLES].mem),
                              gpu_arg_u32((uint32_t)chunks),
                              gpu_arg_u32(first_node(l, ntt_length_digits(l) >> log_r))};
    if (other)
        args[4] = gpu_arg_mem(*other);
    return number_launch(s, contiguous_program(log_r), kernel, chunks, PRIMES, group_threads(s, 12),
                         args, other ? 5 : 4);
}

/* The strided passes of operand x into `data`. */
static int forward_passes(struct session *s, const struct ntt_length *l, gpu_mem data,
                          struct number x) {
    int status = strided_pass(s, l, 0, "forward_first", data, &x);
    for (unsigned i = 1; i + 1 < l->passes && status == GPU_OK; i++)
        status = strided_pass(s, l, i, "forward", data, NULL);
    return status;
}

/* The strided passes back, the coefficients' sum into r, and its carries. */
static int inverse_passes(struct session *s, const struct ntt_length *l, gpu_mem data,
                          struct number r) {
    const unsigned chunk = SPAN * (CARRY_THREADS - 1);
    uint64_t groups = (r.words + chunk - 1) / chunk;
    gpu_mem flags;
    int status = number_flags(s, groups, &flags);
    for (unsigned i = l->passes - 1; i-- > 0 && status == GPU_OK;)
        status = strided_pass(s, l, i, "inverse", data, NULL);
    if (status != GPU_OK)
        return status;
    struct gpu_arg args[] = {gpu_arg_mem(r.mem),
                             gpu_arg_u64(r.at),
                             gpu_arg_u64(r.words),
                             gpu_arg_mem(data),
                             gpu_arg_mem(s->slot[SLOT_TABLES].mem),
                             gpu_arg_u32(l->log_m),
                             gpu_arg_u32(l->branches),
                             gpu_arg_mem(flags)};
    status = NUMBER_LAUNCH(s, l->root ? GPU_PROGRAM_crt_signed : GPU_PROGRAM_crt, "crt", groups, 1,
                           CARRY_THREADS, args);
    if (status == GPU_OK)
        status = number_carries(s, r, groups, chunk, 0);
    return status;
}

/* r = piece times the operand in SLOT_KEPT, or the piece's square. */
static int piece_mul(struct session *s, const struct ntt_length *l, struct number r,
                     struct number piece, int is_square) {
    gpu_mem work = s->slot[SLOT_WORK].mem, kept = s->slot[SLOT_KEPT].mem;
    int status = forward_passes(s, l, work, piece);
    if (status == GPU_OK)
        status = is_square ? contiguous_pass(s, l, "square", work, NULL)
                           : contiguous_pass(s, l, "multiply", work, &kept);
    return status == GPU_OK ? inverse_passes(s, l, work, r) : status;
}

/* The transform of v into SLOT_KEPT. */
static int keep(struct session *s, const struct ntt_length *l, struct number v) {
    gpu_mem kept;
    int status = session_buffer(s, SLOT_KEPT, transform_bytes(l), &kept);
    if (status == GPU_OK)
        status = forward_passes(s, l, kept, v);
    return status == GPU_OK ? contiguous_pass(s, l, "forward_last", kept, NULL) : status;
}

/* r = u v for a v of at most one part: the pieces of u in turn.  The products of
 * every second piece do not overlap, so they go into r and into SLOT_ODD, which are
 * then added. */
static int part_mul(struct session *s, const struct ntt_plan *plan, struct number r,
                    struct number u, struct number v) {
    const struct ntt_length *l = &plan->length;
    struct number half[2] = {r, r};
    int is_square = plan->pieces == 1 && number_same(u, v), status = GPU_OK;
    if (plan->pieces > 1) {
        status = number_in_slot(s, SLOT_ODD, r.words, &half[1]);
        for (int i = 0; i < 2 && status == GPU_OK; i++)
            status = gpu_zero(&s->queue, half[i].mem, half[i].at * sizeof(uint32_t),
                              r.words * sizeof(uint32_t));
    }
    if (status == GPU_OK && !is_square)
        status = keep(s, l, v);
    uint64_t step = plan->pieces > 1 ? plan->piece_u * DIGIT_WORDS : u.words;
    for (uint64_t i = 0; i * step < u.words && status == GPU_OK; i++) {
        struct number piece = number_part(u, i * step, step);
        status = piece_mul(s, l, number_part(half[i & 1], i * step, piece.words + v.words), piece,
                           is_square);
    }
    if (status == GPU_OK && plan->pieces > 1)
        status = number_add(s, r, r, half[1], 0, NULL);
    return status;
}

/* r = the sum of u times the parts of v, each at its place. */
static int parts_mul(struct session *s, const struct ntt_plan *plan, struct number r,
                     struct number u, struct number v) {
    uint64_t step = plan->part_v * DIGIT_WORDS;
    struct number product;
    int status = number_in_slot(s, SLOT_PART, u.words + step, &product);
    if (status == GPU_OK)
        status = gpu_zero(&s->queue, r.mem, r.at * sizeof(uint32_t), r.words * sizeof(uint32_t));
    for (uint64_t at = 0; at < v.words && status == GPU_OK; at += step) {
        struct number part = number_part(v, at, step), to = number_part(r, at, r.words);
        struct number sum = number_part(product, 0, u.words + part.words);
        status = part_mul(s, plan, sum, u, part);
        if (status == GPU_OK)
            status = number_add(s, to, to, sum, 0, NULL);
    }
    return status;
}

/* The tables, and room for a transform. */
static int begin(struct session *s, const struct ntt_length *l) {
    gpu_mem unused;
    int status = tables_get(s, &unused);
    return status == GPU_OK ? session_buffer(s, SLOT_WORK, transform_bytes(l), &unused) : status;
}

int ntt_mul(struct session *s, const struct ntt_plan *plan, struct number r, struct number u,
            struct number v) {
    int status = begin(s, &plan->length);
    if (status != GPU_OK)
        return status;
    return plan->parts == 1 ? part_mul(s, plan, r, u, v) : parts_mul(s, plan, r, u, v);
}

int ntt_mul_wrapped(struct session *s, const struct ntt_length *length, struct number r,
                    struct number u, struct number v) {
    int is_square = number_same(u, v), status = begin(s, length);
    if (status == GPU_OK && !is_square)
        status = keep(s, length, v);
    return status == GPU_OK ? piece_mul(s, length, r, u, is_square) : status;
}

/* Of the memory that is there or allowed, a sixteenth is left alone; operands and
 * result may stand twice (pieces, parts); the rest is for two transforms, each one
 * allocation. */
static uint64_t max_digits(const struct session *s, uint64_t words) {
    uint64_t room = s->dev.caps.memory_bytes, largest = s->dev.caps.max_alloc;
    if (mpgpu_conf.memory && mpgpu_conf.memory < room)
        room = mpgpu_conf.memory;
    room -= room / 16;
    uint64_t numbers = 2 * words * sizeof(uint32_t);
    uint64_t transform = numbers < room ? (room - numbers) / 2 >> s->tight : 0;
    if (transform > largest)
        transform = largest;
    return transform / (PRIMES * sizeof(uint32_t));
}

int ntt_has_room(const struct session *s, const struct ntt_length *length, uint64_t words) {
    return ntt_length_digits(length) <= max_digits(s, words);
}

int ntt_prepare(struct session *s, struct ntt_plan *plan, uint64_t un, uint64_t vn) {
    uint64_t most = max_digits(s, 2 * (un + vn));
    if (!ntt_plan_init(plan, (un + DIGIT_WORDS - 1) / DIGIT_WORDS,
                       (vn + DIGIT_WORDS - 1) / DIGIT_WORDS, most))
        return GPU_NOMEM;
    return known_prove_length(s, &plan->length);
}
