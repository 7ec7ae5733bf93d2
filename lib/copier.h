/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A small pool of threads for copies within host memory, made when first needed. */
#ifndef MPGPU_COPIER_H
#define MPGPU_COPIER_H

enum { COPIER_MOST = 8 }; /* one thread copies 12.6 GB/s on the H200's host, eight 44 */

struct copier;

/* NULL if there is no memory. */
struct copier *copier_open(void);
void copier_close(struct copier *c);

/* How many threads copier_run works with: 1 to COPIER_MOST, the caller's
 * included. */
int copier_threads(const struct copier *c);

/* Call work(job, i) in the caller's thread for i = 0, and in those of the others
 * that come in time for i = 1, 2, ...; returns when all have returned.  The job
 * must be such that the caller alone would finish it.  One run at a time. */
void copier_run(struct copier *c, void (*work)(void *job, int worker), void *job);

#endif
