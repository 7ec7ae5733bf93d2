/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Runs one composite operation (one that consists of products, such as a division) on two
 * devices. */
#ifndef MPGPU_ENGINE_SHARDS_H
#define MPGPU_ENGINE_SHARDS_H

#include "lib/job/job.h"

/* Returns true if the job's longest product is long enough to be worth sharing between two devices,
 * and the options allow sharing. */
bool engine_may_shard(const struct job *job);

/* Runs the job on two idle devices, each with its own copy of *job. Then copies the first device's
 * answers (enum job_answer) to *job, and returns OUTCOME_DONE. The watchdog computes the time limit
 * from `bytes`.
 *
 * Any other outcome means a failure. Results are then undefined, and the caller must run the job on
 * one device. *device is a device that has not failed, or SESSION_ANY if there is none. */
enum outcome engine_run_sharded(struct job *job, size_t bytes, int *device);

#endif
