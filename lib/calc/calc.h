/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Arithmetic on device numbers, as the mpn layer is for GMP. A composite operation is a function of
 * a struct calc that calls the functions below. Usually only downloads make the host wait.
 *
 * The operation runs twice. The first run plans: it counts memory and self-tests the kernels. The
 * second run queues the work in the context's queue. So both runs must make the same calls,
 * whatever the operands' values are.
 *
 * Two engines compute: a device, or the host at once, on limbs in its memory. The host's engine
 * checks nothing here: its products are checked where they are computed.
 *
 * Sizes are words of 32 bits. A quad is 4 words. Numbers begin at quad boundaries and are not
 * normalised. A result's size follows only from operands' sizes, and its value is modulo
 * 2^(32 * words). After the first failure every function does nothing, and `status` says what
 * failed. */
#ifndef MPGPU_CALC_H
#define MPGPU_CALC_H

#include <stdbool.h>
#include <string.h>

#include "lib/device/number.h"
#include "lib/multiply/fft_product_plan.h"
#include "lib/transfer/caller_memory.h"

#define CALC_QUAD 4 /* words */
#define CALC_QUAD_BITS (32 * CALC_QUAD)

/* Returns the part of x that begins at quad `from` (of 128 bits) and has `count` quads. */
static inline struct number calc_quads(struct number x, uint64_t from, uint64_t count) {
    return number_part(x, CALC_QUAD * from, CALC_QUAD * count);
}

struct calc;
struct calc_equation;
struct calc_factor;

/* The functions of one engine, which the functions below with the same names call. The engine's
 * functions up to `reduce` are called in both runs: planning and computing. Its functions from
 * there to `remainder` are called only in the computing run. */
struct calc_engine {
    /* Uploads the limbs at or above quad `high` (of 128 bits) before the others. */
    struct number (*upload)(struct calc *c, const void *host, uint64_t zeros, uint64_t limbs,
                            uint64_t words, uint64_t high);
    void (*mul)(struct calc *c, struct number r, struct number u, struct number v);
    struct number (*mul_wrapped)(struct calc *c, uint64_t least, struct number u, struct number v);
    void (*mul_1)(struct calc *c, struct number r, struct number u, uint64_t v);
    void (*reduce)(struct calc *c, struct number r, struct number flag, struct number u,
                   struct number v);

    void (*download)(struct calc *c, void *host, struct number x, uint64_t from, uint64_t bytes);
    void (*zero)(struct calc *c, struct number r);
    void (*add)(struct calc *c, struct number r, struct number u, struct number v, bool subtract);
    void (*shift)(struct calc *c, struct number r, struct number u, int64_t bits,
                  bool is_complement);
    /* Computes r = n - q d from `product`, which has w words and is q d modulo B^w - 1 (B = 2^32).
     * r has fewer than w words. */
    void (*remainder)(struct calc *c, struct number r, struct number n, struct number product,
                      struct number q, struct number d);

    /* The host's engine has NULL for the remaining functions. Those up to demand_below_mersenne are
     * called in both runs: planning and computing. */
    /* Returns the least w, in words, for products by a divisor of n quads (128 bits each) modulo
     * 2^(32 w) - 1. Returns 0 if whole products are computed instead. */
    uint64_t (*least_wrapped)(struct calc *c, uint64_t n);
    /* For lib/calc/calc_factor.h. */
    bool (*keep)(struct calc *c, struct calc_factor *f);
    void (*mul_kept)(struct calc *c, struct number r, struct number u, const struct calc_factor *f);
    /* r = floor(u / d), as number_divide_1 computes it. */
    void (*divide_1)(struct calc *c, struct number r, struct number u, uint32_t d);
    /* For products modulo 2^p - 1 (lib/calc/calc_form.c).
     * - mul_mersenne: if transforms can compute u v modulo 2^p - 1 directly, sets x to the sum of
     *   coefficients (lib/multiply/fft_product.h). Otherwise returns false.
     * - mersenne_reduce: divides x by 2^p - 1. r becomes the remainder, and q, of one quad (128
     *   bits), the quotient. x is below 2^(p + 64), and overlaps neither r nor q.
     * - mersenne_quotient: adds (u v - x) / (2^p - 1) to q, modulo the context's random modulus */
    bool (*mul_mersenne)(struct calc *c, uint64_t p, struct number x, struct number u,
                         struct number v);
    void (*mersenne_reduce)(struct calc *c, uint64_t p, struct number r, struct number q,
                            struct number x);
    void (*mersenne_quotient)(struct calc *c, struct number q, struct number u, struct number v);
    void (*demand_less)(struct calc *c, struct number u, struct number v);
    void (*demand_below_mersenne)(struct calc *c, struct number u, uint64_t p);
    void (*need)(struct calc *c, struct number x);
    void (*demand)(struct calc *c, const struct calc_equation *q); /* lib/calc/calc_check.h */
    void (*check_now)(struct calc *c);
};

struct calc {
    const struct calc_engine *engine;
    struct context *s; /* the device's engine */
    bool host;         /* true for the host's engine, whose functions compute before they return */
    uint64_t *limbs;   /* host's engine: memory of all numbers */
    void *of;          /* host's engine: the struct composite for which it computes */
    enum gpu_status status;
    bool is_planning;
    bool is_series; /* the backend collects launches to issue them together */
    bool wraps;     /* products modulo a number 2^k - 1 may replace whole products */
    gpu_mem mem;    /* device memory of all numbers, of `words` words */
    uint64_t words;
    uint64_t used, most; /* words in use now; most words in use so far */
    struct number one;   /* calc_one */
    /* Counts of answers in use (lib/device/answers.h). Products modulo a number 2^k - 1 use
     * `open` entries, from ANSWER_OPEN upwards. Fft products use `doubts` entries, from
     * ANSWER_OPEN + ANSWERS_OPEN downwards. */
    unsigned open, doubts;
    /* mersenne_p: the first p for which the operation computes a product modulo 2^p - 1, or 0.
     * mersenne: the plan of such products. If its length is 0, or p is another number, whole
     * products are computed. */
    uint64_t mersenne_p;
    struct fft_product_plan mersenne;
    unsigned flags;     /* count of flags */
    struct calc_check { /* lib/calc/calc_check.h */
        struct calc_record *record;
        uint64_t room; /* of records */
        uint64_t at;   /* index of the check's first entry (64 bits) in `mem` */
        /* `state` and `counted`: what the check's memory on the device must contain at the end. The
         * host derives both from the demands: the equations and comparisons that must hold. */
        uint64_t state, counted;
        unsigned count, lesses; /* records; demanded comparisons */
        bool has_begun;
    } check;
    bool is_wrong; /* set if an equation or comparison that the check demands does not hold */
    /* The following fields are for two devices that compute the operation together
     * (lib/calc/calc_shard.h). */
    struct calc_shard *pair; /* NULL: alone */
    unsigned half;           /* index of this device: 0 or 1 */
    bool is_alone;           /* set if the other device has left the operation */
    unsigned turn;    /* index (0 or 1) of the place for this device's next half of a product */
    uint64_t offered; /* words of each of the two places for halves of products */
    /* Words in use of the memory for long operands. Each device uploads one half of each such
     * operand (calc_broadcast.h). */
    uint64_t broadcast;
    /* NULL, or a function that queues further work for the device. It is called before the device
     * waits for the other device's half of a product. */
    void (*meanwhile)(void *of);
    void *meanwhile_of;
};

/* Runs `work` twice: the first run plans, the second computes. Returns GPU_NOMEM if memory is
 * short, GPU_FAILED if a check failed; downloaded results are then undefined. */
enum gpu_status calc_run(struct context *s, void (*work)(struct calc *c, void *argument),
                         void *argument);

/* Runs one half of an operation on two devices, as calc_run runs a whole operation on one device.
 * This device has index `half`. Sets *end if it returns GPU_OK:
 * - CALC_DONE: this device has computed its part. Downloads are complete once both devices have
 *   ended so.
 * - CALC_UNDONE: one device must repeat the operation alone; this device has made no fault.
 * - CALC_WRONG_RESULT: one device must repeat the operation alone; either device may be at fault.
 */
enum calc_end { CALC_UNDONE, CALC_WRONG_RESULT, CALC_DONE };
enum gpu_status calc_run_half(struct context *s, void (*work)(struct calc *c, void *argument),
                              void *argument, struct calc_shard *pair, unsigned half,
                              enum calc_end *end);

/* Begins a series of kernel launches. The series ends at the next call of this function, or with
 * the operation. If a series repeats an earlier one, with the same order and arguments, the driver
 * gets all its launches as one. */
void calc_series(struct calc *c);

/* Run an operation on the host. calc_plan_on_host plans it, and returns how many limbs the caller
 * must provide at c->limbs. Then calc_run_on_host computes it. */
uint64_t calc_plan_on_host(struct calc *c, const struct calc_engine *engine,
                           void (*work)(struct calc *c, void *argument), void *argument);
enum gpu_status calc_run_on_host(struct calc *c, void (*work)(struct calc *c, void *argument),
                                 void *argument);

/* Returns true while the operation runs and nothing has failed. */
static inline bool calc_is_on(const struct calc *c) {
    return c->status == GPU_OK && !c->is_planning;
}

/* Returns the address of x's limbs in the host's engine. */
static inline uint64_t *calc_limbs(const struct calc *c, struct number x) {
    return c->limbs + x.at / 2;
}

/* calc_take returns memory for a number, not cleared. calc_drop releases all numbers taken since
 * calc_mark returned `mark`. */
struct number calc_take(struct calc *c, uint64_t words);
static inline uint64_t calc_mark(const struct calc *c) {
    return c->used;
}
static inline void calc_drop(struct calc *c, uint64_t mark) {
    c->used = mark;
}

/* Returns the number of words, in whole quads (128 bits each), that hold `bits` bits. */
static inline uint64_t calc_words(uint64_t bits) {
    return (bits + 32 * CALC_QUAD - 1) / (32 * CALC_QUAD) * CALC_QUAD;
}

/* Returns an address at which {p, bytes}, memory of the job's caller, can be read
 * (lib/transfer/caller_memory.h). On failure returns NULL, and sets `status`. Otherwise calc_leave
 * must follow soon. */
static inline const void *calc_enter(struct calc *c, const void *p, size_t bytes) {
    const void *memory = NULL;
    if (c->status == GPU_OK)
        memory = c->host ? p : caller_enter(c->s->lease, p, bytes);
    if (c->status == GPU_OK && !memory)
        c->status = caller_refusal(c->s->lease);
    return memory;
}
static inline void calc_leave(struct calc *c) {
    if (!c->host)
        caller_leave(c->s->lease);
}

/* Copies {from, bytes} from memory of the job's caller. Returns false if it cannot be read. */
static inline bool calc_read(struct calc *c, void *to, const void *from, size_t bytes) {
    const void *memory = bytes > 0 ? calc_enter(c, from, bytes) : NULL;
    if (memory) {
        memcpy(to, memory, bytes);
        calc_leave(c);
    }
    return c->status == GPU_OK;
}

/* Return a number whose `limbs` limbs of 64 bits are at `host`, with `zeros` zero limbs below them.
 * Above them are zeros up to `words` words. The limbs must not change: they are uploaded when
 * calc_need or a product needs them. */
static inline struct number calc_upload_above(struct calc *c, const void *host, uint64_t zeros,
                                              uint64_t limbs, uint64_t words) {
    return c->engine->upload(c, host, zeros, limbs, words, 0);
}
static inline struct number calc_upload(struct calc *c, const void *host, uint64_t limbs,
                                        uint64_t words) {
    return calc_upload_above(c, host, 0, limbs, words);
}
void calc_need(struct calc *c, struct number x);

/* Downloads `limbs` limbs of x to host memory, and returns when they are there. If two devices
 * compute the operation, each downloads a part. */
void calc_download(struct calc *c, void *host, struct number x, uint64_t limbs);

/* Downloads `bytes` bytes of x from byte `from`. */
void calc_download_bytes(struct calc *c, void *host, struct number x, uint64_t from,
                         uint64_t bytes);

/* Downloads the lowest `limbs` limbs of x, which the host needs to decide how to continue. If two
 * devices compute the operation, each downloads all of them, to its own memory. */
static inline void calc_download_to_each(struct calc *c, void *host, struct number x,
                                         uint64_t limbs) {
    calc_download_bytes(c, host, x, 0, limbs * sizeof(uint64_t));
}

/* r = u v, or u^2 if u and v are the same words; r.words >= u.words + v.words; r overlaps
 * neither. */
void calc_mul(struct calc *c, struct number r, struct number u, struct number v);

/* Returns the most words of numbers for calc_mul_batch. */
uint64_t calc_batch_most_words(const struct calc *c);

/* Multiplies number i of u by number i of v, for all i < count. All have `words` words; the product
 * becomes number i of r, which overlaps neither. Only the device computes it. */
void calc_mul_batch(struct calc *c, uint64_t count, uint64_t words, struct number r,
                    struct number u, struct number v);

/* Returns a number of n words that is congruent to u v modulo B^n - 1, for B = 2^32 and an n of at
 * least `least`. Returns u v itself if that costs no more. Takes the number's memory by calc_take.
 */
static inline struct number calc_mul_wrapped(struct calc *c, uint64_t least, struct number u,
                                             struct number v) {
    return c->engine->mul_wrapped(c, least, u, v);
}

/* calc_add: r = u + v. calc_sub: r = u - v. u.words >= v.words, r.words = u.words; r may be u or
 * v. */
void calc_add(struct calc *c, struct number r, struct number u, struct number v);
void calc_sub(struct calc *c, struct number r, struct number u, struct number v);

/* r = u v, r.words >= u.words; r does not overlap u. */
static inline void calc_mul_1(struct calc *c, struct number r, struct number u, uint64_t v) {
    c->engine->mul_1(c, r, u, v);
}

/* Returns the number 1, of one word. */
static inline struct number calc_one(const struct calc *c) {
    return c->one;
}

/* r = floor(u / 2^bits), or u 2^-bits if bits is negative. With is_complement all bits of r are
 * then inverted. r does not overlap u. */
void calc_shift(struct calc *c, struct number r, struct number u, int64_t bits, bool is_complement);

/* r = u, extended with zeros. */
static inline void calc_copy(struct calc *c, struct number r, struct number u) {
    calc_shift(c, r, u, 0, false);
}
void calc_zero(struct calc *c, struct number r);

/* If u >= v: r = u - v; otherwise r = u. u.words >= v.words, r.words <= u.words; r may be u, but
 * not v. Returns a flag of one word: 1 if u >= v, otherwise 0. Its memory is reused after 32 more
 * flags. */
struct number calc_reduce(struct calc *c, struct number r, struct number u, struct number v);

/* calc_compare returns the flag of calc_reduce without subtracting: 1 if u >= v, otherwise 0.
 * calc_select, for the device's engine only, sets r = a if the flag is 0, r = b if it is 1. r may
 * be a or b. */
struct number calc_compare(struct calc *c, struct number u, struct number v);
void calc_select(struct calc *c, struct number r, struct number flag, struct number a,
                 struct number b);

/* Returns true if u < v. The host waits for the answer. The check later verifies the answer
 * (calc_demand_less), and compares u, v and calc_one with their recorded residues (calc_doubt). */
bool calc_is_less(struct calc *c, struct number u, struct number v);

#endif
