/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A group of servers on one or several hosts; each server is a member with its own devices.  The
 * first member of a host offers the devices of all members to the programs of its host. */
#ifndef MPGPU_GROUP_H
#define MPGPU_GROUP_H

#include "lib/job/job.h"
#include "tools/serve/group/group_table.h"
#include "tools/serve/serve.h"

/* ---- group_watch.c: this process's connections to the other members */

/* Starts UCX and the threads that answer other members.  Call it before the devices are opened.  If
 * no group is possible, writes a line to the log and returns false. */
bool group_prepare(void);

/* Allows other members to use this process's devices, which must be open.  In the first member of a
 * host, also connects to the other members, waits until each has opened its devices or has not
 * answered, and adds those devices. */
void group_begin(void);

/* Returns NULL, or the reason why this member must end. */
const char *group_reason_to_end(void);

/* Makes the other members of the group end. */
void group_end(void);

/* Runs *job on another member's device, at index `place` in serve_device[].  The job's host memory
 * is the client's (lib/transfer/far.h).  Returns OUTCOME_DONE, OUTCOME_MEMORY or OUTCOME_FAILED.
 * Unless it returns OUTCOME_DONE, *job is unchanged, but results may be overwritten.  A member that
 * gives a wrong answer, or none in time, gets no more jobs. */
enum outcome group_run(unsigned place, struct job *job);

/* ---- group_member.c: answers requests of other members */

/* Starts a thread that answers the connections of other members. */
void group_member_begin(void);

/* Records that this process's devices are open. */
void group_member_is_ready(void);

/* Answers one connection until it ends. */
void group_member_answer(int file);

/* Returns the number of members that are connected to this process.  Sets *any to true if a member
 * is or was connected. */
int group_member_joined(bool *any);

/* Returns true if another member has requested the end of the group. */
bool group_member_is_ended(void);

/* ---- group_job.c: sends jobs to other members, and computes their jobs */

/* Sends *job over the link to device `device` of the member, and receives the results.  Sets *fault
 * to the member's fault, or NULL.  Returns an outcome as group_run does. */
enum outcome group_job_run(uint64_t link, unsigned device, struct job *job, const char **fault);

/* Starts a thread that computes a received job and sends the answer.  Frees `payload`. */
void group_job_begin(uint64_t link, uint64_t number, void *payload, size_t bytes);

/* Computes the job in a received message, which may contain any bytes.  The caller frees the
 * answer's payload, which is NULL without memory. */
struct group_answer {
    void *payload;
    size_t bytes;
} group_job_compute(void *payload, size_t bytes);

#endif
