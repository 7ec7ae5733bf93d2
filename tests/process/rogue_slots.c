/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Clients of mpgpu-serve with invalid small products. Small products are sent in slots of a
 * shared block. While threads of a child multiply, another thread overwrites that block; other
 * children name blocks that do not exist. Exits with 0 if the server answers each child, or
 * disconnects it, in time.
 * Usage: rogue_slots BACKEND SEED COUNT: COUNT children. */
#include "tests/support/testing.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpu/served/served_channel.h"
#include "lib/job/job.h"
#include "lib/session/session_device.h"

enum { PATIENCE = 60 /* time limit, seconds */, THREADS = 3, PRODUCTS = 300, MOST_LIMBS = 120 };

static atomic_bool is_over;

static uint64_t next(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 16;
}

static void *multiply(void *unused) {
    mp_limb_t u[MOST_LIMBS], v[MOST_LIMBS], r[2 * MOST_LIMBS];
    memset(u, 0x5a, sizeof u);
    memset(v, 0xff, sizeof v);
    for (size_t i = 0; i < PRODUCTS && session_ready() == OUTCOME_DONE; i++) {
        const size_t n = 1 + i % MOST_LIMBS;
        struct job job = {.op = JOB_mul, .operands = 2, .results = 1};
        job.u[0] = (struct job_ref){.host = u, .count = 1, .n = n};
        job.u[1] = (struct job_ref){.host = v, .count = 1, .n = n};
        job.r[0] = (struct job_ref){.host = r, .count = 1, .n = 2 * n};
        job_run(&job);
    }
    return unused;
}

/* ---- changing the block of slots while the server reads it */

static void spoil(struct coalesce_block *b, uint64_t *state) {
    const uint64_t some = next(state);
    struct coalesce_entry *e = &b->entry[next(state) % COALESCE_SLOTS];
    uint32_t *const words[] = {&e->item.un,        &e->item.vn,         &e->item.read,
                               &e->item.is_square, &e->item.has_report, &e->item.log_n,
                               &e->item.slot,      &e->item.ticket};
    *words[next(state) % 8] = (uint32_t)(some & 1 ? some : some % 300);
    if (some % 5 == 0)
        atomic_store(&b->pending, (uint32_t)next(state));
    if (some % 7 == 0)
        atomic_store(&e->state, (int)(next(state) % 5));
    if (some % 11 == 0)
        atomic_store(&b->late, (uint32_t)next(state));
    if (some % 13 == 0)
        atomic_store(&e->is_late, true);
}

static void *meddle(void *seed) {
    struct coalesce *g = &session_device(0)->coalesce;
    uint64_t state = *(uint64_t *)seed;
    while (!atomic_load(&is_over)) {
        if (coalesce_is_open(g))
            spoil(g->block, &state);
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
    }
    return NULL;
}

static void be_meddler(uint64_t seed) {
    pthread_t thread[THREADS], meddler;
    pthread_create(&meddler, NULL, meddle, &seed);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, multiply, NULL);
    if (seed % 3 == 0) {
        usleep(20000);
        _exit(0); /* during the products */
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    atomic_store(&is_over, true);
    pthread_join(meddler, NULL);
}

/* ---- requests that name blocks which do not exist */

static void be_liar(uint64_t seed) {
    for (int i = 0; i < 20 && !gpu_served_is_lost(); i++) {
        const uint64_t some = next(&seed), place = next(&seed) % 3 == 0 ? next(&seed) % 20 : 0;
        const uint64_t at = some % 4 == 0   ? UINT64_MAX - some % 4096
                            : some % 4 == 1 ? SERVED_HOST_BYTES - some % 65536
                                            : some % SERVED_HOST_BYTES / 4096 * 4096;
        const bool rings = next(&seed) % 2;
        struct served_request request = {.op = rings ? SERVED_RING_SLOTS : SERVED_SLOTS,
                                         .a = {rings ? place : at, place}};
        if (rings)
            served_post(&request);
        else
            served_call(&request, NULL);
        multiply(NULL);
    }
}

static void be_child(uint64_t seed) {
    alarm(PATIENCE);
    if (session_wait() != OUTCOME_DONE) {
        puts("no device");
        _exit(2);
    }
    (seed % 2 ? be_meddler : be_liar)(seed);
    _exit(0);
}

int main(int argc, char **argv) {
    char conf[160];
    if (argc != 4) {
        fputs("usage: rogue_slots BACKEND SEED COUNT\n", stderr);
        return 2;
    }
    snprintf(conf, sizeof conf,
             "backend:%.20s,open:wait,watchdog:2,log:0,mul:1,sqr:1,dispatch:fixed,server:only",
             argv[1]);
    setenv("MPGPU_CONF", conf, 1);
    const unsigned long seed = strtoul(argv[2], NULL, 10), count = strtoul(argv[3], NULL, 10);
    for (unsigned long i = 0; i < count; i++) {
        int status = 0;
        fflush(stdout);
        const pid_t child = fork();
        if (child == 0)
            be_child(seed + i);
        if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            printf("seed %lu: status %x\n", seed + i, (unsigned)status);
            return 1;
        }
    }
    return 0;
}
