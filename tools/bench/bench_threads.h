/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Teams of the mode threads: processes that work at the same time, with the library preloaded or
 * with GMP alone.  A client is mpgpu-bench itself, started again with a socket and memory that all
 * clients of a team share.  A client first reports on the socket whether it has the library and a
 * device.  Then it answers each command with BENCH_DONE, or with BENCH_FAILED_TO after a message.
 * A client ends when the socket is closed. */
#ifndef MPGPU_BENCH_THREADS_H
#define MPGPU_BENCH_THREADS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { BENCH_MOST_CLIENTS = 64, BENCH_MOST_MEMBERS = 64 };

/* Commands to a client.  BENCH_ORDER: make operands and threads for a measurement.  BENCH_ROUND:
 * run a round.  BENCH_END: end the measurement, check the results and free the operands. */
enum { BENCH_ORDER = 'o', BENCH_ROUND = 'r', BENCH_END = 'e' };

/* Answers of a client.  A client that starts sends one of the first three answers. */
enum {
    BENCH_GMP_ALONE = 'g',
    BENCH_NO_DEVICE = 'n',
    BENCH_WITH_DEVICE = 'd',
    BENCH_DONE = 'k',
    BENCH_FAILED_TO = 'f'
};

struct bench_order {
    int processes, threads; /* threads of each process */
    int operation;          /* of work_operations */
    uint64_t bits;
    unsigned ratio;
};

/* Memory that the processes that work at the same time (a team) share. Clients only write to
 * `start`, `finished` and `share`. */
struct bench_shared {
    struct bench_order order;
    double seconds; /* of a round */
    int members;    /* number of working threads in all clients */
    pthread_barrier_t start;
    atomic_int finished; /* number of working threads whose round is over */
    struct bench_share { /* the results of one client; each client writes only its own entry */
        double rate;     /* operations per second of all threads of the client */
        long runs;
        /* a hash of the results of all threads of the client */
        uint64_t hash;
        /* a thread's result after the rounds differed from its result before the rounds */
        bool has_moved;
    } share[BENCH_MOST_CLIENTS];
};

/* argv[1] of a client, and the numbers of the descriptors that it inherits. */
#define BENCH_CLIENT_WORD "--client"
enum { BENCH_CLIENT_SOCKET = 100, BENCH_CLIENT_MEMORY = 101 };

/* Runs client number argv[2] instead of mpgpu-bench's main.  Returns the exit status. */
int bench_client_main(char **argv);

struct bench_team {
    struct bench_shared *shared;
    int memory; /* its descriptor */
    int count;  /* number of clients that were started */
    struct {
        pid_t process;
        int socket;
    } client[BENCH_MOST_CLIENTS];
    bool has_device; /* all of them */
    bool has_failed; /* a client has failed: bench_team_close kills all of them */
};

/* Starts `count` processes that preload `library`, or use GMP alone if `library` is NULL. `conf`
 * has options that follow those of MPGPU_CONF.  Prints a message and returns false on failure.
 * bench_team_close must follow in either case. */
bool bench_team_open(struct bench_team *team, int count, const char *library, const char *conf);
void bench_team_close(struct bench_team *team);

/* Sends an order to the first order->processes clients, which prepare operands and threads for it.
 * bench_team_order, bench_team_round and bench_team_end print a message and return false if a
 * client has failed.  Then only bench_team_close may follow. */
bool bench_team_order(struct bench_team *team, const struct bench_order *order);

/* Runs a round of `seconds` seconds.  Sets *rate to the operations per second of all threads. */
bool bench_team_round(struct bench_team *team, double seconds, double *rate, long *runs);

/* Ends the measurement of the latest order (struct bench_order).  The hashes that the clients have
 * written are then final. */
bool bench_team_end(struct bench_team *team);

#endif
