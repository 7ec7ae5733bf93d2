/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The check of results on the device (verify:device): residues of operands and
 * result modulo a random prime of 61 bits, one for each program; of products that
 * wrap round also of what did (lib/multiply/wraparound.h). */
#ifndef MPGPU_CHECK_H
#define MPGPU_CHECK_H

#include "lib/device/answers.h"
#include "lib/device/number.h"
#include "lib/multiply/wraparound.h"

#define CHECK_NUMBERS 4

/* A check under way. */
struct check {
    struct context *s;
    struct check_modulus q;
    struct answers_key key;
    uint64_t groups, words;    /* a group's residue covers so many words */
    uint64_t first;            /* of its entries */
    int v, high;               /* which of the numbers these are, v is 1 where it is u; high: the
                                  high half, or what was added, 0 where nothing was */
    unsigned count;            /* of the numbers */
    struct wraparound wrapped; /* of a product that has wrapped round: behind the residues of the
                               others */
    /* by check_gather: */
    int is_gathered;
    bool is_stale; /* a residue was not written for this check: then no verdict is good */
    uint64_t residue[CHECK_NUMBERS];
    struct wraparound_residues round; /* what wrapped round */
};

/* A product u v that was reduced modulo B^n - 1 or B^n + 1, n in words: it was
 * low + B^n high, and the result is low +- high and `over` times B^n -+ 1.  The products of digits
 * whose place is beyond B^n may have been taken round before (kernels/check/wraparound.h). */
struct check_mulmod {
    uint64_t words;
    int plus;
    struct number high;
    uint32_t over, top; /* top: the result is B^n, its words zero */
    unsigned digit; /* not 0: it has wrapped round, made of digits of so many words, whole limbs, */
    unsigned offset;  /* and where this is not 0, 2^offset (B^n -+ 1) was added to it */
    bool is_balanced; /* `digit` is a limb, but the digits are those of a product by fft */
};

/* Room for residues: before there is something to lose if memory runs out.  A check that was not
 * prepared does so itself. */
enum gpu_status check_prepare(struct context *s);

/* Put the residues of r, u and v into the queue behind what makes r, and their way to
 * the host.  They are there once a later transfer_down from the same queue is. */
enum gpu_status check_start(struct check *c, struct context *s, struct number r, struct number u,
                            struct number v);

/* The residue of r alone: check_residue(c, 0).  `place`, below CHECK_PLACES: checks of other places
 * may be under way. */
enum { CHECK_PLACES = 2 };
enum gpu_status check_start_one(struct check *c, struct context *s, struct number r,
                                unsigned place);

/* The same where r = u v + addend. */
enum gpu_status check_start_added(struct check *c, struct context *s, struct number r,
                                  struct number u, struct number v, struct number addend);

/* The same for a product that was reduced; r is the longest. */
enum gpu_status check_start_mulmod(struct check *c, struct context *s, struct number r,
                                   struct number u, struct number v,
                                   const struct check_mulmod *ring);

/* The same where r = w + u v or w - u v for one limb v; w may have no words. */
enum gpu_status check_start_limb(struct check *c, struct context *s, struct number r,
                                 struct number u, struct number w);

/* After that: sum up what the device has told.  The check does it too, where nobody has. */
void check_gather(struct check *c);

/* The residue of r (k = 0), u (1) or v (c->v) modulo c->q.m. */
uint64_t check_residue(struct check *c, int k);

/* GPU_OK if r = u v, GPU_FAILED (and a warning in the log) if not. */
enum gpu_status check_product(struct check *c);

/* GPU_OK if r + carry 2^(32 rn) = u v + addend. */
enum gpu_status check_added(struct check *c, uint64_t rn, uint32_t carry);

/* GPU_OK if u v = r + (high +- over) (B^n -+ 1), or where it has wrapped round, as many times
 * that more as the digits say. */
enum gpu_status check_mulmod(struct check *c, const struct check_mulmod *ring);

/* GPU_OK if r + carry 2^(32 rn) = u + v, or r + v = u + carry 2^(32 rn). */
enum gpu_status check_sum(struct check *c, uint64_t rn, int subtract, uint32_t carry);

/* GPU_OK if r = w +- u v, where r is negative and so 2^(32 rn) too large if it says so. */
enum gpu_status check_limb(struct check *c, uint64_t rn, uint64_t v, int subtract, int negative);

/* GPU_OK if r = u v, by residues modulo the context's random modulus. */
enum gpu_status check_residues(const struct context *s, uint64_t r, uint64_t u, uint64_t v);

#endif
