/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Links to other members by UCX.  One thread makes all calls of UCX.
 *
 * A message consists of a header and a payload.  Each header has the link's token, which both
 * members have exchanged over an authenticated connection (tools/serve/group/group_wire.h).  A
 * message without a valid token is dropped before memory is allocated for it. */
#ifndef MPGPU_GROUP_NET_H
#define MPGPU_GROUP_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GROUP_ADDRESS_BYTES = 2048 };

/* The UCX address of a process, which may have several networks. */
struct group_address {
    uint32_t bytes;
    unsigned char byte[GROUP_ADDRESS_BYTES];
};

/* Loads UCX and starts its thread.  is_one_host: only processes of this host may connect.  Without
 * UCX, writes a line to the log and returns false. */
bool group_net_begin(bool is_one_host);

/* The UCX address of this process, which other members receive. */
extern struct group_address group_net_address;

/* Opens a link to a member.  Returns the link's number; 0 if there are too many links.
 * group_net_close must follow.  Any thread. */
uint64_t group_net_open(const struct group_address *to, const uint64_t token[2]);

/* Closes the link.  All calls that wait on it fail. */
void group_net_close(uint64_t link);

/* Returns false once UCX has found the link broken, or it was closed.  Any thread. */
bool group_net_is_open(uint64_t link);

/* Sends a job and waits for the answer.  Frees `payload`.  Returns the answer's payload of *bytes
 * bytes, which the caller frees.  Returns NULL if the link fails, memory is short on either side,
 * or goes_on(of), called every few milliseconds, returns false. */
void *group_net_call(uint64_t link, void *payload, size_t *bytes, bool (*goes_on)(void *of),
                     void *of);

/* Sends the answer to job `number`, unless the link has failed.  Frees `payload`.  Any thread. */
void group_net_answer(uint64_t link, uint64_t number, void *payload, size_t bytes);

#endif
