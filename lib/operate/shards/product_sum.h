/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The last step of a shared product on one device (lib/operate/shards/product_layout.h): adds the
 * overlapping words of other devices' products to its own product, and downloads its range of the
 * result. */
#ifndef MPGPU_PRODUCT_SUM_H
#define MPGPU_PRODUCT_SUM_H

#include "lib/operate/shards/product_shard.h"

/* The two places of a device's range in which words of other devices' products are added: below and
 * above the words that come from this device alone. Each addition has a carry. */
enum product_sum_side { BELOW, ABOVE, PRODUCT_SUM_SIDES };

/* The argument of product_sum_deliver, which adds parts of other products to `product`. It
 * downloads words `at` to at + words to rp. Words alone_at to alone_at + alone_words come from this
 * device alone and are downloaded first. If there are none, alone_at is at + words. */
struct product_sum {
    mp_limb_t *rp;
    struct number product;
    uint64_t residue_of_u, residue_of_v; /* of its factors */
    uint64_t at, words, alone_at, alone_words;
    unsigned parts;
    struct shard_part part[PRODUCT_SHARDS - 1];
    /* Results. carry[BELOW] is the carry out of words `at` to alone_at, carry[ABOVE] the carry out
     * of the whole range. `residue` is the residue of the delivered words. */
    mp_limb_t carry[PRODUCT_SUM_SIDES];   /* carries of both additions, see enum product_sum_side */
    uint64_t residue, residue_of_product; /* modulo tables_check_modulus */
};

/* Runs the step with the argument struct product_sum; session_run calls it. Returns GPU_FAILED if
 * this device's product was wrong. */
enum gpu_status product_sum_deliver(struct context *s, void *product_sum);

#endif
