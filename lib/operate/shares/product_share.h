/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A device's share of a product (lib/operate/shares/product_cut.h), in steps.  All are work of
 * session_run, which copies them: what they point at outlasts an answer that comes too late. */
#ifndef MPGPU_PRODUCT_SHARE_H
#define MPGPU_PRODUCT_SHARE_H

#include <gmp.h>

#include "lib/base/stats.h"
#include "lib/device/number.h"
#include "lib/operate/shares/product_cut.h"

/* `words` words from word `from` on of mem, on a device of the same backend; or at `host`.  They
 * belong to word `at` on of a number. */
struct share_part {
    gpu_device_impl *device;
    gpu_mem mem;
    const mp_limb_t *host;
    uint64_t from, words, at;
};

/* Before, where devices copy from one another: each uploads a part of v, at least
 * one limb, and the others get it there. */
struct share_loan {
    const mp_limb_t *vp;
    size_t limbs;
    /* then: */
    struct number lent;
    struct context *keeper; /* in whose memory it lies: product_share_forget */
    gpu_device_impl *device;
};
enum gpu_status product_share_lend(struct context *s, void *share_loan);

/* {up, un} {vp, vn}, which stays on the device.  Its residues are told where `verify` says so. */
struct share_product {
    const mp_limb_t *up;
    size_t un;
    const mp_limb_t *vp;
    size_t vn;
    bool is_inside; /* u is a part of v, which is uploaded once */
    unsigned loans; /* of which v is made, where it is not uploaded */
    struct share_part loan[PRODUCT_SHARES];
    /* Where devices do not copy from one another: these limbs of it go to the host. */
    mp_limb_t *give;
    size_t give_at, give_limbs;
    /* then: */
    struct number product;
    struct context *keeper; /* in whose memory it lies: product_share_forget */
    gpu_device_impl *device;
    uint64_t residue_of_u, residue_of_v; /* modulo tables_check_modulus */
    enum stats_way way;
};
enum gpu_status product_share_multiply(struct context *s, void *share_product);

/* The memory of what it keeps may be used for other things.  Any thread; NULL: nothing. */
void product_share_forget(struct context *keeper);

/* Puts into the queue: a part from wherever it lies to where it belongs in x. */
enum gpu_status product_share_fetch(struct context *s, struct number x,
                                    const struct share_part *part);

#endif
