/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes small products of numbers in host memory with the fewest steps. Operands and result are
 * in a slot of one page-locked block. If kernels can access this memory, they read and write it
 * directly, and the host polls for the end. Otherwise there is one upload and one download.
 * The block belongs to the library, so a device that is late touches no memory of the program. One
 * launch computes products of several slots. A thread that owns a slot loads operands and delivers
 * the result without a lock. Only the queue's thread launches; it may be in another process, and
 * needs only struct direct_item. */
#ifndef MPGPU_DIRECT_H
#define MPGPU_DIRECT_H

#include <stdbool.h>
#include <gmp.h>

#include "lib/multiply/small.h"

/* A small product {rp, rn} = {up, un} {vp, vn}, un >= vn >= 1. DIRECT_LOW: the lowest rn limbs of
 * the product, rn <= un + vn. DIRECT_MINUS, DIRECT_PLUS: the product modulo B^rn - 1 or B^rn + 1,
 * as in lib/job/limbs.h. */
struct direct_product {
    enum { DIRECT_LOW, DIRECT_MINUS, DIRECT_PLUS } kind;
    mp_limb_t *rp;
    size_t rn;
    const mp_limb_t *up;
    size_t un;
    const mp_limb_t *vp;
    size_t vn;
    uint32_t top; /* limb rn of a product modulo B^rn + 1: 0 or 1 */
    struct small_plan plan;
    unsigned slot, ticket;
    uint64_t u_residue, v_residue; /* residues of the operands modulo struct direct's `modulus` */
};

/* What the launching thread must know of a product. Sizes are in limbs. */
struct direct_item {
    uint32_t un, vn, read;          /* `read`: limbs of the result that the host reads */
    uint32_t is_square, has_report; /* has_report: the kernel reports sums for the check */
    uint32_t log_n, slot, ticket;
};

/* A block of slots (memory for one small product each), as used by the threads that own slots. */
struct direct {
    uint32_t *host;          /* the slots, in page-locked memory */
    mp_limb_t *copies;       /* for each slot, memory for the copy of its result */
    unsigned slots, cluster; /* `cluster` is that of struct gpu_caps */
    /* True if the host can poll for the end of a product. Otherwise a product has ended when the
     * queue has. */
    bool is_watched;
    struct check_modulus modulus;
    unsigned ticket[]; /* for each slot, the number of its last product */
};

/* A block of slots (memory for one small product each), as used by the launching thread. */
struct direct_launch_slots {
    uint32_t *host;
    unsigned slots;
    /* the address of the block for kernels; absent: they cannot access it, so it is copied */
    gpu_mem view;
    /* buffer for intermediate results, by small_work_open; absent: the context's own buffer */
    gpu_mem work;
    unsigned first_work; /* index of the part of `work` that belongs to slot 0 */
};

/* A product that is ready for its launch, and the block that has its slot. */
struct direct_ready {
    const struct direct_launch_slots *in;
    struct direct_item item;
};

/* Plans a small product. Returns false if the operands are too large. Any thread may call it. */
bool direct_plan(const struct context *s, struct direct_product *p);

/* Return the memory that small products in `slots` slots need: direct_bytes the most bytes of
 * device memory, direct_host_bytes the bytes of host memory. */
size_t direct_bytes(unsigned slots);
size_t direct_host_bytes(unsigned slots);

/* Makes a block of slots in `host`, unused memory of direct_host_bytes bytes. Sets is_watched to
 * false. Returns NULL if memory is short. */
struct direct *direct_begin(const struct gpu_caps *caps, void *host, unsigned slots);

/* Allocates the context's own block of s->small_slots slots, unless it exists. Returns GPU_OK, or
 * the error that prevents it. */
enum gpu_status direct_open(struct context *s);

/* Prepares launches for a block of slots, of this or another process, in memory that the device has
 * page-locked. Sets `view` if kernels can access the memory. */
struct direct_launch_slots direct_view(const struct context *s, void *host, unsigned slots);

/* Copies the operands to slot p->slot, which the calling thread must own. Any thread may call it.
 */
void direct_load(struct direct *d, struct direct_product *p);

/* Returns what the launching thread must know of a product whose operands are in their slot. */
struct direct_item direct_item(const struct direct_product *p);

/* Returns true if *x is possible: a slot has space for the product, and the device can compute it.
 * Another process may have written *x. */
bool direct_item_fits(const struct context *s, const struct direct_item *x, unsigned slots);

/* Returns true if both products can be computed in one launch. */
bool direct_go_together(const struct direct_ready *x, const struct direct_ready *y);

/* Queues the launch of `count` products, 1 to SMALL_ITEMS, all of which can be in one launch. Call
 * small_prepare first. */
enum gpu_status direct_launch(struct context *s, const struct direct_ready *x, unsigned count);

/* Computes the residues of the operands, which direct_deliver needs for the check. Call it while
 * the device computes. Any thread may call it. */
void direct_expect(const struct direct *d, struct direct_product *p);

/* Returns true if the product has ended. Call it only if is_watched is true for its slots. */
bool direct_is_done(const struct direct *d, const struct direct_product *p);

/* Copies the result from the slot to its destination, and checks it as the option `verify` says.
 * Call it after the product has ended. Any thread may call it. */
enum gpu_status direct_deliver(const struct direct *d, struct direct_product *p);

/* Computes one product in slot p->slot of the context's own block, waits, and delivers the
 * result. */
enum gpu_status direct_make(struct context *s, struct direct_product *p);

/* Clears the numbers of a small product in its slot. */
void direct_wipe(const struct direct *d, unsigned slot);

/* Releases the context's own block of slots. Call it when the device is closed. */
void direct_close(struct context *s);

#endif
