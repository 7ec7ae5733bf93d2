/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The steps of a shared product: each step ends when all shares have done it. */
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

/* Factor of the spin time of threads that wait for a step's end (lib/process/executor.h): waking
 * them would take some percent of the product's time. */
enum { PRODUCT_SPIN_TIMES = 5 };

enum product_step { PRODUCT_LEND, PRODUCT_MULTIPLY, PRODUCT_ADD };

/* Runs a step for all shares, each on its device and in its own thread. On failure, sets *device to
 * a device whose share succeeded; leaves it unchanged if none did. */
enum outcome product_step(struct shared *s, enum product_step step, int *device);

/* Prepare the steps. product_steps_begin: for {up, un} {vp, vn}; `peers`: devices copy from one
 * another. product_steps_borrow: uses uploaded parts, after that step. product_steps_add: delivers
 * the result to rp, after the products. */
void product_steps_begin(struct shared *s, mp_limb_t *rp, const mp_limb_t *up, size_t un,
                         const mp_limb_t *vp, bool peers);
void product_steps_borrow(struct shared *s);
void product_steps_add(struct shared *s, mp_limb_t *rp);

#endif
