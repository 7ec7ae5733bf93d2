/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A test program for estimates: equal products into new memory or into used memory.
 *
 * fresh_results LIMBS CALLS new|used: computes CALLS products of LIMBS limbs by mpn_mul_n.  Prints
 * the processor time, in seconds, of first writes to the same number of pages as all results have.
 * Then prints how many of the pages of a block, which malloc returns after the products, were not
 * in memory before, in percent. */
#define _GNU_SOURCE 1
#include <gmp.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

enum { PAGE = 4096, BLOCK_PAGES = 100 };

static void *map(size_t bytes) {
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        abort();
    return p;
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static long faults(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
}

static void touch(volatile char *p, size_t bytes) {
    for (size_t i = 0; i < bytes; i += PAGE)
        p[i] = 1;
}

/* Returns the processor time of first writes to a new mapping. */
static double time_of_touching(size_t bytes) {
    void *p = map(bytes);
    double begin = seconds();
    touch(p, bytes);
    double time = seconds() - begin;
    munmap(p, bytes);
    return time;
}

static long missing_percent(void) {
    void *block = malloc(BLOCK_PAGES * PAGE);
    long before = faults();
    if (!block)
        abort();
    touch(block, BLOCK_PAGES * PAGE);
    before = faults() - before;
    free(block);
    return 100 * before / BLOCK_PAGES;
}

int main(int argc, char **argv) {
    if (argc != 4)
        return 2;
    /* free memory stays in the heap, and malloc maps no blocks */
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    const mp_size_t n = atol(argv[1]);
    const long calls = atol(argv[2]);
    const size_t bytes = 2 * (size_t)n * sizeof(mp_limb_t);
    mp_ptr u = map(bytes), r = map(bytes);
    memset(u, 85, bytes);
    memset(r, 1, bytes);
    double sum = 0;
    for (long i = 0; i < calls; i++) {
        sum += time_of_touching(bytes);
        mp_ptr to = strcmp(argv[3], "new") == 0 ? map(bytes) : r;
        mpn_mul_n(to, u, u + n, n);
        if (to != r)
            munmap(to, bytes);
    }
    printf("%.6f %ld\n", sum, missing_percent());
    return 0;
}
