/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Small products of limbs in host memory, by the shortest way.  Operands and result lie in a slot
 * of one page-locked block.  Where the kernel sees that memory it reads and writes it itself, while
 * the host watches for the end; elsewhere one copy goes up and one down.
 *
 * The block is ours: a device that answers late touches nothing of the program's.  Products in
 * several slots go in one launch.  A thread that has a slot to itself loads and delivers without
 * any lock; launches are the queue's thread's. */
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
    uint64_t u_residue, v_residue; /* modulo the context's modulus */
};

/* The plan; false if the operands are too large for it.  Any thread. */
bool direct_plan(const struct context *s, struct direct_product *p);

/* What so many slots take of the device's memory, at most. */
size_t direct_bytes(unsigned slots);

/* The block, with small_slots slots.  GPU_OK, or why there is none. */
enum gpu_status direct_open(struct context *s);

/* The operands into p->slot, which the caller has to itself.  Any thread. */
void direct_load(const struct context *s, struct direct_product *p);

/* After small_prepare: `count` products of one plan, 1 to SMALL_ITEMS, each loaded.  They are put
 * into the queue. */
enum gpu_status direct_launch(struct context *s, struct direct_product *const *p, unsigned count);

/* Sets the residues of the operands, for direct_deliver.  Call it while the device computes.  Any
 * thread. */
void direct_expect(const struct context *s, struct direct_product *p);

/* Does the host see the end of a product by itself?  Else it is there once the queue is finished.
 */
bool direct_is_watched(const struct context *s);

/* Has that come? */
bool direct_is_done(const struct context *s, const struct direct_product *p);

/* Then: the result, checked as the option `verify` says, out of the slot.  Any thread. */
enum gpu_status direct_deliver(const struct context *s, struct direct_product *p);

/* All of that for one product, in the slot that is p->slot. */
enum gpu_status direct_make(struct context *s, struct direct_product *p);

/* Clear a slot's numbers, where the option asks for it. */
void direct_wipe(const struct context *s, unsigned slot);

/* Give back the block; with the device at its end. */
void direct_close(struct context *s);

#endif
