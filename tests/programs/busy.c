/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A plain GMP program for test_dispatch.sh: THREADS threads compute products, squares and quotients
 * for SECONDS.  Each result is compared with a result that one thread has computed before by
 * mpn_mul_1 and mpn_addmul_1, which are not intercepted.  Prints the number of operations of all
 * threads.
 * Usage: busy THREADS SECONDS LIMBS */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "tests/support/products.h"

enum { MOST = 64 };

static mpz_t u, v, product, square;
static double seconds;
static atomic_ulong done;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Sets r = x y: adds up the products of x with each limb of y. */
static void schoolbook(mpz_ptr r, mpz_srcptr x, mpz_srcptr y) {
    size_t xn = mpz_size(x), yn = mpz_size(y);
    mp_ptr rp = mpz_limbs_write(r, (mp_size_t)(xn + yn));
    rp[xn] = mpn_mul_1(rp, mpz_limbs_read(x), (mp_size_t)xn, mpz_getlimbn(y, 0));
    for (size_t i = 1; i < yn; i++)
        rp[xn + i] =
            mpn_addmul_1(rp + i, mpz_limbs_read(x), (mp_size_t)xn, mpz_getlimbn(y, (mp_size_t)i));
    mpz_limbs_finish(r, (mp_size_t)(xn + yn));
}

static void *work(void *unused) {
    mpz_t r, q;
    unsigned long count = 0;
    mpz_inits(r, q, NULL);
    for (double end = now() + seconds; now() < end; count += 3) {
        mpz_mul(r, u, v);
        if (mpz_cmp(r, product) != 0)
            fail("wrong product");
        mpz_tdiv_qr(q, r, product, u);
        if (mpz_cmp(q, v) != 0 || mpz_sgn(r) != 0)
            fail("wrong quotient");
        mpz_mul(r, u, u);
        if (mpz_cmp(r, square) != 0)
            fail("wrong square");
    }
    atomic_fetch_add(&done, count);
    mpz_clears(r, q, NULL);
    return unused;
}

static void prepare(size_t limbs) {
    gmp_randstate_t random;
    gmp_randinit_default(random);
    mpz_inits(u, v, product, square, NULL);
    mpz_urandomb(u, random, limbs * GMP_NUMB_BITS);
    mpz_urandomb(v, random, limbs * GMP_NUMB_BITS);
    mpz_setbit(u, limbs * GMP_NUMB_BITS - 1);
    mpz_setbit(v, limbs * GMP_NUMB_BITS - 1);
    schoolbook(product, u, v);
    schoolbook(square, u, u);
    gmp_randclear(random);
}

int main(int argc, char **argv) {
    pthread_t thread[MOST];
    int threads = argc == 4 ? atoi(argv[1]) : 0;
    if (threads < 1 || threads > MOST)
        return 2;
    seconds = atof(argv[2]);
    prepare(strtoul(argv[3], NULL, 10));
    for (int i = 0; i < threads; i++)
        if (pthread_create(&thread[i], NULL, work, NULL) != 0)
            fail("no thread");
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    printf("%lu\n", done);
    return 0;
}
