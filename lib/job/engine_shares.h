/* SPDX-License-Identifier: LGPL-3.0-or-later
 * One composite operation by two devices. */
#ifndef MPGPU_ENGINE_SHARES_H
#define MPGPU_ENGINE_SHARES_H

#include "lib/job/job.h"

/* Returns true if sharing the job's longest product between two devices pays, and is allowed. */
bool engine_may_share(const struct job *job);

/* Runs the job on two idle devices, each with a copy of *job; *job gets the first one's answers.
 * `bytes`: what the watchdog counts. Returns OUTCOME_DONE. On failure results are undefined, one
 * device must compute the job, and *device is a device that has not failed, or SESSION_ANY. */
enum outcome engine_run_shared(struct job *job, size_t bytes, int *device);

#endif
