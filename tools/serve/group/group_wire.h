/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What members of a group say to each other, over TCP.
 *
 * The one that is called sends a challenge.  The caller answers with a hello and the other with a
 * welcome: each proves that it has the group's key, which is never sent.  Behind that come requests
 * as of gpu/served/served.h, one after another: of a write and a text the bytes follow.  Answers
 * come in the same order, and of a read its bytes.  On one host both have a client's memory mapped,
 * where they can: then a copy names a place in it, and no bytes follow.  There they open memory of
 * each other's devices, too. */
#ifndef MPGPU_GROUP_WIRE_H
#define MPGPU_GROUP_WIRE_H

#include "gpu/served/served.h"
#include "gpu/sha256.h"
#include "tools/serve/group/group_table.h"

enum { GROUP_NONCE = 16, GROUP_PING = 'p', GROUP_END = 'e' };
#define GROUP_MAGIC UINT64_C(0x4d5047506d656d62)

/* Requests of its own, for members of one host.  All have an answer, some a value in it. */
enum {
    GROUP_MAP = SERVED_OPS, /* region, process, descriptor there, bytes, number of the file: from
                               now on copies may name that region */
    GROUP_OPS
};

enum group_wish {
    GROUP_JOIN,   /* the devices, and then pings, each of which is sent back */
    GROUP_OPEN,   /* a client of the caller's has device `device`: this is its channel */
    GROUP_CHANNEL /* another channel for the client of `token` */
};

struct group_challenge {
    uint64_t magic;
    unsigned char nonce[GROUP_NONCE];
};

struct group_hello {
    uint64_t magic;
    char version[32];
    char build[sizeof gpu_images_id];
    uint32_t rank, wish, device, channel;
    uint64_t token[2];
    unsigned char nonce[GROUP_NONCE];
    unsigned char proof[SHA256_BYTES]; /* of all before it */
};

struct group_welcome {
    uint64_t magic;
    int32_t status;
    uint32_t devices;
    uint64_t token[2];
    char text[SERVED_TEXT]; /* why not */
    struct served_offer offer[SERVED_DEVICES];
    uint64_t known[SERVED_DEVICES][GPU_KNOWN];
    unsigned char proof[SHA256_BYTES];
};

struct group_answer {
    int32_t status;
    uint32_t unused;
    uint64_t value;
    char text[SERVED_TEXT];
};

/* Fills in the proof, or compares it: of the first `bytes` bytes, which `proof` follows, for the
 * one that has sent `nonce`. */
void group_wire_prove(const unsigned char *nonce, const void *message, size_t bytes,
                      unsigned char *proof);
bool group_wire_is_proved(const unsigned char *nonce, const void *message, size_t bytes,
                          const unsigned char *proof);

/* All bytes, or false: the other has ended, or has been silent for the socket's time. */
bool group_wire_send(int file, const void *data, size_t bytes);
bool group_wire_receive(int file, void *data, size_t bytes);

/* Seconds after which these give up; 0: never.  Small messages go at once. */
void group_wire_set_time(int file, int seconds);

/* A connection to a member, which has welcomed this process (which may say why not): -1 and
 * gpu_error_text() where there is none.  The hello's wish and what belongs to it is filled in. */
int group_wire_call(uint32_t rank, struct group_hello *hello, struct group_welcome *welcome,
                    int seconds);

#endif
