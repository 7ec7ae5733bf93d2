/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A client of mpgpu-serve that tests whether device memory keeps data of an earlier client.
 * Usage: remains killed | released | count | silent COUNT
 * killed and released: fills device memory with a mark; then the program is killed, or releases the
 * memory. count: allocates device memory and counts the marks in it. silent: opens COUNT
 * connections to the server and sends nothing on them. */
#include "config.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu/gpu.h"
#include "gpu/served/served_socket.h"
#include "lib/job/batch_store.h"
#include "lib/session/session.h"

enum { EACH = 6, SIZES = 9 };

static const uint64_t mark = UINT64_C(0x5ec4e75ec4e75ec4);
/* Block sizes in bytes. The server keeps released blocks of each size for reuse, except those of
 * the last size. */
static const size_t sizes[SIZES] = {65536,  98304,   131072,  196608,  262144,
                                    524288, 1 << 20, 3 << 19, 65 << 20};

static struct batch_store memory[SIZES][EACH];
static uint64_t *host;

static bool open_all(void) {
    host = malloc(sizes[SIZES - 1]);
    bool done = host && session_wait() == OUTCOME_DONE;
    for (int i = 0; i < SIZES; i++)
        for (int k = 0; k < EACH; k++)
            done = done && batch_alloc(&memory[i][k], sizes[i]) == OUTCOME_DONE;
    return done;
}

static bool fill(void) {
    bool done = true;
    for (size_t i = 0; i < sizes[SIZES - 1] / sizeof mark; i++)
        host[i] = mark;
    for (int i = 0; i < SIZES; i++)
        for (int k = 0; k < EACH; k++)
            done = done && batch_fill(&memory[i][k], host) == OUTCOME_DONE;
    return done;
}

static void release_all(void) {
    for (int i = 0; i < SIZES; i++)
        for (int k = 0; k < EACH; k++)
            batch_free(&memory[i][k]);
}

static bool count(void) {
    uint64_t found = 0;
    for (int i = 0; i < SIZES; i++)
        for (int k = 0; k < EACH; k++) {
            if (batch_fetch(host, &memory[i][k], sizes[i]) != OUTCOME_DONE)
                return false;
            for (size_t j = 0; j < sizes[i] / sizeof mark; j++)
                found += host[j] == mark;
        }
    printf("%" PRIu64 " marks\n", found);
    return true;
}

static int connect_silently(int connections) {
    pid_t unused;
    for (int i = 0; i < connections; i++)
        served_socket_connect(&unused);
    pause();
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "silent") == 0)
        return connect_silently(atoi(argv[2]));
    const char *mode = argc == 2 ? argv[1] : "";
    bool done = open_all() && (strcmp(mode, "count") == 0 ? count() : fill());
    if (!done) {
        fprintf(stderr, "remains: %s\n", gpu_error_text());
        return 1;
    }
    if (strcmp(mode, "killed") == 0)
        raise(SIGKILL);
    release_all();
    return fflush(stdout) != 0;
}
