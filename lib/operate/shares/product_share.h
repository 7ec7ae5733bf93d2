/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes one device's share of a product (lib/operate/shares/product_cut.h), in steps.
 * session_run calls each step and passes it a copy of its argument. The memory to which the
 * argument points must stay valid even if the device answers too late. */
#ifndef MPGPU_PRODUCT_SHARE_H
#define MPGPU_PRODUCT_SHARE_H

#include <gmp.h>

#include "lib/base/stats.h"
#include "lib/device/number.h"
#include "lib/operate/shares/product_cut.h"

/* A part of a number: `words` words, to be copied to word `at` of the number. They come from word
 * `from` of `mem` on another device of the same backend, or from host memory at `host`. */
struct share_part {
    gpu_device_impl *device;
    gpu_mem mem;
    const mp_limb_t *host;
    uint64_t from, words, at;
};

/* The first step, if devices can copy from one another: each device uploads one part of v, and the
 * other devices copy this part from it. */
struct share_loan {
    const mp_limb_t *vp;
    size_t limbs;
    /* results: */
    struct number lent;
    struct context *keeper; /* the context that has the uploaded part, for product_share_forget */
    gpu_device_impl *device;
};
enum gpu_status product_share_lend(struct context *s, void *share_loan);

/* The second step: computes the product {up, un} {vp, vn}, which stays on the device. With
 * verify:device also computes the factors' residues. */
struct share_product {
    const mp_limb_t *up;
    size_t un;
    const mp_limb_t *vp;
    size_t vn;
    bool is_inside; /* true if u is a part of v (a square), so that only v is uploaded */
    unsigned loans; /* count of parts of v to copy from other devices; 0: v is uploaded */
    struct share_part loan[PRODUCT_SHARES];
    /* If devices cannot copy from one another, these limbs of the product are downloaded for the
     * other device, which adds them to its own product. */
    mp_limb_t *give;
    size_t give_at, give_limbs;
    /* results: */
    struct number product;
    struct context *keeper; /* the context that has the product, for product_share_forget */
    gpu_device_impl *device;
    uint64_t residue_of_u, residue_of_v; /* modulo tables_check_modulus */
    enum stats_way way;
};
enum gpu_status product_share_multiply(struct context *s, void *share_product);

/* Allows a context to reuse the memory that it retains for other devices. Does nothing if `keeper`
 * is NULL. Any thread may call it. */
void product_share_forget(struct context *keeper);

/* Queues the copy of a part, from another device or the host, to its place in the number x. */
enum gpu_status product_share_fetch(struct context *s, struct number x,
                                    const struct share_part *part);

#endif
