/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A plain GMP program for test_handlers.sh: signal handlers run during long calls, several times
 * in one call, and may leave the call by siglongjmp, _exit or the thread's end. Its output is
 * the same with GMP alone.
 * Usage: handlers ticks|leave|_exit|thread|cancel */
#include "config.h"

#include <gmp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { ENOUGH = 4, LEAST_BITS = 1 << 14, MOST_BITS = 1 << 28, EVERY = 2000 };

/* ---- memory of numbers: never reused, because handlers may leave a call at any time */

static char *next_block, *end_of_blocks;

static void *allocate(size_t bytes) {
    size_t room = (bytes + 63) / 64 * 64;
    if ((size_t)(end_of_blocks - next_block) < room) {
        next_block = malloc(room + (64u << 20));
        end_of_blocks = next_block + room + (64u << 20);
    }
    next_block += room;
    return next_block - room;
}

static void *reallocate(void *old, size_t from, size_t to) {
    return memcpy(allocate(to), old, from < to ? from : to);
}

/* Overwrites released memory, so that code which still reads it gets wrong limbs. */
static void release(void *p, size_t bytes) {
    memset(p, 0x5a, bytes);
}

/* ---- operations */

static mpz_t u, v, w, r;
static char *text;

static void multiply(void) {
    mpz_mul(r, w, v);
}
static void divide(void) {
    mpz_tdiv_qr(r, w, w, v);
}
static void take_root(void) {
    mpz_sqrt(r, w);
}
static void find_gcd(void) {
    mpz_gcd(r, w, v);
}
static void raise_to_power(void) {
    mpz_powm(r, u, v, w);
}
static void convert(void) {
    text = mpz_get_str(NULL, 10, w);
}

static const struct {
    const char *name;
    void (*call)(void);
    /* divides the number of bits of the operands, because slow operations need shorter ones */
    unsigned shorter;
} operations[] = {{"mpz_mul", multiply, 1},         {"mpz_tdiv_qr", divide, 1},
                  {"mpz_sqrt", take_root, 1},       {"mpz_gcd", find_gcd, 4},
                  {"mpz_powm", raise_to_power, 64}, {"mpz_get_str", convert, 2}};
enum { OPERATIONS = sizeof operations / sizeof *operations };

static void fill(mpz_t x, unsigned long bits, unsigned long seed) {
    mpz_init_set_ui(x, seed);
    mpz_mul_2exp(x, x, bits);
    mpz_sub_ui(x, x, 3 * seed);
    mpz_setbit(x, bits / 3);
}

static void prepare(int op, unsigned long bits) {
    bits /= operations[op].shorter;
    fill(u, bits, 5);
    fill(v, bits, 7);
    fill(w, 2 * bits, 11);
    mpz_init(r);
    text = NULL;
}

static void put_away(void) {
    mpz_clears(u, v, w, r, NULL);
}

/* ---- timer signals that are counted */

static volatile sig_atomic_t ticks;

static void count(int signal) {
    (void)signal;
    ticks++;
}

static void start_timer(void (*handler)(int), int microseconds) {
    struct itimerval timer = {{0, microseconds}, {0, microseconds}};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
}

/* Returns an operand size in bits for which enough timer signals arrive during one call of the
 * operation. */
static unsigned long long_enough(int op) {
    for (unsigned long bits = LEAST_BITS; bits < MOST_BITS; bits *= 2) {
        prepare(op, bits);
        start_timer(count, EVERY);
        ticks = 0;
        operations[op].call();
        int come = ticks;
        start_timer(count, 0);
        put_away();
        if (come >= ENOUGH)
            return bits;
    }
    printf("%s: no handler ran during a call\n", operations[op].name);
    exit(1);
}

static void count_ticks(void) {
    for (int op = 0; op < OPERATIONS; op++) {
        long_enough(op);
        printf("%s: handlers ran during a call\n", operations[op].name);
    }
}

/* ---- handlers that leave a call by siglongjmp */

static sigjmp_buf out;

static void leave(int signal) {
    (void)signal;
    if (++ticks == ENOUGH / 2)
        siglongjmp(out, 1);
}

static unsigned long digest(void) {
    unsigned long sum = mpz_fdiv_ui(r, 4294967291u);
    for (const char *p = text; p && *p; p++)
        sum = sum * 31 + (unsigned char)*p;
    return sum;
}

/* Lets a handler leave a call of the operation. Then overwrites the memory of the call's operands
 * and runs the operation again: the abandoned call must not disturb the second one. */
static void leave_one(int op) {
    volatile unsigned long bits = long_enough(op);
    volatile int has_left = 1;
    prepare(op, bits);
    ticks = 0;
    if (sigsetjmp(out, 1) == 0) {
        start_timer(leave, EVERY);
        operations[op].call();
        has_left = 0;
    }
    start_timer(count, 0);
    if (has_left)
        put_away();
    prepare(op, LEAST_BITS * 4);
    operations[op].call();
    printf("%s: %lu after a handler that leaves\n", operations[op].name, digest());
}

static void leave_all(void) {
    for (int round = 0; round < 2; round++)
        for (int op = 0; op < OPERATIONS; op++)
            leave_one(op);
}

static void end_at_once(int signal) {
    (void)signal;
    if (++ticks == ENOUGH / 2)
        _exit(43);
}

/* Makes operands of a power that takes a day, so the call never returns by itself. */
static void prepare_endless(void) {
    prepare(4, 64ul << 20);
}

static void exit_in_handler(void) {
    prepare_endless();
    start_timer(end_at_once, EVERY);
    raise_to_power();
}

static void end_thread(int signal) {
    (void)signal;
    pthread_exit((void *)&ticks);
}

static void *work_without_end(void *how) {
    if (how)
        pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    raise_to_power();
    return NULL;
}

/* Ends a thread during a call, in its signal handler or by cancellation. Then checks that a call
 * in this thread works. */
static void end_one(int is_cancelled) {
    pthread_t thread;
    void *result = NULL;
    signal(SIGUSR1, end_thread);
    prepare_endless();
    pthread_create(&thread, NULL, work_without_end, is_cancelled ? &thread : NULL);
    usleep(300000);
    if (is_cancelled)
        pthread_cancel(thread);
    else
        pthread_kill(thread, SIGUSR1);
    pthread_join(thread, &result);
    puts(result == (is_cancelled ? PTHREAD_CANCELED : (void *)&ticks) ? "ended" : "not ended");
    prepare(0, LEAST_BITS * 4);
    multiply();
    printf("%lu\n", digest());
}

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "";
    mp_set_memory_functions(allocate, reallocate, release);
    if (strcmp(how, "ticks") == 0)
        count_ticks();
    else if (strcmp(how, "leave") == 0)
        leave_all();
    else if (strcmp(how, "_exit") == 0)
        exit_in_handler();
    else
        end_one(strcmp(how, "cancel") == 0);
    return 0;
}
