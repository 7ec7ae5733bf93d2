/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A plain GMP program that multiplies as a handler of a signal would that has come inside malloc:
 * where GMP asks for no memory, nobody may in its place.  Meanwhile another thread multiplies
 * large numbers.  Prints how often malloc and the like were called by the former. */
#include "products.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default"))) /* in the place of libc's for all */

extern void *__libc_malloc(size_t bytes), *__libc_calloc(size_t n, size_t size),
    *__libc_realloc(void *p, size_t bytes), *__libc_memalign(size_t alignment, size_t bytes);
extern void __libc_free(void *p);

static _Thread_local int is_inside; /* malloc, when the signal came */
static atomic_int asked, rounds, ending;

EXPORT void *malloc(size_t bytes) {
    asked += is_inside;
    return __libc_malloc(bytes);
}

EXPORT void *calloc(size_t n, size_t size) {
    asked += is_inside;
    return __libc_calloc(n, size);
}

EXPORT void *realloc(void *p, size_t bytes) {
    asked += is_inside;
    return __libc_realloc(p, bytes);
}

EXPORT void *aligned_alloc(size_t alignment, size_t bytes) {
    asked += is_inside;
    return __libc_memalign(alignment, bytes);
}

EXPORT int posix_memalign(void **p, size_t alignment, size_t bytes) {
    *p = aligned_alloc(alignment, bytes);
    return *p ? 0 : ENOMEM;
}

EXPORT void free(void *p) {
    asked += is_inside;
    __libc_free(p);
}

static void *multiply_large(void *unused) {
    static mp_limb_t u[40000] = {3}, r[80000];
    for (; !ending; rounds++)
        mpn_sqr(r, u, 40000);
    return unused;
}

static int multiply_inside(mp_limb_t k) {
    static mp_limb_t u[300], r[600];
    u[0] = u[299] = k;
    is_inside = 1;
    mpn_sqr(r, u, 300);
    is_inside = 0;
    return r[0] == k * k && r[599] == 0 && r[598] == k * k;
}

int main(void) {
    pthread_t thread;
    int right = 1;
    multiply(40000);
    pthread_create(&thread, NULL, multiply_large, NULL);
    while (rounds < 2)
        usleep(1000); /* from now on it is nearly always at work */
    for (mp_limb_t k = 1; k <= 300; k++)
        right &= multiply_inside(k);
    ending = 1;
    pthread_join(thread, NULL);
    printf("%s, malloc called %d times\n", right ? "right" : "wrong", asked);
    return 0;
}
