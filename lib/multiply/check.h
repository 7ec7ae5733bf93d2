/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Checks results on the device (verify:device): compares residues of operands and result modulo a
 * random prime of 61 bits, the same for the whole program. A product modulo B^n - 1 or B^n + 1 also
 * needs the residue of the multiple that it lost (lib/multiply/wraparound.h). */
#ifndef MPGPU_CHECK_H
#define MPGPU_CHECK_H

#include "lib/device/answers.h"
#include "lib/device/number.h"
#include "lib/multiply/wraparound.h"

#define CHECK_NUMBERS 4

/* The state of one check. */
struct check {
    struct context *s;
    struct check_modulus q;
    struct answers_key key;
    uint64_t groups, words; /* `words`: how many words of a number each group's residue covers */
    uint64_t first;         /* index of the check's first residue in the buffer of answers */
    /* residue[v] belongs to v; residue[high] to the high half or the addend, and high = 0 means
     * that there is none */
    int v, high;
    unsigned count; /* count of numbers */
    /* for a product that transforms wrapped around: its residues follow those of the numbers in the
     * memory for answers */
    struct wraparound wrapped;
    /* set by check_coalesce: */
    int is_coalesced;
    bool is_stale; /* a residue is left over from an earlier check, so this check fails */
    uint64_t residue[CHECK_NUMBERS];
    /* for a product that wrapped around: residues of u, of v, and of the multiple that it lost */
    struct wraparound_residues round;
};

/* Describes how a product u v was reduced modulo M = B^n - 1, or M = B^n + 1 if `plus`; `words` is
 * n in words. The unreduced product was low + B^n high. The result is low + high, or low - high if
 * `plus`, corrected by `over` times M. Before that, transforms may have wrapped it around
 * (kernels/check/wraparound.h). */
struct check_mulmod {
    uint64_t words;
    int plus;
    struct number high;
    uint32_t over, top;              /* top: 1 if the result is B^n, so that its words are zero */
    unsigned offset;                 /* if not 0, 2^offset M was added to the unreduced product */
    bool wraps;                      /* true if the transforms wrapped around */
    struct wraparound_digits digits; /* if `wraps`: the digits of the transforms */
};

/* Allocates memory for residues. Call it before the operation, because a later lack of memory could
 * cost the result. If it was not called, check_start allocates the memory. */
enum gpu_status check_prepare(struct context *s);

/* Queues the residues of r, u and v, and their copy to the host. Call it after the launches that
 * compute r. The residues are on the host when a later transfer_down of the same queue has
 * ended. */
enum gpu_status check_start(struct check *c, struct context *s, struct number r, struct number u,
                            struct number v);

/* Queues the residue of r alone; check_residue(c, 0) returns it. Two such checks may run at once if
 * they have different values of `slot`, which must be less than CHECK_SLOTS. */
enum { CHECK_SLOTS = 2 };
enum gpu_status check_start_one(struct check *c, struct context *s, struct number r, unsigned slot);

/* Does the same as check_start, for r = u v + addend. */
enum gpu_status check_start_added(struct check *c, struct context *s, struct number r,
                                  struct number u, struct number v, struct number addend);

/* Does the same as check_start, for a product modulo B^n - 1 or B^n + 1. r must be the longest
 * number. */
enum gpu_status check_start_mulmod(struct check *c, struct context *s, struct number r,
                                   struct number u, struct number v,
                                   const struct check_mulmod *ring);

/* Does the same as check_start, for r = w + u v or r = w - u v with a single limb v. w may have no
 * words. */
enum gpu_status check_start_limb(struct check *c, struct context *s, struct number r,
                                 struct number u, struct number w);

/* Combines the residues of the device's work-groups. Call it once the residues are on the host, for
 * example while the result is downloaded. If the caller omits it, the functions below call it. */
void check_coalesce(struct check *c);

/* Returns a residue modulo the prime c->q.m: of r (k = 0), of u (k = 1), or of v (k = c->v). */
uint64_t check_residue(struct check *c, int k);

/* Returns GPU_OK if r = u v. Otherwise writes a warning to the log and returns GPU_FAILED, like all
 * functions below. */
enum gpu_status check_product(struct check *c);

/* Returns GPU_OK if r + carry 2^(32 rn) = u v + addend. */
enum gpu_status check_added(struct check *c, uint64_t rn, uint32_t carry);

/* Returns GPU_OK if the product modulo M = B^n - 1 or M = B^n + 1 is right: u v - r must be the
 * multiple of M that *ring describes. For transforms that wrapped around, the multiple also
 * includes the lost part. */
enum gpu_status check_mulmod(struct check *c, const struct check_mulmod *ring);

/* Returns GPU_OK if r + carry 2^(32 rn) = u + v, or r + v = u + carry 2^(32 rn) if `subtract`. */
enum gpu_status check_sum(struct check *c, uint64_t rn, int subtract, uint32_t carry);

/* Returns GPU_OK if r = w + u v, or r = w - u v if `subtract`. If `negative`, the difference is
 * negative and r is 2^(32 rn) larger. */
enum gpu_status check_limb(struct check *c, uint64_t rn, uint64_t v, int subtract, int negative);

/* Returns GPU_OK if r = u v, where all three are residues modulo the context's random prime. */
enum gpu_status check_residues(const struct context *s, uint64_t r, uint64_t u, uint64_t v);

#endif
