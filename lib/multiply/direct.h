/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Small products of limbs in host memory, by the shortest way.  Operands and result lie in a slot
 * of one page-locked block.  Where the kernel sees that memory it reads and writes it itself, while
 * the host watches for the end; elsewhere one copy goes up and one down.
 *
 * The block is ours: a device that answers late touches nothing of the program's.  Products in
 * several slots go in one launch.  A thread that has a slot to itself loads and delivers without
 * any lock; launches are the queue's thread's, which may be another process's (struct direct_item
 * is all that it needs to know). */
#ifndef MPGPU_DIRECT_H
#define MPGPU_DIRECT_H

#include <stdbool.h>
#include <gmp.h>

#include "lib/multiply/small.h"

/* {rp, rn} = {up, un} {vp, vn}: the low limbs of it if rn < un + vn, or reduced modulo
 * B^rn - 1 or B^rn + 1 as in lib/job/limbs.h; un >= vn >= 1. */
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

/* What its launch has to know of it.  Sizes in limbs. */
struct direct_item {
    uint32_t un, vn, read;          /* so many of the result are read */
    uint32_t is_square, has_report; /* the device reports what the check compares */
    uint32_t log_n, slot, ticket;
};

/* Slots, one after another, as host threads use them. */
struct direct {
    uint32_t *host;          /* page-locked, direct_slot_bytes each */
    mp_limb_t *copies;       /* of results, for each slot */
    unsigned slots, cluster; /* the latter as in struct gpu_caps */
    /* The host sees the end of a product by itself; else it is there once the queue is finished. */
    bool is_watched;
    struct check_modulus modulus;
    unsigned ticket[]; /* the last of each slot */
};

/* The same slots as launches use them. */
struct direct_launch_slots {
    uint32_t *host;
    unsigned slots;
    gpu_mem view;        /* of that memory by kernels, or none: it is copied */
    gpu_mem work;        /* of small_work_open, or none: the context's own, */
    unsigned first_work; /* and its slot for the first of these */
};

/* A product to be launched. */
struct direct_ready {
    const struct direct_launch_slots *in;
    struct direct_item item;
};

/* The plan; false if the operands are too large for it.  Any thread. */
bool direct_plan(const struct context *s, struct direct_product *p);

/* What so many slots take of the device's memory, at most; and of the host's. */
size_t direct_bytes(unsigned slots);
size_t direct_host_bytes(unsigned slots);

/* Slots for host threads, in memory `host` of direct_host_bytes that nobody uses; is_watched is
 * false.  NULL without memory. */
struct direct *direct_begin(const struct gpu_caps *caps, void *host, unsigned slots);

/* The context's own: small_slots of them.  GPU_OK, or why there are none. */
enum gpu_status direct_open(struct context *s);

/* For launches: slots of any process's, in memory that the device has page-locked.  The view is
 * made if kernels reach that. */
struct direct_launch_slots direct_view(const struct context *s, void *host, unsigned slots);

/* The operands into p->slot, which the caller has to itself.  Any thread. */
void direct_load(struct direct *d, struct direct_product *p);

/* Of a product that is loaded. */
struct direct_item direct_item(const struct direct_product *p);

/* Returns true if a slot has room for such a product, and the device can make it so. */
bool direct_item_fits(const struct context *s, const struct direct_item *x, unsigned slots);

/* Can these two go in one launch? */
bool direct_go_together(const struct direct_ready *x, const struct direct_ready *y);

/* After small_prepare: `count` products that go together, 1 to SMALL_ITEMS, each loaded.  They are
 * put into the queue. */
enum gpu_status direct_launch(struct context *s, const struct direct_ready *x, unsigned count);

/* Sets the residues of the operands, for direct_deliver.  Call it while the device computes.  Any
 * thread. */
void direct_expect(const struct direct *d, struct direct_product *p);

/* Of slots that are watched: has the end come? */
bool direct_is_done(const struct direct *d, const struct direct_product *p);

/* Then: the result, checked as the option `verify` says, out of the slot.  Any thread. */
enum gpu_status direct_deliver(const struct direct *d, struct direct_product *p);

/* All of that for one product, in slot p->slot of the context's own. */
enum gpu_status direct_make(struct context *s, struct direct_product *p);

/* Clears a slot's numbers. */
void direct_wipe(const struct direct *d, unsigned slot);

/* Gives back the context's own slots; with the device at its end. */
void direct_close(struct context *s);

#endif
