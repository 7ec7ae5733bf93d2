/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Reads the table of a group's members. */
#include "config.h"

#include "tools/serve/group/group_table.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

struct group_table group_table;

bool group_is_near(uint32_t rank) {
    const char *here = group_table.peer[group_table.rank].boot;
    return *here && strcmp(here, group_table.peer[rank].boot) == 0;
}

bool group_table_load(int file) {
    struct group_table *t = &group_table;
    bool done = pread(file, t, sizeof *t, 0) == (ssize_t)sizeof *t &&
                t->magic == GROUP_TABLE_MAGIC && t->ranks > 0 && t->ranks <= GROUP_RANKS &&
                t->rank < t->ranks;
    close(file);
    for (uint32_t i = 0; i < GROUP_RANKS && done; i++) {
        t->peer[i].version[sizeof t->peer[i].version - 1] = '\0';
        t->peer[i].host[GROUP_HOST - 1] = t->peer[i].boot[GROUP_BOOT - 1] = '\0';
        done = t->peer[i].addresses <= GROUP_ADDRESSES;
    }
    if (!done)
        memset(t, 0, sizeof *t);
    else
        fcntl(t->file, F_SETFD, FD_CLOEXEC);
    return done;
}

/* ---- a file written by the user */

static bool read_key(const char *digits, unsigned char *key) {
    int length = 0;
    bool is_right = strspn(digits, "0123456789abcdefABCDEF") == 2 * (size_t)GROUP_KEY;
    for (int i = 0; i < GROUP_KEY && is_right; i++)
        is_right = sscanf(digits + 2 * i, "%2hhx%n", &key[i], &length) == 1 && length == 2;
    return is_right;
}

static bool read_line(struct group_table *t, char *line) {
    char word[GROUP_HOST + 1], value[2 * GROUP_KEY + 2], more[2];
    int length = 0;
    struct group_peer *peer = &t->peer[t->ranks];
    line[strcspn(line, "#\n")] = '\0';
    if (line[strspn(line, " \t")] == '\0')
        return true;
    if (sscanf(line, " %64s %65s %1s", word, value, more) != 2)
        return false;
    if (strcmp(word, "key") == 0) {
        t->magic = GROUP_TABLE_MAGIC;
        return read_key(value, t->key);
    }
    if (t->ranks == GROUP_RANKS || inet_pton(AF_INET, word, peer->address) != 1 ||
        sscanf(value, "%5u%n", &peer->port, &length) != 1 || value[length] || peer->port == 0 ||
        peer->port > UINT16_MAX)
        return false;
    snprintf(peer->host, sizeof peer->host, "%.63s", word);
    peer->addresses = 1;
    t->ranks++;
    return true;
}

/* Listens at the address of member `rank`.  Returns false if this host does not have that address,
 * or another process listens there.  Otherwise this process is that member. */
static bool listen_as(struct group_table *t, uint32_t rank) {
    const int on = 1;
    const struct sockaddr_in at = {.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)t->peer[rank].port),
                                   .sin_addr = {.s_addr = t->peer[rank].address[0]}};
    int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool is_here = file >= 0 && setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
                   bind(file, (const struct sockaddr *)&at, sizeof at) == 0 &&
                   listen(file, SOMAXCONN) == 0;
    if (!is_here && file >= 0)
        close(file);
    t->file = is_here ? file : t->file;
    t->rank = is_here ? rank : t->rank;
    return is_here;
}

static bool is_private(int file) {
    struct stat about;
    return fstat(file, &about) == 0 && about.st_uid == geteuid() && (about.st_mode & 077) == 0;
}

const char *group_table_read(const char *path) {
    struct group_table *t = &group_table;
    char line[256];
    uint32_t rank = 0;
    FILE *file = fopen(path, "re");
    if (!file)
        return "a file that can be read";
    bool is_right = is_private(fileno(file));
    const char *wrong = is_right ? NULL : "a file that nobody else may read (chmod 600)";
    while (is_right &&
           fgets(line, sizeof line, file)) /* a longer line, or one with a zero byte, is wrong */
        is_right = (strchr(line, '\n') || feof(file)) && read_line(t, line);
    fclose(file);
    if (!wrong && (!is_right || !t->magic || t->ranks == 0))
        wrong = "lines with `key` and 64 hexadecimal digits, or an IPv4 address and a port";
    while (!wrong && rank < t->ranks && !listen_as(t, rank))
        rank++;
    if (!wrong && rank == t->ranks)
        wrong = "a file with an address of this host, at which nobody listens";
    if (wrong)
        memset(t, 0, sizeof *t);
    return wrong;
}
