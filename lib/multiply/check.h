/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Checks results on the device (verify:device): compares residues of operands and result modulo a
 * random prime of 61 bits, which is the same during the whole run of the program.
 *
 * A product modulo B^n - 1 or B^n + 1 (B = 2^32) has lost a multiple of this modulus; its check
 * also needs the multiple's residue (lib/multiply/wraparound.h). */
#ifndef MPGPU_CHECK_H
#define MPGPU_CHECK_H

#include "lib/device/answers.h"
#include "lib/device/number.h"
#include "lib/multiply/wraparound.h"

#define CHECK_NUMBERS 4

/* The state of the check of one operation. */
struct check {
    struct context *s;
    struct check_modulus q;
    struct answers_key key;
    /* groups: work-groups for each number; words: words of a number that a group reads */
    uint64_t groups, words;
    uint64_t first; /* index of the check's first residue in the buffer of answers */
    /* indices in residue[]: of v, and of the high half or the addend; high = 0: there is none */
    int v, high;
    unsigned count; /* count of numbers */
    /* for a product that transforms wrapped around: the computation of the multiple that was lost.
     * Its residues follow the numbers' residues in the buffer of answers */
    struct wraparound wrapped;
    /* set by check_coalesce: */
    int is_coalesced;
    bool is_stale; /* a residue is left over from an earlier check, so this check fails */
    uint64_t residue[CHECK_NUMBERS];
    /* for a product that transforms wrapped around: residues of u, of v, and of the part that
     * wrapped around (lib/multiply/wraparound.h) */
    struct wraparound_residues round;
};

/* Describes how a product u v was reduced modulo M = B^n - 1, or modulo M = B^n + 1 if `plus` is
 * set; B^n = 2^(32 * words). If `wraps` is set, transforms have already computed u v modulo M, as
 * a number slightly longer than B^n (kernels/check/wraparound.h).
 *
 * This product was low + B^n high. The result is low + high, or low - high if `plus` is set,
 * except for a correction by `over` times M. */
struct check_mulmod {
    uint64_t words;
    int plus;
    struct number high;
    /* top: 1 if the result modulo B^n + 1 is B^n (B = 2^32); the result's words are then zeros */
    uint32_t over, top;
    /* if not 0, 2^offset times the modulus was added to the product before the reduction */
    unsigned offset;
    bool wraps; /* true if transforms wrapped the product around */
    /* if `wraps`: how the transforms cut the operands into digits */
    struct wraparound_digits digits;
};

/* Allocates memory for residues. Call it before the operation, because a later lack of memory could
 * cost the result. If it was not called, check_start allocates the memory. */
enum gpu_status check_prepare(struct context *s);

/* Queues the computation of the residues of r, u and v, and their copy to the host. Call it after
 * the launches that compute r. The residues are on the host when a later transfer_down of the same
 * queue has ended. */
enum gpu_status check_start(struct check *c, struct context *s, struct number r, struct number u,
                            struct number v);

/* Queues the computation of the residue of r alone, which check_residue(c, 0) returns. Two such
 * checks may run at once if they have different values of `slot`, below CHECK_SLOTS. */
enum { CHECK_SLOTS = 2 };
enum gpu_status check_start_one(struct check *c, struct context *s, struct number r, unsigned slot);

/* Does the same as check_start, for r = u v + addend. */
enum gpu_status check_start_added(struct check *c, struct context *s, struct number r,
                                  struct number u, struct number v, struct number addend);

/* Does the same as check_start, for a product r modulo B^n - 1 or B^n + 1 (B = 2^32), where r is no
 * shorter than u and v. */
enum gpu_status check_start_mulmod(struct check *c, struct context *s, struct number r,
                                   struct number u, struct number v,
                                   const struct check_mulmod *ring);

/* Does the same as check_start, for r = w + u v or r = w - u v, where v is a single limb. w may
 * have no words. */
enum gpu_status check_start_limb(struct check *c, struct context *s, struct number r,
                                 struct number u, struct number w);

/* Combines the residues of the device's work-groups. Call it when the residues are on the host, for
 * example while the result is downloaded. If the caller omits it, the functions that compare
 * residues call it. */
void check_coalesce(struct check *c);

/* Returns a residue modulo the prime c->q.m: of r (k = 0), of u (k = 1), or of v (k = c->v). */
uint64_t check_residue(struct check *c, int k);

/* Returns GPU_OK if r = u v. Otherwise writes a warning to the log and returns GPU_FAILED. The
 * other functions that compare residues do the same. */
enum gpu_status check_product(struct check *c);

/* Returns GPU_OK if r + carry 2^(32 rn) = u v + addend, where rn is the length of r in words. */
enum gpu_status check_added(struct check *c, uint64_t rn, uint32_t carry);

/* Returns GPU_OK if r is the product of u and v modulo M, where M = B^n - 1 or M = B^n + 1 and B
 * = 2^32. Then u v - r must be the multiple of M that *ring describes. If the product was
 * computed by transforms modulo M, this multiple includes the part that wrapped around. */
enum gpu_status check_mulmod(struct check *c, const struct check_mulmod *ring);

/* Returns GPU_OK if r + carry 2^(32 rn) = u + v, or r + v = u + carry 2^(32 rn) if `subtract`,
 * where rn is the length of r in words. */
enum gpu_status check_sum(struct check *c, uint64_t rn, int subtract, uint32_t carry);

/* Returns GPU_OK if r = w + u v, or r = w - u v if `subtract`. If `negative`, the difference is
 * negative, and 2^(32 rn) was added to it; rn is the length of r in words. */
enum gpu_status check_limb(struct check *c, uint64_t rn, uint64_t v, int subtract, int negative);

/* Returns GPU_OK if r = u v, where all three are residues modulo the context's random prime. */
enum gpu_status check_residues(const struct context *s, uint64_t r, uint64_t u, uint64_t v);

#endif
