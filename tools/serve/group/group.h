/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A group of servers: each has its own devices.  The first server of a host offers the devices of
 * all members to the programs of its host. */
#ifndef MPGPU_GROUP_H
#define MPGPU_GROUP_H

#include "lib/job/job.h"
#include "tools/serve/group/group_table.h"
#include "tools/serve/serve.h"

/* ---- group_watch.c: the members of the group */

/* Starts UCX and the answers to other members, before the devices open.  Returns false if there can
 * be no group, with a line in the log. */
bool group_prepare(void);

/* Call it when this process's devices are open: then other members may use them.  If this member is
 * the first of its host, finds the others' devices; waits for members that are opening theirs. */
void group_begin(void);

/* Returns NULL, or why this member must end. */
const char *group_reason_to_end(void);

/* Makes the other members end, too. */
void group_end(void);

/* Runs *job, whose memory is the caller's (lib/transfer/far.h), on another member's device at that
 * place of the server's.  A member that gives no right answer in time is left alone.  Returns
 * OUTCOME_DONE, OUTCOME_MEMORY or OUTCOME_FAILED; the job is unchanged unless it is done, but
 * results hold anything. */
enum outcome group_run(unsigned place, struct job *job);

/* ---- group_member.c: what others ask of this process */

/* Answers members that call, in threads. */
void group_member_begin(void);

/* Call it when the devices are open. */
void group_member_is_ready(void);

/* Answers one connection, until its end. */
void group_member_answer(int file);

/* Returns the members that have joined this one now.  *any: some have, now or before. */
int group_member_joined(bool *any);

/* Returns true if another member has asked for the end. */
bool group_member_is_ended(void);

/* ---- group_job.c: jobs of members */

/* Sends *job by the link to device `device` of the member, and receives the results.  Sets *fault
 * to the member's fault, or NULL.  Returns as group_run. */
enum outcome group_job_run(uint64_t link, unsigned device, struct job *job, const char **fault);

/* Computes a job that has arrived, in a thread, and answers.  Frees `payload`. */
void group_job_begin(uint64_t link, uint64_t number, void *payload, size_t bytes);

/* Computes it; any bytes are allowed.  The caller frees the answer's payload, which is NULL without
 * memory. */
struct group_answer {
    void *payload;
    size_t bytes;
} group_job_compute(void *payload, size_t bytes);

#endif
