/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The members of a group. */
#include "config.h"

#include "tools/serve/group/group_table.h"

#include <fcntl.h>
#include <string.h>
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
