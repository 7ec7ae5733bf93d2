/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A plain GMP program for test_thousand.sh: THREADS threads compute one product each at the same
 * time.  Prints the maximum memory of the process, in KiB, on standard error.
 * Usage: thousand THREADS */
#include <pthread.h>
#include <sys/resource.h>

#include "tests/support/products.h"

enum { STACK = 256 << 10, LEAST_BITS = 500, SIZES = 16, STEP_BITS = 1100 };

static pthread_barrier_t barrier;

static void *multiply_once(void *bits) {
    pthread_barrier_wait(&barrier);
    multiply(*(unsigned long *)bits);
    return NULL;
}

int main(int argc, char **argv) {
    unsigned long count = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
    pthread_t *thread = calloc(count, sizeof *thread);
    unsigned long *bits = calloc(count, sizeof *bits);
    pthread_attr_t attributes;
    struct rusage usage;
    if (count == 0 || !thread || !bits)
        fail("usage: thousand THREADS");
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    pthread_barrier_init(&barrier, NULL, (unsigned)count);
    /* so that the device, if there is one, is open before the threads start */
    multiply(LEAST_BITS);
    for (unsigned long i = 0; i < count; i++) {
        bits[i] = LEAST_BITS + i % SIZES * STEP_BITS;
        if (pthread_create(&thread[i], &attributes, multiply_once, &bits[i]) != 0)
            fail("no thread");
    }
    for (unsigned long i = 0; i < count; i++)
        pthread_join(thread[i], NULL);
    getrusage(RUSAGE_SELF, &usage);
    fprintf(stderr, "peak %ld\n", usage.ru_maxrss);
    printf("%lu products: right\n", count + 1);
    free(thread);
    free(bits);
    return 0;
}
