/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A plain GMP program that multiplies in a signal handler; the signal may have interrupted malloc.
 * If GMP allocates nothing, the library must not either. Prints how often the handler has called
 * malloc and related functions.
 * Usage: signalled WHEN
 *   WHEN  when the handler multiplies:
 *         beside: while another thread multiplies large numbers
 *         call: before any call of GMP
 *         open: after a small product, but before the first large one
 *         wait: while another thread's first call waits for a device; the program then ends */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "tests/support/counted_malloc.h"
#include "tests/support/products.h"

static atomic_int begun, rounds, ending, right = 1;

/* Signal handler: computes two squares. The shorter one is small enough to be sent in a slot, a
 * place in shared memory (lib/session/coalesce.h). */
static void multiply_here(int signal) {
    static mp_limb_t k, u[300], r[600];
    (void)signal;
    u[0] = u[59] = u[299] = ++k;
    is_inside = 1;
    mpn_sqr(r, u, 60);
    is_inside = 0;
    right &= r[0] == k * k && r[119] == 0 && r[118] == k * k;
    is_inside = 1;
    mpn_sqr(r, u, 300);
    is_inside = 0;
    right &= r[0] == k * k && r[599] == 0 && r[598] == k * k;
}

static void *multiply_large(void *unused) {
    static mp_limb_t u[40000] = {3}, r[80000];
    for (begun = 1; !ending; rounds++)
        mpn_sqr(r, u, 40000);
    return unused;
}

static pthread_t start_thread(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, multiply_large, NULL);
    while (!begun)
        usleep(1000);
    return thread;
}

static void beside(void) {
    multiply(40000);
    pthread_t thread = start_thread();
    while (rounds < 2)
        usleep(1000); /* after two rounds of `multiply_large`, its thread is nearly always
                         computing */
    for (int i = 0; i < 300; i++)
        raise(SIGUSR1);
    ending = 1;
    pthread_join(thread, NULL);
}

/* Multiplies in a signal handler, then outside: only the second product may open the device. */
static void call(void) {
    raise(SIGUSR1);
    multiply(40000);
}

static void before_large(void) {
    mpz_t x;
    mpz_init(x);
    mpz_mul(x, x, x);
    mpz_clear(x);
    call();
}

static void wait_beside(void) {
    start_thread();
    usleep(200000);
    raise(SIGUSR1);
    puts(right ? "right" : "wrong");
    fflush(stdout);
    _exit(0);
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*function)(void);
    } cases[] = {{"beside", beside}, {"call", call}, {"open", before_large}, {"wait", wait_beside}};
    signal(SIGUSR1, multiply_here);
    for (int i = 0; i < 4; i++)
        if (argc == 2 && strcmp(argv[1], cases[i].name) == 0)
            cases[i].function();
    printf("%s, malloc called %d times\n", right ? "right" : "wrong", asked);
    return 0;
}
