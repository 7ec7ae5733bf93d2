/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Division of batches by divide.cl: definitions for the host and the kernel. */
#ifndef DIVIDE_H
#define DIVIDE_H

/* The most words of a divisor. A dividend has at most 2 DIVIDE_MOST_WORDS words. */
#define DIVIDE_MOST_WORDS 1024
#define DIVIDE_SPAN 32    /* words of a number in one work-item */
#define DIVIDE_THREADS 64 /* work-items of a group */
#define DIVIDE_GROUPS 8   /* groups that should fit on a multiprocessor at once */

/* The number of work-items that share a number, on NVIDIA's GPUs, in a program for numbers of
 * `words` words. */
#define DIVIDE_LANES(words) ((words) > DIVIDE_SPAN ? (words) / DIVIDE_SPAN : 1)

#endif
