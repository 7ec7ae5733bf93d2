/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A plain GMP program with a known number of calls, for test_stats.sh: in each of THREADS threads
 * it computes CALLS squares of 7 limbs and CALLS products of 5 by 5 limbs.
 * Usage: countable THREADS CALLS */
#include <pthread.h>

#include "tests/support/products.h"

enum { MOST = 16 };

static int calls;

static void *work(void *unused) {
    mp_limb_t u[7] = {1, 2, 3, 4, 5, 6, 7}, r[14];
    for (int i = 0; i < calls; i++) {
        mpn_sqr(r, u, 7);
        if (r[0] != 1 || r[1] != 4 || r[2] != 10)
            fail("wrong square");
        mpn_mul_n(r, u, u + 2, 5);
        if (r[0] != 3 || r[1] != 10)
            fail("wrong product");
    }
    return unused;
}

int main(int argc, char **argv) {
    pthread_t thread[MOST];
    int threads = argc == 3 ? atoi(argv[1]) : 0;
    if (threads < 1 || threads > MOST)
        return 2;
    calls = atoi(argv[2]);
    for (int i = 0; i < threads; i++) {
        if (pthread_create(&thread[i], NULL, work, NULL) != 0)
            fail("no thread");
    }
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
