/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A device's range of a shared product (lib/operate/shares/product_cut.h): adds its own words and
 * those of other shares, and downloads the sum. */
#ifndef MPGPU_PRODUCT_SUM_H
#define MPGPU_PRODUCT_SUM_H

#include "lib/operate/shares/product_share.h"

/* Words of the range to which others contribute are below and above the words to which only this
 * share does. */
enum product_sum_side { BELOW, ABOVE, PRODUCT_SUM_SIDES };

/* Adds parts of others to this share's product, and downloads words `at` to `at + words` to rp.
 * Nothing is added to words alone_at to alone_at + alone_words, which are downloaded first. If
 * there are none, alone_at is at + words. */
struct product_sum {
    mp_limb_t *rp;
    struct number product;
    uint64_t residue_of_u, residue_of_v; /* of its factors */
    uint64_t at, words, alone_at, alone_words;
    unsigned parts;
    struct share_part part[PRODUCT_SHARES - 1];
    /* results; `residue` is of the words: */
    mp_limb_t carry[PRODUCT_SUM_SIDES];   /* out of words at to alone_at, and out of the range */
    uint64_t residue, residue_of_product; /* modulo tables_check_modulus */
};

/* Work for session_run. Returns GPU_FAILED also if the product was wrong. */
enum gpu_status product_sum_deliver(struct context *s, void *product_sum);

#endif
