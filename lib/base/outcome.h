/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What became of a call: done on the device, or why GMP computed it. */
#ifndef MPGPU_OUTCOME_H
#define MPGPU_OUTCOME_H

enum outcome {
    OUTCOME_DONE = 0, /* the device computed it */
    OUTCOME_SMALL,    /* below the threshold (not counted on the fast way past) */
    OUTCOME_OPENING,  /* the device was not open yet */
    OUTCOME_NONE,     /* no device, or backend:none */
    OUTCOME_MEMORY,   /* device or page-locked memory exhausted */
    OUTCOME_SIZE,     /* too large for this device or for an mpz */
    OUTCOME_FAILED,   /* a call failed or a check of the result did */
    OUTCOME_FORKED,   /* a child of fork */
    OUTCOME_BUSY,     /* the device is busy: GMP is sooner */
    OUTCOME_SAMPLE,   /* to learn what GMP takes */
    OUTCOME_COUNT
};

#endif
