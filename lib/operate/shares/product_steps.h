/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The steps of a product that devices share: each waits until all shares have done it. */
#ifndef MPGPU_PRODUCT_STEPS_H
#define MPGPU_PRODUCT_STEPS_H

#include "lib/base/outcome.h"
#include "lib/base/stats.h"
#include "lib/operate/shares/product_sum.h"
#include "lib/session/session.h"

struct shared {
    struct product_cut cut;
    unsigned device[SESSION_DEVICES];
    struct share {
        struct share_loan loan;
        struct share_product product;
        struct product_sum sum;
        enum outcome outcome;
        struct stats_times times;
    } share[PRODUCT_SHARES];
};

/* Threads spin so many times as long as others for a step's end (lib/process/executor.h): to be
 * woken would be some per cent of the product. */
enum { PRODUCT_SPIN_TIMES = 5 };

enum product_step { PRODUCT_LEND, PRODUCT_MULTIPLY, PRODUCT_ADD };

/* All shares, each by its device and in a thread of its own.  Otherwise than with OUTCOME_DONE
 * *device is one that has done its share, if any has. */
enum outcome product_step(struct shared *s, enum product_step step, int *device);

/* What the steps are to do: for {up, un} {vp, vn}, where devices copy from one another (peers) or
 * not; with what was lent, behind that step; to bring the result to rp, behind the products. */
void product_steps_begin(struct shared *s, mp_limb_t *rp, const mp_limb_t *up, size_t un,
                         const mp_limb_t *vp, bool peers);
void product_steps_borrow(struct shared *s);
void product_steps_add(struct shared *s, mp_limb_t *rp);

#endif
