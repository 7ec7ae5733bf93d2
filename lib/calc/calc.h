/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Arithmetic on device numbers: what the mpn layer is for GMP.  A composite operation is a function
 * of a struct calc that calls what stands here.  Nothing waits for the host but the downloads.
 *
 * It runs twice.  The first time plans: room is counted, kernels pass their self-tests, nothing
 * else happens.  The second time puts the work into the context's queue.  So both must take the
 * same way, whatever the operands' values are.
 *
 * Two engines compute: a device, and the host at once, on limbs in its memory.  The host's engine
 * checks nothing here: its products are checked where they are computed.
 *
 * Sizes are words of 32 bits.  Numbers lie at multiples of 4 words and are not normalised: a
 * result's size follows from operands' sizes alone, and it is modulo 2^(32 words).  After the first
 * failure every function does nothing, and `status` says what failed. */
#ifndef MPGPU_CALC_H
#define MPGPU_CALC_H

#include <stdbool.h>
#include <string.h>

#include "lib/device/number.h"
#include "lib/transfer/caller_memory.h"

#define CALC_QUAD 4 /* words */
#define CALC_QUAD_BITS (32 * CALC_QUAD)

/* `count` quads of x from quad `from` on. */
static inline struct number calc_quads(struct number x, uint64_t from, uint64_t count) {
    return number_part(x, CALC_QUAD * from, CALC_QUAD * count);
}

struct calc;
struct calc_equation;
struct calc_factor;

/* The arithmetic of an engine, for the functions below with the same names.  The functions up to
 * reduce are called in both runs, those up to remainder only while the operation runs. */
struct calc_engine {
    /* The limbs from quad `high` on are uploaded first. */
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
    /* r = n - q d, of fewer words than `product`, which is q d modulo B^w - 1 and has w words. */
    void (*remainder)(struct calc *c, struct number r, struct number n, struct number product,
                      struct number q, struct number d);

    /* The rest is NULL in the host's engine.  The first four are called in both runs. */
    /* The words from which on products by a divisor of n quads are computed modulo B^w - 1, or 0 if
     * they never are. */
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
    bool host;         /* the host's engine: results are there when a function returns; then: */
    uint64_t *limbs;   /* memory of all numbers, */
    void *of;          /* and what the engine's owner keeps */
    enum gpu_status status;
    bool is_planning;
    bool is_series; /* the backend keeps launches back, to issue them together */
    bool wraps;     /* products modulo B^n - 1 may be used */
    gpu_mem mem;    /* of all numbers: `words` of them, */
    uint64_t words;
    uint64_t used, most; /* taken now, and at most so far */
    struct number one;   /* calc_one */
    unsigned open;       /* products modulo B^n - 1 so far */
    unsigned flags;      /* flags so far */
    struct calc_check {  /* lib/calc/calc_check.h */
        struct calc_record *record;
        uint64_t room;           /* of records */
        uint64_t at;             /* its memory, in entries of 64 bits */
        uint64_t state, counted; /* what the device has at the end if all demands hold */
        unsigned count, lesses;  /* records; comparisons that were demanded */
        bool has_begun;
    } check;
    bool is_wrong; /* a demand did not hold */
    /* Of two devices that do it together (lib/calc/calc_pair.h): */
    struct calc_pair *pair; /* NULL: alone */
    unsigned half;          /* which of them this one is */
    bool is_alone;          /* the other has gone */
    unsigned turn;          /* where the next half is offered, 0 or 1, */
    uint64_t offered;       /* and the words of either place */
    uint64_t lent;          /* words of operands that both bring parts of (lib/calc/calc_lend.h) */
    void (*meanwhile)(void *of); /* or NULL: what the device can do while halves are awaited */
    void *meanwhile_of;
};

/* Runs `work` twice, as above.  GPU_NOMEM where there is no room; GPU_FAILED where a check failed.
 * What the work has downloaded may be anything then. */
enum gpu_status calc_run(struct context *s, void (*work)(struct calc *c, void *argument),
                         void *argument);

/* The same by two devices, this one being half `half` of the pair.  GPU_OK without CALC_DONE: it is
 * to be done once more by one alone, and that is no fault of this device, or with CALC_WRONG_RESULT
 * of either.  What is downloaded is complete when both have done it. */
enum calc_end { CALC_UNDONE, CALC_WRONG_RESULT, CALC_DONE };
enum gpu_status calc_run_half(struct context *s, void (*work)(struct calc *c, void *argument),
                              void *argument, struct calc_pair *pair, unsigned half,
                              enum calc_end *end);

/* Launches that come again in the same order, with the same arguments, go to the driver as one:
 * from one call of this to the next, or to the end. */
void calc_series(struct calc *c);

/* The same by the host: plans, and returns the limbs that calc_run_on_host must have at c->limbs.
 */
uint64_t calc_plan_on_host(struct calc *c, const struct calc_engine *engine,
                           void (*work)(struct calc *c, void *argument), void *argument);
enum gpu_status calc_run_on_host(struct calc *c, void (*work)(struct calc *c, void *argument),
                                 void *argument);

/* Returns true while the operation runs, and nothing has failed. */
static inline bool calc_is_on(const struct calc *c) {
    return c->status == GPU_OK && !c->is_planning;
}

/* x as the host's engine has it. */
static inline uint64_t *calc_limbs(const struct calc *c, struct number x) {
    return c->limbs + x.at / 2;
}

/* Room for a number, not cleared; and back to where `used` was before, for all taken since. */
struct number calc_take(struct calc *c, uint64_t words);
static inline uint64_t calc_mark(const struct calc *c) {
    return c->used;
}
static inline void calc_drop(struct calc *c, uint64_t mark) {
    c->used = mark;
}

/* The quads that hold so many bits, in words. */
static inline uint64_t calc_words(uint64_t bits) {
    return (bits + 32 * CALC_QUAD - 1) / (32 * CALC_QUAD) * CALC_QUAD;
}

/* Returns {p, bytes} of the job's caller to be read (lib/transfer/caller_memory.h), or NULL, and
 * `status` says why.  calc_leave must follow soon if it is not NULL. */
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

/* Copies {from, bytes} of the job's caller.  Returns false if it is not to be read. */
static inline bool calc_read(struct calc *c, void *to, const void *from, size_t bytes) {
    const void *memory = bytes > 0 ? calc_enter(c, from, bytes) : NULL;
    if (memory) {
        memcpy(to, memory, bytes);
        calc_leave(c);
    }
    return c->status == GPU_OK;
}

/* A number of `limbs` limbs of 64 bits in host memory, which stay as they are, with `zeros` limbs
 * of zeros below and zeros up to `words` words above them.  It is uploaded when calc_need, or a
 * product, asks for it. */
static inline struct number calc_upload_above(struct calc *c, const void *host, uint64_t zeros,
                                              uint64_t limbs, uint64_t words) {
    return c->engine->upload(c, host, zeros, limbs, words, 0);
}
static inline struct number calc_upload(struct calc *c, const void *host, uint64_t limbs,
                                        uint64_t words) {
    return calc_upload_above(c, host, 0, limbs, words);
}
void calc_need(struct calc *c, struct number x);

/* x to host memory, `limbs` limbs of it; complete on return.  Of two devices each brings a part. */
void calc_download(struct calc *c, void *host, struct number x, uint64_t limbs);

/* The same with `bytes` bytes of x from byte `from` on. */
void calc_download_bytes(struct calc *c, void *host, struct number x, uint64_t from,
                         uint64_t bytes);

/* Downloads `limbs` limbs of x that the host's part goes on with; of two devices each downloads all
 * of them, to a place of its own. */
static inline void calc_download_to_each(struct calc *c, void *host, struct number x,
                                         uint64_t limbs) {
    calc_download_bytes(c, host, x, 0, limbs * sizeof(uint64_t));
}

/* r = u v, or u^2 where both are the same words; r.words >= u.words + v.words; r lies apart. */
void calc_mul(struct calc *c, struct number r, struct number u, struct number v);

/* A number of at least `least` words that is congruent to u v modulo B^n - 1, B = 2^32, n being its
 * size; or u v itself where that costs no more.  Taken from the room. */
static inline struct number calc_mul_wrapped(struct calc *c, uint64_t least, struct number u,
                                             struct number v) {
    return c->engine->mul_wrapped(c, least, u, v);
}

/* r = u + v, u - v; u.words >= v.words, r.words = u.words; r may be u or v. */
void calc_add(struct calc *c, struct number r, struct number u, struct number v);
void calc_sub(struct calc *c, struct number r, struct number u, struct number v);

/* r = u v, r.words >= u.words; r lies apart. */
static inline void calc_mul_1(struct calc *c, struct number r, struct number u, uint64_t v) {
    c->engine->mul_1(c, r, u, v);
}

/* The number 1, one word. */
static inline struct number calc_one(const struct calc *c) {
    return c->one;
}

/* r = floor(u / 2^bits), or u 2^-bits where bits is negative; then with is_complement all bits of r
 * are inverted.  r lies apart from u. */
void calc_shift(struct calc *c, struct number r, struct number u, int64_t bits, bool is_complement);

/* r = u with zeros behind its end. */
static inline void calc_copy(struct calc *c, struct number r, struct number u) {
    calc_shift(c, r, u, 0, false);
}
void calc_zero(struct calc *c, struct number r);

/* Where u >= v: r = u - v, else r = u.  u.words >= v.words, r.words <= u.words; r may be u, and
 * not v.  Returns a number of one word, 1 or 0, that stays until 32 more of them are made. */
struct number calc_reduce(struct calc *c, struct number r, struct number u, struct number v);

/* The flag alone; and, on a device alone, r = a where a flag is 0, b where it is 1.  r may be a or
 * b. */
struct number calc_compare(struct calc *c, struct number u, struct number v);
void calc_select(struct calc *c, struct number r, struct number flag, struct number a,
                 struct number b);

/* Is u < v?  The host waits for the answer, and then demands it (calc_demand_less).  u, v and
 * calc_one are compared with their records at the end. */
bool calc_is_less(struct calc *c, struct number u, struct number v);

#endif
