/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The table of a group's members.  It comes from mpgpu-serve-mpi, or from a file that the user has
 * written. */
#ifndef MPGPU_GROUP_TABLE_H
#define MPGPU_GROUP_TABLE_H

#include <stdbool.h>
#include <stdint.h>

enum { GROUP_RANKS = 256, GROUP_KEY = 32, GROUP_HOST = 64, GROUP_BOOT = 40, GROUP_ADDRESSES = 8 };
#define GROUP_TABLE_MAGIC UINT64_C(0x4d50475067726f75)

/* A member of the group.  The layout is the same in all versions of the library. */
struct group_peer {
    char version[32];
    char host[GROUP_HOST];
    char boot[GROUP_BOOT]; /* the kernel's boot identifier: the same for all members on a host */
    /* index among the members of its host; the member with index 0 opens the host's socket for
     * programs */
    uint32_t host_rank;
    uint32_t port; /* the port at which the member listens for other members */
    uint32_t addresses;
    /* IPv4 addresses of the member's host, as in struct in_addr */
    uint32_t address[GROUP_ADDRESSES];
    uint32_t unused[54];
};

struct group_table {
    uint64_t magic;
    uint32_t rank, ranks;
    int32_t file; /* the socket at which this process listens for other members */
    unsigned char key[GROUP_KEY];
    struct group_peer peer[GROUP_RANKS];
};

/* The table of this process; it has no ranks if this process is in no group. */
extern struct group_table group_table;

/* Reads a table of mpgpu-serve-mpi from a descriptor, and closes the descriptor. Returns false if
 * the data is no such table. */
bool group_table_load(int file);

/* Reads the table from a file, which must belong to the user and be inaccessible to others.  The
 * file has a line `key` with 64 hexadecimal digits, and for each member a line with an IPv4 address
 * and a port.  This process becomes the first member at whose address it can listen: the host has
 * the address, and nobody listens there.  Returns NULL, or the fault. */
const char *group_table_read(const char *path);

/* Returns true if the member is on this host. */
bool group_is_near(uint32_t rank);

static inline bool group_is_leader(void) {
    return group_table.ranks == 0 || group_table.peer[group_table.rank].host_rank == 0;
}

#endif
