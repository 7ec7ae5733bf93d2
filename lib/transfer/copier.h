/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A small pool of threads for copies within host memory, made when first needed. */
#ifndef MPGPU_COPIER_H
#define MPGPU_COPIER_H

#include <stdbool.h>
#include <stdint.h>

enum { COPIER_MOST = 8 }; /* one thread copies 12.6 GB/s on the H200's host, eight 44 */

struct copier;

/* As many threads as suit the machine, half of them if there is another pool.  An idle thread spins
 * for so many nanoseconds before it sleeps.  NULL if there is no memory. */
struct copier *copier_open(bool is_another, int64_t spin_ns);
void copier_close(struct copier *c);

/* How many threads work, the caller of copier_begin included: 1 to COPIER_MOST. */
int copier_threads(const struct copier *c);

/* Threads call work(job) until copier_end, which returns when all of them have returned.  The job
 * must be such that the caller alone would finish it.  One job at a time. */
void copier_begin(struct copier *c, void (*work)(void *job), void *job);
void copier_end(struct copier *c);

#endif
