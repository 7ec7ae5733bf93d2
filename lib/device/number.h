/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Numbers on the device: carries, sums, products by a limb, quotients by a word. */
#ifndef MPGPU_NUMBER_H
#define MPGPU_NUMBER_H

#include <stdbool.h>

#include "lib/device/context.h"

/* Little-endian words of 32 bits in a buffer, from word `at` up. Kernels access four words at once,
 * so `at` is a multiple of 4, and buffers are allocated by number_bytes. A number may begin at any
 * word if it is only added to another number, or only its residue is computed. */
struct number {
    gpu_mem mem;
    uint64_t at, words;
};

/* Returns the part of x from word `from`, at most `words` words. */
static inline struct number number_part(struct number x, uint64_t from, uint64_t words) {
    uint64_t left = from < x.words ? x.words - from : 0;
    return (struct number){x.mem, x.at + from, left < words ? left : words};
}

/* Returns true if a and b are the same words of the same buffer. */
static inline bool number_same(struct number a, struct number b) {
    return a.mem.h == b.mem.h && a.at == b.at && a.words == b.words;
}

static inline size_t number_bytes(uint64_t words) {
    return (size_t)(words + 3) / 4 * 16;
}

/* Sets *x to a number of `words` words in a slot of the context. */
enum gpu_status number_in_slot(struct context *s, enum context_slot slot, uint64_t words,
                               struct number *x);

/* Resolves the carries of a number that a kernel has left as `groups` chunks of `chunk` words, with
 * a flag each in SLOT_FLAGS (kernels/common/carry.h). Word `groups` of SLOT_FLAGS is then the carry
 * out of the last chunk. */
enum gpu_status number_carries(struct context *s, struct number r, uint64_t groups, unsigned chunk);

/* Does the same as number_carries for a number of n + 4 words, which it reduces to n words: modulo
 * 2^(32 n) + 1 if `plus`, otherwise modulo 2^(32 n) - 1. If ANSWER_MULMOD is 1, the reduction is
 * not complete. n is larger than `chunk`, and words n to n + 3 are in the last chunk. */
enum gpu_status number_carries_mulmod(struct context *s, struct number r, uint64_t groups,
                                      unsigned chunk, uint64_t n, int plus);

/* number_resolves returns true if a kernel can resolve the carries of a number itself, when it
 * computes the number in `groups` chunks (kernels/common/carry_resolve.h). number_resolve returns
 * two arguments for this kernel, and must be called after number_flags:
 * - if the kernel can resolve the carries, *resolves is 1, and *control is memory that it needs
 * - otherwise *resolves is 0, and *control is memory that it does not use */
bool number_resolves(const struct context *s, uint64_t groups);
enum gpu_status number_resolve(struct context *s, uint64_t groups, gpu_mem *control,
                               uint32_t *resolves);

/* Allocates the carry flags of `groups` chunks in SLOT_FLAGS. */
enum gpu_status number_flags(struct context *s, uint64_t groups, gpu_mem *flags);

/* Allocates the memory that number_add needs for u of this many words, so that number_add cannot
 * fail for lack of memory. */
enum gpu_status number_add_reserve(struct context *s, uint64_t words);

/* r = u + v, or u - v if subtract; u.words >= v.words, r.words = u.words; r may be u or v. Sets
 * *carry, if not NULL, to the carry or borrow; the host then waits for it. */
enum gpu_status number_add(struct context *s, struct number r, struct number u, struct number v,
                           int subtract, uint32_t *carry);

/* Queues the division of x by 2^p - 1: sets r to the remainder, and {q, 4} to the quotient. x is
 * below 2^(p + 64). r has at least p bits. x overlaps neither r nor q. */
enum gpu_status number_reduce_mersenne(struct context *s, struct number r, struct number q,
                                       struct number x, uint64_t p);

/* Queues the download of the carry of the last number_add; `words` is its u.words. The carry
 * becomes the low word of s->answers.host[entry]. Call answers_get before this function. After a
 * subtraction the carry is 1 if there is no borrow. */
enum gpu_status number_ask_carry(struct context *s, uint64_t words, unsigned entry);

/* Computes r = u v if w has no words; otherwise r = w + u v, or r = w - u v if subtract. Results
 * are modulo 2^(32 r.words); u and w are extended with zeros. r, u and w have an even number of
 * words, since v is a limb. r overlaps neither u nor w. */
enum gpu_status number_mul_1(struct context *s, struct number r, struct number u, uint64_t v,
                             struct number w, int subtract);

/* Computes r = floor(u / d) for a word d whose highest bit is set. r and u have the same count of
 * words, a multiple of 4; r may be u. Uses the buffer SLOT_FLAGS. */
enum gpu_status number_divide_1(struct context *s, struct number r, struct number u, uint32_t d);

#endif
