/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A device's share of a product (lib/operate/shares/product_cut.h), in steps. Each step is work for
 * session_run, which copies its argument; the memory that it points to must outlast a late answer.
 */
#ifndef MPGPU_PRODUCT_SHARE_H
#define MPGPU_PRODUCT_SHARE_H

#include <gmp.h>

#include "lib/base/stats.h"
#include "lib/device/number.h"
#include "lib/operate/shares/product_cut.h"

/* `words` words from word `from` of mem, on a device of the same backend, or of `host`. They belong
 * at word `at` of a number. */
struct share_part {
    gpu_device_impl *device;
    gpu_mem mem;
    const mp_limb_t *host;
    uint64_t from, words, at;
};

/* The step before the products, if devices copy from one another: each device uploads a part of v,
 * at least one limb, and the others copy it from there. */
struct share_loan {
    const mp_limb_t *vp;
    size_t limbs;
    /* results: */
    struct number lent;
    struct context *keeper; /* the context whose memory has it: product_share_forget */
    gpu_device_impl *device;
};
enum gpu_status product_share_lend(struct context *s, void *share_loan);

/* The product {up, un} {vp, vn}, which stays on the device. Its residues are computed if `verify`
 * asks for them. */
struct share_product {
    const mp_limb_t *up;
    size_t un;
    const mp_limb_t *vp;
    size_t vn;
    bool is_inside; /* u is a part of v, which is uploaded once */
    unsigned loans; /* count of parts from which v is copied; 0: v is uploaded */
    struct share_part loan[PRODUCT_SHARES];
    /* If devices do not copy from one another: these limbs of the product are downloaded. */
    mp_limb_t *give;
    size_t give_at, give_limbs;
    /* results: */
    struct number product;
    struct context *keeper; /* the context whose memory has it: product_share_forget */
    gpu_device_impl *device;
    uint64_t residue_of_u, residue_of_v; /* modulo tables_check_modulus */
    enum stats_way way;
};
enum gpu_status product_share_multiply(struct context *s, void *share_product);

/* Allows the context to reuse the memory that it keeps for other devices. Any thread; does nothing
 * for NULL. */
void product_share_forget(struct context *keeper);

/* Queues the copy of a part to its place in x. */
enum gpu_status product_share_fetch(struct context *s, struct number x,
                                    const struct share_part *part);

#endif
