/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Small products of limbs in host memory, by the shortest path. Operands and result are in a slot
 * of one page-locked block. If kernels can access that memory, they read and write it directly, and
 * the host polls for the end. Otherwise there is one upload and one download.
 *
 * The block is the library's: a late device touches no memory of the program. Products in several
 * slots go into one launch. A thread that owns a slot loads and delivers without a lock. Only the
 * queue's thread launches; it may be in another process, and needs only struct direct_item. */
#ifndef MPGPU_DIRECT_H
#define MPGPU_DIRECT_H

#include <stdbool.h>
#include <gmp.h>

#include "lib/multiply/small.h"

/* {rp, rn} = {up, un} {vp, vn}: its low limbs if rn < un + vn, or reduced modulo B^rn - 1 or B^rn +
 * 1 as in lib/job/limbs.h; un >= vn >= 1. */
struct direct_product {
    enum { DIRECT_LOW, DIRECT_MINUS, DIRECT_PLUS } kind;
    mp_limb_t *rp;
    size_t rn;
    const mp_limb_t *up;
    size_t un;
    const mp_limb_t *vp;
    size_t vn;
    uint32_t top; /* limb rn of a product modulo B^rn + 1 */
    struct small_plan plan;
    unsigned slot, ticket;
    uint64_t u_residue, v_residue; /* modulo the slots' modulus */
};

/* The data that a launch needs. Sizes in limbs. */
struct direct_item {
    uint32_t un, vn, read;          /* read: limbs of the result that are read */
    uint32_t is_square, has_report; /* has_report: the device reports sums for the check */
    uint32_t log_n, slot, ticket;
};

/* Slots as host threads use them. */
struct direct {
    uint32_t *host;          /* page-locked, direct_slot_bytes each */
    mp_limb_t *copies;       /* of results, for each slot */
    unsigned slots, cluster; /* cluster: as in struct gpu_caps */
    /* The host sees a product's end by itself; otherwise the product has ended once the queue is
     * finished. */
    bool is_watched;
    struct check_modulus modulus;
    unsigned ticket[]; /* the last ticket of each slot */
};

/* The data that a launch needs about slots. */
struct direct_launch_slots {
    uint32_t *host;
    unsigned slots;
    gpu_mem view;        /* the kernels' view of that memory; none: it is copied */
    gpu_mem work;        /* of small_work_open; none: the context's own */
    unsigned first_work; /* the working slot of the first of these slots */
};

/* A product to be launched. */
struct direct_ready {
    const struct direct_launch_slots *in;
    struct direct_item item;
};

/* Plans the product. Returns false if the operands are too large. Any thread. */
bool direct_plan(const struct context *s, struct direct_product *p);

/* Return the most bytes of device memory, and the bytes of host memory, for this many slots. */
size_t direct_bytes(unsigned slots);
size_t direct_host_bytes(unsigned slots);

/* Returns slots for host threads in `host`, unused memory of direct_host_bytes bytes. Leaves
 * is_watched false. Returns NULL without memory. */
struct direct *direct_begin(const struct gpu_caps *caps, void *host, unsigned slots);

/* Allocates the context's own slots, s->small_slots of them. Returns GPU_OK, or the error that
 * prevents slots. */
enum gpu_status direct_open(struct context *s);

/* Returns slots of any process for launches, in memory that the device has page-locked. Sets the
 * view if kernels can access that memory. */
struct direct_launch_slots direct_view(const struct context *s, void *host, unsigned slots);

/* Copies the operands into slot p->slot, which the caller must own. Any thread. */
void direct_load(struct direct *d, struct direct_product *p);

/* Returns the item of a loaded product. */
struct direct_item direct_item(const struct direct_product *p);

/* Returns true if a slot has room for such a product, and the device can compute it by this path.
 */
bool direct_item_fits(const struct context *s, const struct direct_item *x, unsigned slots);

/* Returns true if these two can go into one launch. */
bool direct_go_together(const struct direct_ready *x, const struct direct_ready *y);

/* Queues `count` loaded products that go together, 1 to SMALL_ITEMS. Call small_prepare before. */
enum gpu_status direct_launch(struct context *s, const struct direct_ready *x, unsigned count);

/* Sets the residues of the operands, for direct_deliver.  Call it while the device computes.  Any
 * thread. */
void direct_expect(const struct direct *d, struct direct_product *p);

/* For watched slots: returns true if the product has ended. */
bool direct_is_done(const struct direct *d, const struct direct_product *p);

/* Delivers the result from the slot, checked as the option `verify` says. Call it after the
 * product's end. Any thread. */
enum gpu_status direct_deliver(const struct direct *d, struct direct_product *p);

/* Computes one product in slot p->slot of the context's own slots, and delivers it. */
enum gpu_status direct_make(struct context *s, struct direct_product *p);

/* Clears a slot's numbers. */
void direct_wipe(const struct direct *d, unsigned slot);

/* Releases the context's own slots. Call it when the device is closed. */
void direct_close(struct context *s);

#endif
