/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A team: processes that work at the same time, with the library or with GMP alone. */
#ifndef MPGPU_BENCH_TEAM_H
#define MPGPU_BENCH_TEAM_H

#include <stdbool.h>
#include <sys/types.h>

#include "tools/bench/threads/bench_client.h"

struct bench_team {
    struct bench_shared *shared;
    int memory; /* its descriptor */
    int count;  /* clients that were started */
    int working;
    struct {
        pid_t process;
        int socket;
    } client[BENCH_MOST_CLIENTS];
    bool has_device; /* all of them */
    bool has_failed; /* its processes are killed in the end */
};

/* Start `count` processes: with that library under preload, NULL: GMP alone.  `conf`: options
 * after those of MPGPU_CONF.  False after a message; bench_team_close follows all the same. */
bool bench_team_open(struct bench_team *team, int count, const char *library, const char *conf);
void bench_team_close(struct bench_team *team);

/* Operands for threads of the first `processes` clients.  These three return false, after a
 * message, if a client has failed: nothing but bench_team_close may follow. */
bool bench_team_order(struct bench_team *team, int processes, int threads, int call, uint64_t bits,
                      unsigned ratio);

/* A round of so many seconds; operations a second by all of them. */
bool bench_team_round(struct bench_team *team, double seconds, double *rate, long *runs);

/* The end of an order: how many threads had a wrong result. */
bool bench_team_end(struct bench_team *team, int *wrong);

/* The library beside this program, or where it is installed; false after a message. */
bool bench_team_find_library(char *path, size_t size);

#endif
