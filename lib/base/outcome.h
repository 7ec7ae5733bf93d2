/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The outcome of a call: computed on the device, or why GMP computed it. */
#ifndef MPGPU_OUTCOME_H
#define MPGPU_OUTCOME_H

enum outcome {
    OUTCOME_DONE = 0, /* the device computed it */
    /* Below the threshold; such calls are not counted if the fast path handles them. */
    OUTCOME_SMALL,
    OUTCOME_OPENING, /* the device was not open yet */
    OUTCOME_NONE,    /* there is no device, or the option is backend:none */
    OUTCOME_MEMORY,  /* device memory or page-locked memory is exhausted */
    OUTCOME_SIZE,    /* too large for this device or for an mpz */
    OUTCOME_FAILED,  /* a call or a check of the result failed */
    OUTCOME_FORKED,  /* this process is a child of fork, which has no device */
    OUTCOME_BUSY,    /* the device is busy: GMP is faster */
    OUTCOME_SAMPLE,  /* computed by GMP to measure its time */
    OUTCOME_COUNT
};

#endif
