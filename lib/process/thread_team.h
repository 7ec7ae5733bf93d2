/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Threads that help a job again and again with parts of some microseconds, such as the products
 * inside a gcd.
 *
 * Waking pool threads (lib/process/thread_pool.h) for each list of parts would take longer than the
 * parts. So the helpers spin for the next list as long as the job runs. A job should last at most a
 * few milliseconds, because the program's signal handlers wait for its end.
 *
 * The job's thread and its helpers form a team. All teams together have no more threads than the
 * process has CPUs. A team has no helpers if the device computes on the CPU. If a helper is late
 * because its CPU is busy, no team has helpers for 100 times the lost time. So helpers cost at most
 * 1 % of the time. */
#ifndef MPGPU_THREAD_TEAM_H
#define MPGPU_THREAD_TEAM_H

#include <stdint.h>

/* The most parts of a list. */
enum { THREAD_TEAM_PARTS = 16 };

/* Returns how many threads a team that begins now would have; 1 means no helpers. */
unsigned thread_team_expect(void);

/* Calls work(job) in the calling thread, which gets helpers if possible. If the calling thread
 * already is in a team, only calls work(job). `work` must not leave by longjmp. */
void thread_team_run(void (*work)(void *job), void *job);

/* Returns how many threads compute the parts of a list; 1 outside of thread_team_run. */
unsigned thread_team_width(void);

/* Calls part(of, i) once for each i from 0 to count - 1, in the calling thread and in the helpers,
 * and returns after all calls have returned. cost[i] is the relative time of part i; the longest
 * part should be first. A part must not allocate memory by GMP's functions or call the device. */
void thread_team_share(unsigned count, const uint64_t *cost, void (*part)(void *of, unsigned i),
                       void *of);

#endif
