/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A plain GMP program for test_longjmp.sh. It multiplies in a thread with a small stack. A signal
 * handler leaves products by siglongjmp. The program's memory functions leave, by longjmp, calls of
 * GMP that read a stream. The output is the same with GMP alone. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/time.h>

#include "tests/support/products.h"

#define SMALL_STACK (64 << 10) /* 64 KiB, which suffices for GMP alone */
#define JUMPS 12
#define DIGITS 100000

static sigjmp_buf back;

static void *multiply_bits(void *bits) {
    multiply(*(unsigned long *)bits);
    return NULL;
}

/* Multiplies in a new thread, with a stack of `stack` bytes, or of the default size if 0. */
static void multiply_in_thread(unsigned long bits, size_t stack) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    if (stack)
        pthread_attr_setstacksize(&attributes, stack);
    if (pthread_create(&thread, &attributes, multiply_bits, &bits) != 0)
        fail("no thread");
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
}

static void handler(int signal) {
    (void)signal;
    siglongjmp(back, 1);
}

/* Multiplies in a loop until a timer's signal handler leaves the loop by siglongjmp. */
static void jump_out(unsigned milliseconds) {
    /* No other function uses these numbers: a handler that leaves a product may leave them
     * inconsistent. */
    static mpz_t u, r;
    struct itimerval once = {.it_value = {0, milliseconds * 1000}};
    mpz_inits(u, r, NULL);
    number(u, 300000);
    if (sigsetjmp(back, 1) == 0) {
        setitimer(ITIMER_REAL, &once, NULL);
        for (;;)
            mpz_mul(r, u, u);
    }
}

/* ---- memory functions that leave the caller by longjmp if a large block is requested */

static size_t most = SIZE_MAX;

static void check_size(size_t bytes) {
    if (bytes > most)
        siglongjmp(back, 1);
}

static void *allocate(size_t bytes) {
    check_size(bytes);
    return malloc(bytes);
}

static void *reallocate(void *p, size_t old, size_t bytes) {
    (void)old;
    check_size(bytes);
    return realloc(p, bytes);
}

static void release(void *p, size_t bytes) {
    (void)bytes;
    free(p);
}

static void read_mpz(FILE *stream) {
    mpz_t x;
    mpz_init(x);
    mpz_inp_str(x, stream, 10);
}

static void read_mpf(FILE *stream) {
    mpf_t x;
    mpf_init(x);
    mpf_inp_str(x, stream, 10);
}

static void read_by_format(FILE *stream) {
    mpz_t x;
    mpz_init(x);
    gmp_fscanf(stream, "%Zd", x);
}

static void *next_character(void *stream) {
    return getc(stream) != EOF ? stream : NULL;
}

/* Leaves the reading of a number by longjmp. Checks that the stream is not locked afterwards and
 * has a next character. read_mpf may return normally: a float needs few limbs, so it may make no
 * large request. */
static void jump_out_of_reading(void (*read_number)(FILE *stream), char *text) {
    pthread_t thread;
    void *right = NULL;
    FILE *stream = fmemopen(text, DIGITS, "r");
    if (sigsetjmp(back, 1) == 0) {
        most = DIGITS / 16;
        read_number(stream);
        if (read_number != read_mpf)
            fail("no jump");
    }
    most = SIZE_MAX;
    alarm(60);
    if (pthread_create(&thread, NULL, next_character, stream) != 0)
        fail("no thread");
    pthread_join(thread, &right);
    alarm(0);
    if (!right)
        fail("not the next character");
    fclose(stream);
}

static void jump_out_of_all_reading(void) {
    static char text[DIGITS];
    memset(text, '7', DIGITS);
    text[DIGITS - 1] = ' ';
    signal(SIGALRM, SIG_DFL);
    mp_set_memory_functions(allocate, reallocate, release);
    jump_out_of_reading(read_mpz, text);
    jump_out_of_reading(read_mpf, text);
    jump_out_of_reading(read_by_format, text);
}

int main(void) {
    struct sigaction action;
    unsigned long bits = 1000000;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    sigaction(SIGALRM, &action, NULL);
    multiply_in_thread(20000000, SMALL_STACK);
    puts("small stack: right");
    for (unsigned k = 0; k < JUMPS; k++)
        jump_out(1 + 3 * k);
    multiply(bits);
    multiply_in_thread(bits, 0);
    puts("after jumps: right, in this thread and in another");
    jump_out_of_all_reading();
    puts("streams: not locked after jumps");
    return 0;
}
