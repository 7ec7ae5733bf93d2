/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The members of a group of servers, as mpgpu-serve-mpi hands them to mpgpu-serve in a file. */
#ifndef MPGPU_GROUP_TABLE_H
#define MPGPU_GROUP_TABLE_H

#include <stdbool.h>
#include <stdint.h>

enum { GROUP_RANKS = 256, GROUP_KEY = 32, GROUP_HOST = 64, GROUP_BOOT = 40, GROUP_ADDRESSES = 8 };
#define GROUP_TABLE_MAGIC UINT64_C(0x4d50475067726f75)

/* Of the same layout in all versions. */
struct group_peer {
    char version[32];
    char host[GROUP_HOST];
    char boot[GROUP_BOOT]; /* what the kernel calls its start: of one host all have the same */
    uint32_t host_rank;    /* among those of its host; the one with 0 has the host's socket */
    uint32_t port;         /* where it listens */
    uint32_t addresses;
    uint32_t address[GROUP_ADDRESSES]; /* IPv4, as in struct in_addr */
    uint32_t unused[54];
};

struct group_table {
    uint64_t magic;
    uint32_t rank, ranks;
    int32_t file; /* the socket that this process listens at */
    unsigned char key[GROUP_KEY];
    struct group_peer peer[GROUP_RANKS];
};

/* The table of this process; of no ranks where it is in no group. */
extern struct group_table group_table;

/* Takes it from a descriptor, which is closed; false for anything else. */
bool group_table_load(int file);

/* Is that member on this host? */
bool group_is_near(uint32_t rank);

static inline bool group_is_leader(void) {
    return group_table.ranks == 0 || group_table.peer[group_table.rank].host_rank == 0;
}

#endif
