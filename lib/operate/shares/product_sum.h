/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A device's range of a product that several share (lib/operate/shares/product_cut.h): its own
 * words and those of others, added up and brought to the host. */
#ifndef MPGPU_PRODUCT_SUM_H
#define MPGPU_PRODUCT_SUM_H

#include "lib/operate/shares/product_share.h"

/* The words of the range that others add to lie below and above those that they do not. */
enum product_sum_side { BELOW, ABOVE, PRODUCT_SUM_SIDES };

/* Parts of others are added to this share's product, of which words at to at + words go to rp.
 * Nothing is added to words alone_at to alone_at + alone_words, which go first; where there are
 * none, alone_at is at + words. */
struct product_sum {
    mp_limb_t *rp;
    struct number product;
    uint64_t residue_of_u, residue_of_v; /* of its factors */
    uint64_t at, words, alone_at, alone_words;
    unsigned parts;
    struct share_part part[PRODUCT_SHARES - 1];
    /* then: */
    mp_limb_t carry[PRODUCT_SUM_SIDES];   /* out of words at to alone_at, and out of the range */
    uint64_t residue, residue_of_product; /* modulo tables_check_modulus, of these words */
};

/* Work of session_run.  GPU_FAILED too where the product was wrong. */
enum gpu_status product_sum_deliver(struct context *s, void *product_sum);

#endif
