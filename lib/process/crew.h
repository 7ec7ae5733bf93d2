/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Threads that help a job again and again with parts of some microseconds, such as the products
 * inside a gcd. Waking pool threads for each list of parts would take longer than the parts. So
 * pool threads (lib/process/thread_pool.h) spin for the next list as long as the job runs. A job
 * should last at most a few milliseconds, because the program's signal handlers wait for its end.
 *
 * The threads of all crews together, callers included, are at most the process's CPUs. A crew has
 * no helpers if the device computes on the CPU. If a helper is late, because other threads use its
 * CPU, no crew has helpers for 100 times the loss: so helpers cost at most 1 % of the time. */
#ifndef MPGPU_CREW_H
#define MPGPU_CREW_H

#include <stdint.h>

/* The most parts of a list. */
enum { CREW_PARTS = 16 };

/* Returns how many threads a crew would have that begins now: 1 if it would have no helpers. */
unsigned crew_expect(void);

/* Calls work(job) in the calling thread, with helpers if there are any. Inside a crew it only calls
 * work(job). The work must not leave the call by longjmp. */
void crew_run(void (*work)(void *job), void *job);

/* Returns how many threads compute the parts of a list: 1 outside of crew_run. */
unsigned crew_width(void);

/* Calls part(of, i) once for each i from 0 to count - 1, in the calling thread and in the helpers,
 * and returns after all calls have returned. cost[i] is the relative time of part i; the longest
 * part should be first. A part must not allocate memory by GMP's functions or call the device. */
void crew_share(unsigned count, const uint64_t *cost, void (*part)(void *of, unsigned i), void *of);

#endif
