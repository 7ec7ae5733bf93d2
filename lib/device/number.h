/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Numbers on the device: carries, sums, products by a limb. */
#ifndef MPGPU_NUMBER_H
#define MPGPU_NUMBER_H

#include <stdbool.h>

#include "lib/device/context.h"

/* Little-endian words of 32 bits, in a buffer from word `at` on.  Kernels read and
 * write four words at once, so `at` is a multiple of 4 (of a number that is added to
 * another or taken residues of it may be any), and buffers are allocated by
 * number_bytes. */
struct number {
    gpu_mem mem;
    uint64_t at, words;
};

/* The part of x from word `from` on, at most `words` words of it. */
static inline struct number number_part(struct number x, uint64_t from, uint64_t words) {
    uint64_t left = from < x.words ? x.words - from : 0;
    return (struct number){x.mem, x.at + from, left < words ? left : words};
}

/* Are they the same words of the same buffer? */
static inline bool number_same(struct number a, struct number b) {
    return a.mem.h == b.mem.h && a.at == b.at && a.words == b.words;
}

static inline size_t number_bytes(uint64_t words) {
    return (size_t)(words + 3) / 4 * 16;
}

/* A number of `words` words in a slot of the session. */
enum gpu_status number_in_slot(struct context *s, enum context_slot slot, uint64_t words,
                               struct number *x);

/* After a kernel that left a number of `groups` chunks of `chunk` words with a flag
 * each in SLOT_FLAGS (kernels/common/carry.h): let the carries between the chunks run.  The carry
 * out of the last is then word `groups` of SLOT_FLAGS. */
enum gpu_status number_carries(struct context *s, struct number r, uint64_t groups, unsigned chunk);

/* The same for {r, n} + B^n {r + n, 4} modulo B^n - 1, or B^n + 1: reduced to n words, unless
 * ANSWER_MULMOD says that this is still to be done.  n is a multiple of 8, as `chunk` is, and more
 * than that. */
enum gpu_status number_carries_mulmod(struct context *s, struct number r, uint64_t groups,
                                      unsigned chunk, uint64_t n, int plus);

/* Whether the kernel that leaves such a number lets the carries run by itself
 * (kernels/common/carry_settle.h).  number_settle, after number_flags: then *settles is 1, and
 * *control what it wants for that; else 0, and *control is any memory. */
bool number_settles(const struct context *s, uint64_t groups);
enum gpu_status number_settle(struct context *s, uint64_t groups, gpu_mem *control,
                              uint32_t *settles);

/* Room for the flags of `groups` chunks. */
enum gpu_status number_flags(struct context *s, uint64_t groups, gpu_mem *flags);

/* The memory that number_add takes for u of so many words: it lacks none afterwards. */
enum gpu_status number_add_reserve(struct context *s, uint64_t words);

/* r = u + v, or u - v if subtract; u.words >= v.words, r.words = u.words; r may be
 * u or v.  *carry, if not NULL: the carry or borrow; the host waits for it. */
enum gpu_status number_add(struct context *s, struct number r, struct number u, struct number v,
                           int subtract, uint32_t *carry);

/* Behind number_add of u.words words: put the way of its carry to the host into the queue.  It is
 * the low word of s->answers.host[entry] once that is done; answers_get comes before.  1 where a
 * difference borrows nothing. */
enum gpu_status number_ask_carry(struct context *s, uint64_t words, unsigned entry);

/* r = u v where w has no words, else w + u v, or w - u v if subtract; modulo 2^(32 r.words),
 * u and w going on with zeros; whole limbs, v being one.  r lies apart from both. */
enum gpu_status number_mul_1(struct context *s, struct number r, struct number u, uint64_t v,
                             struct number w, int subtract);

#endif
