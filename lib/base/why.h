/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What became of a call: done on the device, or why GMP computed it. */
#ifndef MPGPU_WHY_H
#define MPGPU_WHY_H

enum mpgpu_why {
    WHY_DONE = 0, /* the device computed it */
    WHY_SMALL,    /* below the threshold (not counted on the fast way past) */
    WHY_OPENING,  /* the device was not open yet */
    WHY_NONE,     /* no device, or backend:none */
    WHY_MEMORY,   /* device or page-locked memory exhausted */
    WHY_SIZE,     /* too large for this device or for an mpz */
    WHY_FAILED,   /* a call failed or a check of the result did */
    WHY_FORKED,   /* a child of fork */
    WHY_COUNT
};

#endif
