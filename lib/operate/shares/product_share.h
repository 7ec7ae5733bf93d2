/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A device's share of a product (lib/operate/shares/product_cut.h), in two steps.  Both are work of
 * session_run, which copies them: what they point at outlasts an answer that comes too late. */
#ifndef MPGPU_PRODUCT_SHARE_H
#define MPGPU_PRODUCT_SHARE_H

#include <gmp.h>

#include "lib/base/stats.h"
#include "lib/device/number.h"
#include "lib/operate/shares/product_cut.h"

/* The first step: {up, un} {vp, vn}, which stays on the device, checked as `verify` says. */
struct share_product {
    const mp_limb_t *up;
    size_t un;
    const mp_limb_t *vp;
    size_t vn;
    bool is_inside; /* u is a part of v, which is uploaded once */
    /* Where devices do not copy from one another: these limbs of it go to the host. */
    mp_limb_t *give;
    size_t give_at, give_limbs;
    /* then: */
    struct number product;
    struct context *keeper; /* in whose memory it lies: product_share_forget */
    gpu_device_impl *device;
    uint64_t residue; /* of the product, modulo tables_check_modulus */
    enum stats_way way;
};
enum gpu_status product_share_multiply(struct context *s, void *share_product);

/* Its memory may be used for other things.  Any thread. */
void product_share_forget(const struct share_product *p);

/* What another share has made, `words` words from word `from` on of mem, on a device of the same
 * backend; or at `host`. */
struct share_part {
    gpu_device_impl *device;
    gpu_mem mem;
    const mp_limb_t *host;
    uint64_t from, words;
    uint64_t at; /* where it belongs in this share's product */
};

/* The second: those are added to this share's product, of which words at to at + words go to rp. */
struct share_sum {
    mp_limb_t *rp;
    struct number product;
    uint64_t at, words;
    unsigned parts;
    struct share_part part[PRODUCT_SHARES - 1];
    /* then: */
    uint32_t carry;   /* out of these words */
    uint64_t residue; /* of these words */
};
enum gpu_status product_share_add(struct context *s, void *share_sum);

#endif
