/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Remainder trees: definitions for the host and the kernels. */
#ifndef TREES_H
#define TREES_H

#define TREES_SPAN 8     /* words of the result to a work-item of tree_middle */
#define TREES_THREADS 64 /* work-items a group */

/* tree_scale adds so much to a fraction whose error is less, in units of its lowest word. */
#define TREES_OFFSET_WORD 1 /* 2^(32 TREES_OFFSET_WORD) */

#endif
