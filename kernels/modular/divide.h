/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Quotients of batches by divide.cl: definitions for the host and the kernel. */
#ifndef DIVIDE_H
#define DIVIDE_H

#define DIVIDE_MOST_WORDS 1024 /* of a divisor; a dividend has at most twice these */
#define DIVIDE_SPAN 32         /* words a lane */
#define DIVIDE_THREADS 64      /* work-items a group */
#define DIVIDE_GROUPS 8        /* at once on a multiprocessor */

/* Work-items that share a number, in a program for numbers of `words` words, on GPUs of NVIDIA. */
#define DIVIDE_LANES(words) ((words) > DIVIDE_SPAN ? (words) / DIVIDE_SPAN : 1)

#endif
