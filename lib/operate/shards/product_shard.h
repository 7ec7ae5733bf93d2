/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes one device's shard (part) of a product (lib/operate/shards/product_layout.h), in steps.
 * session_run calls each step with a copy of its argument. If the device answers too late, it may
 * still use the memory to which the argument points, so this memory must stay valid. */
#ifndef MPGPU_PRODUCT_SHARD_H
#define MPGPU_PRODUCT_SHARD_H

#include <gmp.h>

#include "lib/base/stats.h"
#include "lib/device/number.h"
#include "lib/operate/shards/product_layout.h"

/* A part of a number: `words` words that must be copied to word `at` of the number. The words are
 * at word `from` of `mem` on another device of the same backend, or in host memory at `host`. */
struct shard_part {
    gpu_device_impl *device;
    gpu_mem mem;
    const mp_limb_t *host;
    uint64_t from, words, at;
};

/* The argument of the first step, if devices can copy from one another. Each device uploads one
 * part of the shorter operand v; the other devices then copy this part from it. */
struct shard_broadcast {
    const mp_limb_t *vp;
    size_t limbs;
    /* results: */
    struct number broadcast;
    struct context *keeper; /* the context that has the uploaded part, for product_shard_forget */
    gpu_device_impl *device;
};
enum gpu_status product_shard_broadcast(struct context *s, void *shard_broadcast);

/* The argument of the second step. This step computes the product {up, un} {vp, vn}, which stays on
 * the device. With verify:device it also computes the factors' residues. */
struct shard_product {
    const mp_limb_t *up;
    size_t un;
    const mp_limb_t *vp;
    size_t vn;
    bool is_inside; /* for a square: the number u is a part of v, so only v is uploaded */
    /* count of parts of the shorter operand v to copy from other devices; 0: this device uploads
     * v */
    unsigned broadcasts;
    struct shard_part broadcast[PRODUCT_SHARDS];
    /* If two devices compute the product and cannot copy from one another, give_limbs limbs of this
     * device's part, from limb give_at, are downloaded to `give`. The other device adds them to its
     * part. */
    mp_limb_t *give;
    size_t give_at, give_limbs;
    /* results: */
    struct number product;
    struct context *keeper; /* the context that has the product, for product_shard_forget */
    gpu_device_impl *device;
    uint64_t residue_of_u, residue_of_v; /* modulo tables_check_modulus */
    enum stats_way way;
};
enum gpu_status product_shard_multiply(struct context *s, void *shard_product);

/* Allows a context to reuse the memory that it retains for other devices. Does nothing if `keeper`
 * is NULL. Any thread may call it. */
void product_shard_forget(struct context *keeper);

/* Queues the copy of a part, from another device or the host, to its place in the number x. */
enum gpu_status product_shard_fetch(struct context *s, struct number x,
                                    const struct shard_part *part);

#endif
