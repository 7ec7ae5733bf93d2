/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes small products of numbers in host memory with the fewest steps. Operands and result are
 * in a slot of one page-locked block. If kernels can access this memory, they read and write it
 * directly, and the host polls for the end. Otherwise there is one upload and one download. The
 * block belongs to the library, so a kernel that runs too late changes no memory of the program.
 *
 * One launch computes products of several slots. A thread that owns a slot loads operands and
 * delivers the result without a lock. Only one thread launches; it may be in another process, and
 * needs only a struct direct_item of each product. */
#ifndef MPGPU_DIRECT_H
#define MPGPU_DIRECT_H

#include <stdbool.h>
#include <gmp.h>

#include "lib/multiply/small.h"

/* A small product of {up, un} and {vp, vn}, where un >= vn >= 1, with the result {rp, rn}.
 * DIRECT_LOW: the lowest rn limbs of the product, rn <= un + vn. DIRECT_MINUS, DIRECT_PLUS: the
 * product modulo B^rn - 1 or B^rn + 1 (B = 2^64), as in lib/job/limbs.h. */
struct direct_product {
    enum { DIRECT_LOW, DIRECT_MINUS, DIRECT_PLUS } kind;
    mp_limb_t *rp;
    size_t rn;
    const mp_limb_t *up;
    size_t un;
    const mp_limb_t *vp;
    size_t vn;
    uint32_t top; /* limb rn of a product modulo B^rn + 1 (B = 2^64): 0 or 1 */
    struct small_plan plan;
    unsigned slot, ticket;
    /* residues of the operands modulo the `modulus` of struct direct */
    uint64_t u_residue, v_residue;
};

/* The data of a product that the launching thread needs. Sizes are in limbs. */
struct direct_item {
    uint32_t un, vn, read;          /* `read`: limbs of the result that the host reads */
    uint32_t is_square, has_report; /* has_report: the kernel reports sums for the check */
    uint32_t log_n, slot, ticket;
};

/* A block of slots (memory for one small product each), as used by the threads that own slots. */
struct direct {
    uint32_t *host;          /* the slots, in page-locked memory */
    mp_limb_t *copies;       /* for each slot, memory for the copy of its result */
    unsigned slots, cluster; /* slots: their count; cluster: copied from struct gpu_caps */
    /* true if the host can poll for the end of a product; otherwise the host waits for the whole
     * queue */
    bool is_watched;
    struct check_modulus modulus;
    unsigned ticket[]; /* for each slot, the number (ticket) of its latest product */
};

/* A block of slots (memory for one small product each), as used by the launching thread. */
struct direct_launch_slots {
    uint32_t *host;
    unsigned slots;
    /* the address of the block for kernels; if absent, kernels cannot access the block, and it is
     * copied */
    gpu_mem view;
    /* buffer for intermediate results, from small_work_open; if absent, the context's own buffer */
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

/* direct_bytes returns the most bytes of device memory, and direct_host_bytes the bytes of host
 * memory, that small products in `slots` slots need. */
size_t direct_bytes(unsigned slots);
size_t direct_host_bytes(unsigned slots);

/* Creates a block of slots in `host`, direct_host_bytes bytes of unused memory. Sets is_watched to
 * false. Returns NULL if memory is short. */
struct direct *direct_begin(const struct gpu_caps *caps, void *host, unsigned slots);

/* Allocates the context's own block of s->small_slots slots, unless it exists already. Returns
 * GPU_OK, or the error that has prevented it. */
enum gpu_status direct_open(struct context *s);

/* Prepares launches for a block of slots of this or another process. The device must have
 * page-locked the block. Sets `view` if kernels can access the memory. */
struct direct_launch_slots direct_view(const struct context *s, void *host, unsigned slots);

/* Copies the operands to slot p->slot, which the calling thread must own. Any thread may call it.
 */
void direct_load(struct direct *d, struct direct_product *p);

/* Returns the data of a product that the launching thread needs. The operands must be in their
 * slot. */
struct direct_item direct_item(const struct direct_product *p);

/* Returns true if *x is a possible product: a slot has space for it, and the device can compute it.
 * Another process may have written *x. */
bool direct_item_fits(const struct context *s, const struct direct_item *x, unsigned slots);

/* Returns true if one launch can compute both products. */
bool direct_go_together(const struct direct_ready *x, const struct direct_ready *y);

/* Queues the launch of `count` products, 1 to SMALL_ITEMS. direct_go_together must be true for any
 * two of them. Call small_prepare first. */
enum gpu_status direct_launch(struct context *s, const struct direct_ready *x, unsigned count);

/* Computes the residues of the operands, with which direct_deliver checks the result. Call it while
 * the device computes. Any thread may call it. */
void direct_expect(const struct direct *d, struct direct_product *p);

/* Returns true if the product has ended. Call it only if is_watched is true for its slots. */
bool direct_is_done(const struct direct *d, const struct direct_product *p);

/* Copies the result from the slot to its destination, and checks it if the option `verify` requires
 * it. Call it after the product has ended. Any thread may call it. */
enum gpu_status direct_deliver(const struct direct *d, struct direct_product *p);

/* Computes one product in slot p->slot of the context's own block, waits, and delivers the
 * result. */
enum gpu_status direct_make(struct context *s, struct direct_product *p);

/* Clears the numbers of a small product in its slot. */
void direct_wipe(const struct direct *d, unsigned slot);

/* Releases the context's own block of slots. Call it when the device is closed. */
void direct_close(struct context *s);

#endif
