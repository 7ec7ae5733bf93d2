/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Quotients of long numbers by Newton's method (kernels/modular/quotient.cl): definitions for the
 * host and the kernels. */
#ifndef QUOTIENT_H
#define QUOTIENT_H

/* A shifted divisor has a multiple of QUOTIENT_UNIT words. The first, short division is by its
 * highest 1 / QUOTIENT_LEAF part. Then the reciprocal's length is doubled QUOTIENT_DOUBLINGS
 * times. */
#define QUOTIENT_DOUBLINGS 3
#define QUOTIENT_LEAF (2 << QUOTIENT_DOUBLINGS)
#define QUOTIENT_UNIT (QUOTIENT_LEAF * 8)

/* Words from one error (of a reciprocal of k words) to the next in memory. An error has k + 1
 * words. */
#define QUOTIENT_E_STEP(k) ((k) + 4)

#endif
