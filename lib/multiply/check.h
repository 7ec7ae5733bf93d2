/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The check of results on the device (verify:device): residues of operands and result modulo a
 * random prime of 61 bits, one for each program. For products that wrap around, also the residue of
 * the wrapped part (lib/multiply/wraparound.h). */
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
    uint64_t groups, words;    /* words: covered by each group's residue */
    uint64_t first;            /* index of the check's first entry */
    int v, high;               /* indices in `residue` of v, and of high half or addend (0: none) */
    unsigned count;            /* count of numbers */
    struct wraparound wrapped; /* for a wrapped product; its entries follow those of the numbers */
    /* set by check_gather: */
    int is_gathered;
    bool is_stale; /* a residue was not written for this check, so the check fails */
    uint64_t residue[CHECK_NUMBERS];
    struct wraparound_residues round; /* of the wrapped part */
};

/* A product u v reduced modulo B^n - 1 or B^n + 1; `words` is n in words. It was low + B^n high,
 * and the result is low +- high and `over` times B^n -+ 1. Products of digits beyond B^n may have
 * been wrapped around before (kernels/check/wraparound.h). */
struct check_mulmod {
    uint64_t words;
    int plus;
    struct number high;
    uint32_t over, top; /* top: the result is B^n, its words are zero */
    unsigned digit;     /* words of a digit of a wrapped product, or 0 */
    unsigned offset;    /* if not 0, 2^offset (B^n -+ 1) was added to it */
    bool is_balanced;   /* digit is a limb, but the digits are those of a product by fft */
};

/* Allocates memory for residues, before any result could be lost by a lack of memory. A check that
 * was not prepared does so itself. */
enum gpu_status check_prepare(struct context *s);

/* Queues the residues of r, u and v after the computation of r, and their copy to the host. They
 * are on the host once a later transfer_down of the same queue is complete. */
enum gpu_status check_start(struct check *c, struct context *s, struct number r, struct number u,
                            struct number v);

/* Queues the residue of r alone, check_residue(c, 0). `place` < CHECK_PLACES: checks of other
 * places may be under way. */
enum { CHECK_PLACES = 2 };
enum gpu_status check_start_one(struct check *c, struct context *s, struct number r,
                                unsigned place);

/* As check_start, for r = u v + addend. */
enum gpu_status check_start_added(struct check *c, struct context *s, struct number r,
                                  struct number u, struct number v, struct number addend);

/* As check_start, for a reduced product; r is the longest number. */
enum gpu_status check_start_mulmod(struct check *c, struct context *s, struct number r,
                                   struct number u, struct number v,
                                   const struct check_mulmod *ring);

/* As check_start, for r = w + u v or w - u v with one limb v; w may have no words. */
enum gpu_status check_start_limb(struct check *c, struct context *s, struct number r,
                                 struct number u, struct number w);

/* Sums up the residues from the device. Call it once they are on the host; otherwise the check
 * calls it. */
void check_gather(struct check *c);

/* Returns the residue of r (k = 0), u (1) or v (c->v) modulo c->q.m. */
uint64_t check_residue(struct check *c, int k);

/* Returns GPU_OK if r = u v, otherwise GPU_FAILED, with a warning in the log. */
enum gpu_status check_product(struct check *c);

/* Returns GPU_OK if r + carry 2^(32 rn) = u v + addend. */
enum gpu_status check_added(struct check *c, uint64_t rn, uint32_t carry);

/* Returns GPU_OK if u v = r + (high +- over) (B^n -+ 1). For a wrapped product the factor also has
 * the multiple that follows from the digits. */
enum gpu_status check_mulmod(struct check *c, const struct check_mulmod *ring);

/* Returns GPU_OK if r + carry 2^(32 rn) = u + v, or r + v = u + carry 2^(32 rn) if `subtract`. */
enum gpu_status check_sum(struct check *c, uint64_t rn, int subtract, uint32_t carry);

/* Returns GPU_OK if r = w +- u v. If `negative`, the true result is negative and r is too large by
 * 2^(32 rn). */
enum gpu_status check_limb(struct check *c, uint64_t rn, uint64_t v, int subtract, int negative);

/* Returns GPU_OK if r = u v, given as residues modulo the context's random modulus. */
enum gpu_status check_residues(const struct context *s, uint64_t r, uint64_t u, uint64_t v);

#endif
