/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The TCP connection of a member to another member.  The accepting member sends a challenge, the
 * connecting member answers with a hello, and the accepting member with a welcome.  Hello and
 * welcome prove that the sender has the group's key, which is never sent.  Hello and welcome also
 * have the sender's UCX address (tools/serve/group/group_net.h).  The hello has a token for the
 * link. Afterwards the connecting member sends pings, and the accepting member echoes them, while
 * both processes live. */
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
    /* authenticates all bytes of the message in front of `proof` */
    unsigned char proof[SHA256_BYTES];
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

/* A message ends with a proof of all bytes before it. group_wire_prove computes and stores the
 * proof of the first `bytes` bytes; group_wire_is_proved verifies it. `nonce` is the receiver's
 * challenge. */
void group_wire_prove(const unsigned char *nonce, const void *message, size_t bytes,
                      unsigned char *proof);
bool group_wire_is_proved(const unsigned char *nonce, const void *message, size_t bytes,
                          const unsigned char *proof);

/* Send or receive exactly `bytes` bytes.  Return false if the other side has closed the connection
 * or exceeds the socket's time limit. */
bool group_wire_send(int file, const void *data, size_t bytes);
bool group_wire_receive(int file, void *data, size_t bytes);

/* Sets the time limit of sends and receives in seconds; 0: none.  Also makes small messages be sent
 * at once. */
void group_wire_set_time(int file, int seconds);

/* Connects to a member and fills in the hello except for its token.  Returns the connection, after
 * receiving *welcome, which may contain a refusal.  If the member does not answer, returns -1 and
 * sets gpu_error_text(). */
int group_wire_call(uint32_t rank, struct group_hello *hello, struct group_welcome *welcome,
                    int seconds);

#endif
