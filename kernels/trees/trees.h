/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Remainder trees: definitions for the host and the kernels. */
#ifndef TREES_H
#define TREES_H

/* Words of the result that a work-item of tree_middle computes. */
#define TREES_SPAN 8
/* Work-items of a group. */
#define TREES_THREADS 64

/* tree_scale adds 2^(32 TREES_OFFSET_WORD) units of a fraction's lowest word to the fraction. The
 * error of the fraction is less than that. */
#define TREES_OFFSET_WORD 1

#endif
