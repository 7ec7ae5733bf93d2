/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A client: a process with some threads that work as told, with the library under preload or with
 * GMP alone.  It is mpgpu-bench itself, started anew; what it needs of the program that started it
 * are a socket and memory that all clients of a team share.
 *
 * It says BENCH_HELLO and who it is, then answers each command with BENCH_DONE, or BENCH_FAILED_TO
 * after a message.  The end of the socket ends it. */
#ifndef MPGPU_BENCH_CLIENT_H
#define MPGPU_BENCH_CLIENT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { BENCH_MOST_CLIENTS = 64, BENCH_MOST_MEMBERS = 64 };

/* Commands: make operands and threads; a round; check the results and forget the operands. */
enum { BENCH_ORDER = 'o', BENCH_ROUND = 'r', BENCH_END = 'e' };

/* Answers; the first is one of the three. */
enum {
    BENCH_GMP_ALONE = 'g',
    BENCH_NO_DEVICE = 'n',
    BENCH_WITH_DEVICE = 'd',
    BENCH_DONE = 'k',
    BENCH_FAILED_TO = 'f'
};

/* In memory that the clients share.  Only the controller writes it, but for what is said. */
struct bench_shared {
    int call; /* of bench_calls */
    uint64_t bits;
    unsigned ratio;
    int threads;    /* of each client */
    double seconds; /* of a round */
    int members;    /* threads of all clients that work */
    pthread_barrier_t start;
    atomic_int finished; /* members whose round is over */
    struct bench_share { /* each client writes its own */
        double rate;     /* operations a second, of all its threads */
        long runs;
        int wrong;
    } share[BENCH_MOST_CLIENTS];
};

/* What `argv[1]` of a client says; the descriptors that it is started with. */
#define BENCH_CLIENT_WORD "--client"
enum { BENCH_CLIENT_SOCKET = 100, BENCH_CLIENT_MEMORY = 101 };

/* Is this process one? */
bool bench_client_is_asked_for(int argc, char **argv);

/* Its main program: client number argv[2].  Returns the exit status. */
int bench_client_main(char **argv);

#endif
