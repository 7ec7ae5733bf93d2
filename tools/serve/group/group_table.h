/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The members of a group of servers: from mpgpu-serve-mpi, or from a file that the user has
 * written. */
#ifndef MPGPU_GROUP_TABLE_H
#define MPGPU_GROUP_TABLE_H

#include <stdbool.h>
#include <stdint.h>

enum { GROUP_RANKS = 256, GROUP_KEY = 32, GROUP_HOST = 64, GROUP_BOOT = 40, GROUP_ADDRESSES = 8 };
#define GROUP_TABLE_MAGIC UINT64_C(0x4d50475067726f75)

/* The layout is the same in all versions. */
struct group_peer {
    char version[32];
    char host[GROUP_HOST];
    char boot[GROUP_BOOT]; /* the kernel's name of its start: the same for all members of a host */
    uint32_t host_rank;    /* among the members of its host; member 0 has the host's socket */
    uint32_t port;         /* on which it listens */
    uint32_t addresses;
    uint32_t address[GROUP_ADDRESSES]; /* IPv4, as in struct in_addr */
    uint32_t unused[54];
};

struct group_table {
    uint64_t magic;
    uint32_t rank, ranks;
    int32_t file; /* the socket at which this process listens */
    unsigned char key[GROUP_KEY];
    struct group_peer peer[GROUP_RANKS];
};

/* The table of this process; of no ranks if it is in no group. */
extern struct group_table group_table;

/* Takes the table of mpgpu-serve-mpi from a descriptor, and closes it.  Returns false for anything
 * else. */
bool group_table_load(int file);

/* Reads a file that belongs to the user and that no one else may read or write.  Its lines: `key`
 * and 64 hexadecimal digits; a host's IPv4 address and a port for each member.  This process is the
 * first member with an address of this host; begins to listen there.  Returns NULL, or the
 * fault. */
const char *group_table_read(const char *path);

/* Returns true if that member is on this host. */
bool group_is_near(uint32_t rank);

static inline bool group_is_leader(void) {
    return group_table.ranks == 0 || group_table.peer[group_table.rank].host_rank == 0;
}

#endif
