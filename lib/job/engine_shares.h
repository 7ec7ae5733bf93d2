/* SPDX-License-Identifier: LGPL-3.0-or-later
 * One composite operation by two devices. */
#ifndef MPGPU_ENGINE_SHARES_H
#define MPGPU_ENGINE_SHARES_H

#include "lib/job/job.h"

/* Returns true if two devices pay for the longest product of the job, and may be used. */
bool engine_may_share(const struct job *job);

/* Runs the job on two devices that have nothing else to do, each with a copy of *job; the first
 * one's answers become those of *job.  `bytes`: what the watchdog counts.  Returns OUTCOME_DONE.
 * Otherwise results hold anything, one device must compute the job, and *device is one that has
 * not failed, or SESSION_ANY. */
enum outcome engine_run_shared(struct job *job, size_t bytes, int *device);

#endif
