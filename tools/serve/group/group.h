/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A group of servers: each has its own devices, and the first of a host offers those of all the
 * others to the programs of its host. */
#ifndef MPGPU_GROUP_H
#define MPGPU_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/remote/remote_numbers.h"
#include "tools/serve/serve.h"

/* ---- group_watch.c: who is there */

/* This process's devices are open: others may call, and where it is a host's first it finds the
 * others' devices.  Takes until all have answered. */
void group_begin(void);

/* NULL, or why this member ends. */
const char *group_reason_to_end(void);

/* The others end, too. */
void group_end(void);

/* ---- group_member.c: what others ask of this process */

/* Answers those who call, in threads. */
void group_member_begin(void);

/* Answers one connection, until its end. */
void group_member_answer(int file);

/* Members that are joined with this one now; have there been any? */
int group_member_joined(bool *any);

/* Has another member asked for the end? */
bool group_member_is_ended(void);

/* ---- group_requests.c */

/* Does what another member, that of `rank`, asks through the connection for a client, until its
 * end.
 */
void group_requests(struct serve_channel *ch, unsigned device, uint32_t rank, int file);

/* ---- group_near.c */

/* GROUP_MAP, and its answer; false where the connection ends. */
bool group_near(struct serve_client *c, int file, const struct served_request *r);

/* ---- group_backend.c: devices of other members */

/* The backend of a member's device, by the name of the device's own; NULL for one that is none. */
const struct gpu_backend *group_backend_of(const char *name);

/* Whose device is at that place of the server's? */
uint32_t group_backend_rank(unsigned place);

/* The device at that place of the server's is number `device` of the member with that rank. */
void group_backend_add(unsigned place, uint32_t rank, unsigned device);

/* ---- group_link.c: connections to other members */

enum { GROUP_READS = 256 };

struct group_link {
    struct group_link *next;
    uint32_t rank;
    int file;
    bool is_lost;
    pthread_mutex_t mutex; /* of all that follows */
    struct group_read {
        char *to;
        size_t bytes;
    } read[GROUP_READS]; /* bytes that are to come, the first from `first` on */
    unsigned first, reads;
    size_t kept; /* bytes of small requests that are not sent yet */
    char keeps[16 << 10];
    _Atomic uint64_t events[REMOTE_NUMBERS(SERVED_EVENTS)]; /* the numbers in use; without it */
};

/* Opens one, which belongs to the caller; NULL and gpu_error_text() where there can't be one. */
struct group_link *group_link_open(uint32_t rank, uint32_t wish, uint32_t device, uint32_t channel,
                                   uint64_t token[2]);
void group_link_close(struct group_link *l);

/* A request, and bytes that follow it; the mutex is held for these three.  Small ones may wait for
 * the next. */
enum gpu_status group_link_post(struct group_link *l, const struct served_request *request,
                                const void *data, size_t bytes);

/* Bytes of the last request are to come there: they have come when another answer has. */
enum gpu_status group_link_expect(struct group_link *l, void *to, size_t bytes);

/* The answer to what was posted last.  *value may be NULL. */
enum gpu_status group_link_answer(struct group_link *l, uint64_t *value);

/* The member is gone: its connections come to an end, and there are no more. */
void group_link_lose(uint32_t rank);

#endif
