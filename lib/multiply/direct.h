/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Small products of limbs in host memory, by the shortest way: operands and result lie
 * in one page-locked block, which the kernel reads and writes itself where it sees it,
 * while the host watches for the end; elsewhere one copy goes up and one down. */
#ifndef MPGPU_DIRECT_H
#define MPGPU_DIRECT_H

#include <stdbool.h>
#include <gmp.h>

#include "lib/multiply/small.h"

/* {rp, rn} = {up, un} {vp, vn}: the low limbs of it if rn < un + vn, or reduced modulo
 * B^rn - 1 or B^rn + 1 as in lib/operate/operate.h; un >= vn >= 1. */
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
};

/* The plan; 0 if the operands are too large for it. */
bool direct_plan(const struct context *s, struct direct_product *p);

/* Then, after small_prepare, one after the other: the operands into the block; the launch; the
 * result, checked as the option `verify` says, out of the block.  A gpu_status each. */
enum gpu_status direct_load(struct context *s, const struct direct_product *p);
enum gpu_status direct_launch(struct context *s, const struct direct_product *p);
enum gpu_status direct_deliver(struct context *s, struct direct_product *p);

/* All three. */
enum gpu_status direct_make(struct context *s, struct direct_product *p);

/* The residue that the device gave of an operand of the last product, made by this plan's
 * transforms and with verify:device. */
uint64_t direct_residue(const struct context *s, const struct small_plan *p, int of_v);

/* Clear its numbers, where the option asks for it. */
void direct_wipe(struct context *s);

/* Give back the block; with the device at its end. */
void direct_close(struct context *s);

#endif
