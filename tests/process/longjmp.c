/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A plain GMP program for test_longjmp.sh.  It multiplies in a thread with a small stack, and
 * leaves products by siglongjmp from a signal handler.  Its output is the same with GMP alone. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

#include "tests/support/products.h"

#define SMALL_STACK (64 << 10) /* GMP alone does with that */
#define JUMPS 12

static sigjmp_buf back;

static void *multiply_bits(void *bits) {
    multiply(*(unsigned long *)bits);
    return NULL;
}

/* In a thread of its own, with a stack of `stack` bytes, or the usual one if 0. */
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

/* Products without end, left by the handler of a timer after some milliseconds. */
static void jump_out(unsigned milliseconds) {
    static mpz_t u, r; /* not used again: GMP may be left in the middle */
    struct itimerval once = {.it_value = {0, milliseconds * 1000}};
    mpz_inits(u, r, NULL);
    number(u, 300000);
    if (sigsetjmp(back, 1) == 0) {
        setitimer(ITIMER_REAL, &once, NULL);
        for (;;)
            mpz_mul(r, u, u);
    }
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
    return 0;
}
