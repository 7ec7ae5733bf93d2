/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A plain GMP program for test_cancelled.sh: it cancels threads asynchronously while they
 * multiply. GMP allows that, because mpn_mul_n of some hundred limbs takes neither locks nor
 * memory.
 * Usage: cancelled LIMBS SECONDS */
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/products.h"

static size_t n;
static mp_limb_t *up, *vp, *right;

static mp_limb_t *limbs(size_t count) {
    mp_limb_t *p = malloc(count * sizeof *p);
    if (!p)
        fail("no memory");
    return p;
}

static void check_product(mp_limb_t *rp) {
    memset(rp, 0, 2 * n * sizeof *rp);
    mpn_mul_n(rp, up, vp, n);
    if (memcmp(rp, right, 2 * n * sizeof *rp) != 0)
        fail("wrong product");
}

/* Cleanup handler: checks that the signal mask is the same as when the thread began to multiply. */
static void clean_up(void *unused) {
    sigset_t blocked;
    (void)unused;
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    if (sigismember(&blocked, SIGTERM) || !sigismember(&blocked, SIGUSR1))
        fail("cancelled with other signals blocked");
}

static void *multiply_for_ever(void *rp) {
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    pthread_sigmask(SIG_SETMASK, &one, NULL);
    pthread_cleanup_push(clean_up, NULL);
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    for (;;)
        mpn_mul_n(rp, up, vp, n);
    pthread_cleanup_pop(0);
    return NULL;
}

static void cancel_at_any_time(mp_limb_t *rp, mp_limb_t *mine) {
    pthread_t thread;
    void *result = NULL;
    if (pthread_create(&thread, NULL, multiply_for_ever, rp) != 0)
        fail("no thread");
    usleep((useconds_t)rand() % 3000);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    if (result != PTHREAD_CANCELED)
        fail("a thread that was cancelled has another result");
    check_product(mine);
}

/* Cancels itself, with deferred cancellation, and then multiplies. GMP has no cancellation
 * point, so the product must complete. */
static void *multiply_when_cancelled(void *rp) {
    pthread_cancel(pthread_self());
    check_product(rp);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    return rp;
}

/* Checks that a product does not change the thread's cancellation type and state. A cancellation
 * that arrives while it is disabled must act once it is enabled. */
static void *enable_when_cancelled(void *rp) {
    int type, state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    pthread_cancel(pthread_self());
    check_product(rp);
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
    if (type != PTHREAD_CANCEL_ASYNCHRONOUS || state != PTHREAD_CANCEL_DISABLE)
        fail("another type or state of cancellation");
    pthread_testcancel();
    return rp;
}

static void join(void *(*function)(void *), void *rp, const void *expected) {
    pthread_t thread;
    void *result = NULL;
    if (pthread_create(&thread, NULL, function, rp) != 0)
        fail("no thread");
    pthread_join(thread, &result);
    if (result != expected)
        fail("a thread that cancels itself has another result");
}

int main(int argc, char **argv) {
    time_t end = time(NULL) + (argc > 2 ? atoi(argv[2]) : 1);
    n = argc > 1 ? strtoul(argv[1], NULL, 10) : 500;
    up = limbs(n), vp = limbs(n), right = limbs(2 * n);
    mp_limb_t *theirs = limbs(2 * n), *mine = limbs(2 * n);
    mpn_random2(up, (mp_size_t)n);
    mpn_random(vp, (mp_size_t)n);
    mpn_mul_n(right, up, vp, n);
    while (time(NULL) < end)
        cancel_at_any_time(theirs, mine);
    puts("at any time: right");
    for (int i = 0; i < 20; i++) {
        join(multiply_when_cancelled, mine, mine);
        join(enable_when_cancelled, mine, PTHREAD_CANCELED);
    }
    puts("by themselves: right");
    return 0;
}
