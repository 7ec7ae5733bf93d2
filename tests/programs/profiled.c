/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A test program for profiles: the places, sizes and counts of its calls are known.
 * profiled LIMBS CALLS [END]: END says what happens besides or at the end: fork, threads, kill,
 * crash, wait or time. */
#include <gmp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CHILDREN = 3, ROUNDS = 20 };

static long limbs, calls;

static void set(mpz_t x, unsigned seed) {
    gmp_randstate_t state;
    gmp_randinit_default(state);
    gmp_randseed_ui(state, seed);
    mpz_urandomb(x, state, (mp_bitcnt_t)(64 * limbs));
    mpz_setbit(x, (mp_bitcnt_t)(64 * limbs - 1));
    gmp_randclear(state);
}

static volatile int is_done;

/* Profiles look for this function in the stack. So it must not be inlined, and must not end by a
 * jump to GMP. */
static __attribute__((noinline)) void multiply(mpz_t r, const mpz_t x, const mpz_t y) {
    mpz_mul(r, x, y);
    is_done = 1;
}

static __attribute__((noinline)) void divide(mpz_t r, const mpz_t x, const mpz_t y) {
    mpz_tdiv_q(r, x, y);
    is_done = 1;
}

static void *work(void *unused) {
    mpz_t x, y, r, q;
    mpz_inits(x, y, r, q, NULL);
    set(x, 1);
    set(y, 2);
    for (long i = 0; i < calls; i++)
        multiply(r, x, y);
    for (long i = 0; i < calls / 2; i++)
        divide(q, r, y);
    mpz_clears(x, y, r, q, NULL);
    return unused;
}

static void in_children(void) {
    for (int i = 0; i < CHILDREN; i++)
        if (fork() == 0) {
            work(NULL);
            _exit(0);
        }
    while (wait(NULL) > 0)
        ;
}

static void in_threads(void) {
    pthread_t thread[CHILDREN];
    for (int i = 0; i < CHILDREN; i++)
        if (pthread_create(&thread[i], NULL, work, NULL) != 0)
            abort();
    for (int i = 0; i < CHILDREN; i++)
        pthread_join(thread[i], NULL);
}

/* Prints the microseconds of the fastest of several rounds of calls. */
static void print_time(void) {
    double least = 1e9;
    for (int i = 0; i < ROUNDS; i++) {
        struct timespec a, b;
        clock_gettime(CLOCK_MONOTONIC, &a);
        work(NULL);
        clock_gettime(CLOCK_MONOTONIC, &b);
        double us = 1e6 * (double)(b.tv_sec - a.tv_sec) + 1e-3 * (double)(b.tv_nsec - a.tv_nsec);
        least = us < least ? us : least;
    }
    printf("%.0f\n", least);
}

static void end_as(const char *end) {
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    if (strcmp(end, "fork") == 0)
        in_children();
    else if (strcmp(end, "threads") == 0)
        in_threads();
    else if (strcmp(end, "kill") == 0)
        raise(SIGKILL);
    else if (strcmp(end, "crash") == 0)
        abort();
    else if (strcmp(end, "wait") == 0)
        for (;;)
            pause();
    else if (strcmp(end, "time") == 0)
        print_time();
}

int main(int argc, char **argv) {
    if (argc < 3)
        return 2;
    limbs = atol(argv[1]);
    calls = atol(argv[2]);
    work(NULL);
    if (argc > 3)
        end_as(argv[3]);
    return 0;
}
