/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The connection by which a member joins another one, over TCP.
 *
 * The member that is called sends a challenge.  The caller answers with a hello, the other one with
 * a welcome.  Each proves that it has the group's key, which is never sent.  Both messages have the
 * sender's address for UCX (tools/serve/group/group_net.h), the hello a token for the link.  Pings
 * follow, and their echoes, while both processes live. */
#ifndef MPGPU_GROUP_WIRE_H
#define MPGPU_GROUP_WIRE_H

#include "gpu/served/served.h"
#include "gpu/sha256.h"
#include "tools/serve/group/group_net.h"
#include "tools/serve/group/group_table.h"

enum { GROUP_NONCE = 16, GROUP_PING = 'p', GROUP_END = 'e' };
#define GROUP_MAGIC UINT64_C(0x4d5047506d656d63)

struct group_challenge {
    uint64_t magic;
    unsigned char nonce[GROUP_NONCE];
};

struct group_hello {
    uint64_t magic;
    char version[32];
    char build[sizeof gpu_images_id];
    uint32_t rank;
    uint64_t token[2];
    struct group_address address;
    unsigned char nonce[GROUP_NONCE];
    unsigned char proof[SHA256_BYTES]; /* of all before it */
};

struct group_welcome {
    uint64_t magic;
    int32_t status;
    uint32_t devices;
    char text[SERVED_TEXT]; /* why not */
    struct group_address address;
    struct served_offer offer[SERVED_DEVICES];
    unsigned char proof[SHA256_BYTES];
};

/* Fills in the proof, or compares it: of the first `bytes` bytes, which `proof` follows, for the
 * member that has sent `nonce`. */
void group_wire_prove(const unsigned char *nonce, const void *message, size_t bytes,
                      unsigned char *proof);
bool group_wire_is_proved(const unsigned char *nonce, const void *message, size_t bytes,
                          const unsigned char *proof);

/* Sends or receives all bytes.  Returns false if the other side has ended, or has been silent for
 * the socket's time. */
bool group_wire_send(int file, const void *data, size_t bytes);
bool group_wire_receive(int file, void *data, size_t bytes);

/* Sets the seconds after which these give up; 0: never.  Small messages are sent at once. */
void group_wire_set_time(int file, int seconds);

/* Connects to a member and fills in the hello but its token.  Returns the connection, on which
 * *welcome has been received; it may refuse this process.  Returns -1 if no member answers, with
 * gpu_error_text(). */
int group_wire_call(uint32_t rank, struct group_hello *hello, struct group_welcome *welcome,
                    int seconds);

#endif
