/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpgpu-serve-mpi: starts a group of servers under mpirun or srun.  Its processes exchange the
 * group's key and their addresses, leave MPI, and execute mpgpu-serve.  So MPI does not react if a
 * member dies. */
#define _GNU_SOURCE 1 /* memfd_create */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <limits.h>
#include <mpi.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tools/serve/group/group_table.h"

enum { BACKLOG = 256, MOST_FILES = 1024, MOST_ARGUMENTS = 64 };

static struct group_table table;
static bool is_apart; /* for tests: each process counts as a separate host */

static int fail(const char *what) {
    fprintf(stderr, "mpgpu-serve-mpi: %s: %s\n", what, strerror(errno));
    MPI_Abort(MPI_COMM_WORLD, 1);
    return 1;
}

/* Adds the addresses by which other hosts can reach this host to `me`, an entry of the group's
 * table. */
static void find_addresses(struct group_peer *me) {
    struct ifaddrs *all;
    if (getifaddrs(&all) != 0)
        return;
    for (const struct ifaddrs *one = all; one; one = one->ifa_next) {
        bool is_right = one->ifa_addr && one->ifa_addr->sa_family == AF_INET &&
                        (one->ifa_flags & IFF_UP) && !(one->ifa_flags & IFF_LOOPBACK);
        if (is_right && me->addresses < GROUP_ADDRESSES)
            me->address[me->addresses++] =
                ((const struct sockaddr_in *)(const void *)one->ifa_addr)->sin_addr.s_addr;
    }
    freeifaddrs(all);
}

/* Opens the socket for other members.  If all members of the group are on one host, the socket is
 * reachable only from this host. */
static bool listen_for_others(struct group_peer *me, bool is_one_host) {
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(is_one_host ? INADDR_LOOPBACK : INADDR_ANY)};
    socklen_t size = sizeof at;
    table.file = socket(AF_INET, SOCK_STREAM, 0);
    if (table.file < 0 || bind(table.file, (const struct sockaddr *)&at, sizeof at) != 0 ||
        listen(table.file, BACKLOG) != 0 ||
        getsockname(table.file, (struct sockaddr *)&at, &size) != 0)
        return false;
    me->port = ntohs(at.sin_port);
    if (is_one_host)
        me->address[me->addresses++] = htonl(INADDR_LOOPBACK);
    else
        find_addresses(me);
    return true;
}

/* ---- the group */

/* Reads the host's boot identifier; empty if it is unknown. */
static void find_boot(char *boot) {
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (!file || !fgets(boot, GROUP_BOOT, file))
        boot[0] = '\0';
    if (file)
        fclose(file);
}

static bool fill(void) {
    struct group_peer *me = &table.peer[table.rank];
    MPI_Comm host;
    int host_rank, host_ranks;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_rank(host, &host_rank);
    MPI_Comm_size(host, &host_ranks);
    MPI_Comm_free(&host);
    snprintf(me->version, sizeof me->version, "%s", PACKAGE_VERSION);
    gethostname(me->host, sizeof me->host - 1);
    me->host_rank = is_apart ? 0 : (uint32_t)host_rank;
    if (!is_apart)
        find_boot(me->boot);
    return listen_for_others(me, (uint32_t)host_ranks == table.ranks);
}

static void hand_round(void) {
    struct group_peer me = table.peer[table.rank];
    MPI_Allgather(&me, sizeof me, MPI_BYTE, table.peer, sizeof me, MPI_BYTE, MPI_COMM_WORLD);
    MPI_Bcast(table.key, GROUP_KEY, MPI_BYTE, 0, MPI_COMM_WORLD);
}

/* Writes the table to an anonymous file, so that the key is in no argument and no environment
 * variable.  Returns its descriptor. */
static int write_table(void) {
    int file = memfd_create("mpgpu-group", 0);
    table.magic = GROUP_TABLE_MAGIC;
    return file >= 0 && pwrite(file, &table, sizeof table, 0) == (ssize_t)sizeof table ? file : -1;
}

/* ---- executing the server */

/* Executes mpgpu-serve, from this program's folder or from PATH. */
static void become(char **argument) {
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - sizeof "mpgpu-serve");
    path[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(path, '/');
    if (slash) {
        strcpy(slash + 1, "mpgpu-serve");
        execv(path, argument);
    }
    execvp("mpgpu-serve", argument);
    fprintf(stderr, "mpgpu-serve-mpi: mpgpu-serve: %s\n", strerror(errno));
}

static int go_on(int argc, char **argv, int file) {
    char number[16], *argument[MOST_ARGUMENTS + 4] = {"mpgpu-serve", "--group", number};
    snprintf(number, sizeof number, "%d", file);
    for (int i = is_apart ? 2 : 1, to = 3; i < argc; i++)
        argument[to++] = argv[i];
    for (int other = 3; other < MOST_FILES; other++)
        if (other != file && other != table.file)
            close(other);
    become(argument);
    return 1;
}

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    is_apart = argc > 1 && strcmp(argv[1], "--apart") == 0;
    table.rank = (uint32_t)rank;
    table.ranks = (uint32_t)ranks;
    errno = E2BIG;
    if (ranks > GROUP_RANKS || argc > MOST_ARGUMENTS)
        return fail("too many processes, or arguments");
    if (rank == 0 && getrandom(table.key, GROUP_KEY, 0) != GROUP_KEY)
        return fail("a key");
    if (!fill())
        return fail("a socket");
    hand_round();
    int file = write_table();
    if (file < 0)
        return fail("memory");
    MPI_Finalize();
    return go_on(argc, argv, file);
}
