/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Arithmetic on device numbers, as the mpn layer is for GMP. A composite operation is a function of
 * a struct calc that calls the functions below. Only downloads make the host wait.
 *
 * The operation runs twice. The first run plans: it counts memory and self-tests the kernels. The
 * second run queues the work in the context's queue. So both runs must make the same calls,
 * whatever the operands' values are.
 *
 * Two engines compute: a device, or the host at once, on limbs in its memory. The host's engine
 * checks nothing here: its products are checked where they are computed.
 *
 * Sizes are words of 32 bits. A quad is 4 words. Numbers begin at quad boundaries and are not
 * normalised. A result's size follows only from operands' sizes, and its value is modulo 2^(32
 * words). After the first failure every function does nothing, and `status` says what failed. */
#ifndef MPGPU_CALC_H
#define MPGPU_CALC_H

#include <stdbool.h>
#include <string.h>

#include "lib/device/number.h"
#include "lib/transfer/caller_memory.h"

#define CALC_QUAD 4 /* words */
#define CALC_QUAD_BITS (32 * CALC_QUAD)

/* Returns `count` quads of x from quad `from`. */
static inline struct number calc_quads(struct number x, uint64_t from, uint64_t count) {
    return number_part(x, CALC_QUAD * from, CALC_QUAD * count);
}

struct calc;
struct calc_equation;
struct calc_factor;

/* The arithmetic of an engine, for the functions below with the same names. The functions up to
 * reduce are called in both runs, the next ones up to remainder only while the operation runs. */
struct calc_engine {
    /* The limbs from quad `high` up are uploaded first. */
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
    /* r = n - q d, which has fewer words than `product`. `product` is q d modulo B^w - 1, and has w
     * words. */
    void (*remainder)(struct calc *c, struct number r, struct number n, struct number product,
                      struct number q, struct number d);

    /* The rest is NULL in the host's engine. The first four are called in both runs. */
    /* Returns the least words of products modulo B^w - 1 by a divisor of n quads, or 0 if such
     * products are not used. */
    uint64_t (*least_wrapped)(struct calc *c, uint64_t n);
    /* For lib/calc/calc_factor.h. */
    bool (*keep)(struct calc *c, struct calc_factor *f);
    void (*mul_kept)(struct calc *c, struct number r, struct number u, const struct calc_factor *f);
    void (*demand_less)(struct calc *c, struct number u, struct number v);
    void (*need)(struct calc *c, struct number x);
    void (*demand)(struct calc *c, const struct calc_equation *q); /* lib/calc/calc_check.h */
    void (*settle)(struct calc *c);
};

struct calc {
    const struct calc_engine *engine;
    struct context *s; /* the device's engine */
    bool host;         /* the host's engine: functions return with their results; then: */
    uint64_t *limbs;   /* memory of all numbers, */
    void *of;          /* data of the engine's owner */
    enum gpu_status status;
    bool is_planning;
    bool is_series; /* the backend collects launches to issue them together */
    bool wraps;     /* products modulo B^n - 1 may be used */
    gpu_mem mem;    /* memory of all numbers, of `words` words */
    uint64_t words;
    uint64_t used, most; /* taken now; highest value so far */
    struct number one;   /* calc_one */
    unsigned open;       /* count of products modulo B^n - 1 */
    unsigned flags;      /* count of flags */
    struct calc_check {  /* lib/calc/calc_check.h */
        struct calc_record *record;
        uint64_t room;           /* of records */
        uint64_t at;             /* its memory, in entries of 64 bits */
        uint64_t state, counted; /* the device's values at the end if all demands hold */
        unsigned count, lesses;  /* records; demanded comparisons */
        bool has_begun;
    } check;
    bool is_wrong; /* a demand does not hold */
    /* If two devices compute it together (lib/calc/calc_pair.h): */
    struct calc_pair *pair; /* NULL: alone */
    unsigned half;          /* 0 or 1: which half this device is */
    bool is_alone;          /* the other has gone */
    unsigned turn;          /* the place, 0 or 1, of the next offered half */
    uint64_t offered;       /* words of each place */
    uint64_t lent;          /* words of operands that both upload parts of (lib/calc/calc_lend.h) */
    void (*meanwhile)(void *of); /* or NULL: work for the device while it waits for halves */
    void *meanwhile_of;
};

/* Runs `work` twice, as above. Returns GPU_NOMEM if memory is short, GPU_FAILED if a check failed;
 * downloaded results are then undefined. */
enum gpu_status calc_run(struct context *s, void (*work)(struct calc *c, void *argument),
                         void *argument);

/* As calc_run, on two devices; this one computes half `half` of the pair. GPU_OK without CALC_DONE
 * means that one device must repeat the operation alone, without a fault of this device. With
 * CALC_WRONG_RESULT either device may be at fault. Downloads are complete once both devices have
 * done it. */
enum calc_end { CALC_UNDONE, CALC_WRONG_RESULT, CALC_DONE };
enum gpu_status calc_run_half(struct context *s, void (*work)(struct calc *c, void *argument),
                              void *argument, struct calc_pair *pair, unsigned half,
                              enum calc_end *end);

/* Begins a series of launches, until the next call or the end. A series that repeats an earlier
 * one, with the same order and arguments, goes to the driver as one launch. */
void calc_series(struct calc *c);

/* As calc_run, on the host: calc_plan_on_host plans, and returns the limbs that calc_run_on_host
 * needs at c->limbs. */
uint64_t calc_plan_on_host(struct calc *c, const struct calc_engine *engine,
                           void (*work)(struct calc *c, void *argument), void *argument);
enum gpu_status calc_run_on_host(struct calc *c, void (*work)(struct calc *c, void *argument),
                                 void *argument);

/* Returns true while the operation runs and nothing has failed. */
static inline bool calc_is_on(const struct calc *c) {
    return c->status == GPU_OK && !c->is_planning;
}

/* Returns the limbs of x in the host's engine. */
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

/* Returns the words of the quads for `bits` bits. */
static inline uint64_t calc_words(uint64_t bits) {
    return (bits + 32 * CALC_QUAD - 1) / (32 * CALC_QUAD) * CALC_QUAD;
}

/* Returns an address to read {p, bytes} of the job's caller (lib/transfer/caller_memory.h). On
 * failure returns NULL, and sets `status`. Otherwise calc_leave must follow soon. */
static inline const void *calc_enter(struct calc *c, const void *p, size_t bytes) {
    const void *memory = NULL;
    if (c->status == GPU_OK)
        memory = c->host ? p : caller_enter(c->s->hold, p, bytes);
    if (c->status == GPU_OK && !memory)
        c->status = caller_refusal(c->s->hold);
    return memory;
}
static inline void calc_leave(struct calc *c) {
    if (!c->host)
        caller_leave(c->s->hold);
}

/* Copies {from, bytes} of the job's caller. Returns false if they cannot be read. */
static inline bool calc_read(struct calc *c, void *to, const void *from, size_t bytes) {
    const void *memory = bytes > 0 ? calc_enter(c, from, bytes) : NULL;
    if (memory) {
        memcpy(to, memory, bytes);
        calc_leave(c);
    }
    return c->status == GPU_OK;
}

/* Return a number of `limbs` limbs of 64 bits in host memory, with `zeros` zero limbs below, and
 * zeros above up to `words` words. The limbs must not change. They are uploaded when calc_need or a
 * product needs them. */
static inline struct number calc_upload_above(struct calc *c, const void *host, uint64_t zeros,
                                              uint64_t limbs, uint64_t words) {
    return c->engine->upload(c, host, zeros, limbs, words, 0);
}
static inline struct number calc_upload(struct calc *c, const void *host, uint64_t limbs,
                                        uint64_t words) {
    return calc_upload_above(c, host, 0, limbs, words);
}
void calc_need(struct calc *c, struct number x);

/* Downloads `limbs` limbs of x to host memory; complete on return. Of two devices each downloads a
 * part. */
void calc_download(struct calc *c, void *host, struct number x, uint64_t limbs);

/* Downloads `bytes` bytes of x from byte `from`. */
void calc_download_bytes(struct calc *c, void *host, struct number x, uint64_t from,
                         uint64_t bytes);

/* Downloads `limbs` limbs of x with which the host's part continues. Of two devices each downloads
 * all of them, to its own memory. */
static inline void calc_download_to_each(struct calc *c, void *host, struct number x,
                                         uint64_t limbs) {
    calc_download_bytes(c, host, x, 0, limbs * sizeof(uint64_t));
}

/* r = u v, or u^2 if both are the same words; r.words >= u.words + v.words; r overlaps neither. */
void calc_mul(struct calc *c, struct number r, struct number u, struct number v);

/* Returns a number congruent to u v modulo B^n - 1, B = 2^32, where n is its size, at least `least`
 * words. Returns u v itself if that costs no more. The number is taken by calc_take. */
static inline struct number calc_mul_wrapped(struct calc *c, uint64_t least, struct number u,
                                             struct number v) {
    return c->engine->mul_wrapped(c, least, u, v);
}

/* r = u + v, u - v; u.words >= v.words, r.words = u.words; r may be u or v. */
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
 * not v. Returns a flag of one word, 1 or 0, which is overwritten after 32 more flags. */
struct number calc_reduce(struct calc *c, struct number r, struct number u, struct number v);

/* calc_compare returns the flag only. calc_select, on a device alone, sets r = a if the flag is 0,
 * b if it is 1. r may be a or b. */
struct number calc_compare(struct calc *c, struct number u, struct number v);
void calc_select(struct calc *c, struct number r, struct number flag, struct number a,
                 struct number b);

/* Returns true if u < v. The host waits for the answer, and then demands it (calc_demand_less). u,
 * v and calc_one are compared with their records at the end. */
bool calc_is_less(struct calc *c, struct number u, struct number v);

#endif
