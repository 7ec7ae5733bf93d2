/* SPDX-License-Identifier: LGPL-3.0-or-later
 * How many numbers a second batches have: operations on batches that lie on the devices, and from
 * host memory to host memory.  With MPGPU_CONF=device:0 and device:0+1 it compares devices:
 *   batch_devices [NUMBERS [LIMBS [SECONDS]]] */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "include/mpgpu.h"

static size_t count = (size_t)1 << 20, n = 16;
static double seconds = 2;

static mp_limb_t *up, *rp;
static mpgpu_batch *u, *v, *r, *e;
static mpgpu_batch_modulus *m;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void demand(int error) {
    if (!error)
        return;
    fprintf(stderr, "batch_devices: %s\n", mpgpu_error());
    exit(1);
}

static mpgpu_batch *batch(size_t numbers, size_t limbs, const mp_limb_t *from) {
    mpgpu_batch *b = mpgpu_batch_create(numbers, limbs);
    demand(!b);
    if (from)
        demand(mpgpu_batch_set(b, from));
    return b;
}

static void multiply(void) {
    demand(mpgpu_batch_mul(r, u, v));
}

static void add(void) {
    demand(mpgpu_batch_add(v, NULL, u, v));
}

static void power(void) {
    demand(mpgpu_batch_mod_pow(v, v, e, m));
}

static void host_to_host(void) {
    demand(mpgpu_batch_set(u, up));
    demand(mpgpu_batch_mul(r, u, u));
    demand(mpgpu_batch_get(rp, r));
}

static void limbs(void) {
    demand(mpgpu_batch_sqr_n(rp, up, n, count));
}

/* Once to warm up, then for so many seconds. */
static void measure(const char *name, void (*work)(void)) {
    unsigned long rounds = 0;
    work();
    work();
    double start = now(), time = 0;
    for (; time < seconds; time = now() - start, rounds++)
        work();
    printf("%-34s %14.0f numbers/s %10.3f ms\n", name, (double)count * (double)rounds / time,
           1e3 * time / (double)rounds);
    fflush(stdout);
}

int main(int argc, char **argv) {
    count = argc > 1 ? strtoul(argv[1], NULL, 0) : count;
    n = argc > 2 ? strtoul(argv[2], NULL, 0) : n;
    seconds = argc > 3 ? strtod(argv[3], NULL) : seconds;
    size_t all = count * n;
    up = malloc(all * sizeof *up);
    rp = calloc(2 * all, sizeof *rp);
    if (!up || !rp || !mpgpu_wait()) {
        fprintf(stderr, "batch_devices: no device, or no memory\n");
        return 1;
    }
    for (size_t i = 0; i < all; i++)
        up[i] = ((mp_limb_t)i * 0x9e3779b97f4a7c15u) | 1;
    mp_limb_t exponent = 65537;
    u = batch(count, n, up);
    v = batch(count, n, up);
    r = batch(count, 2 * n, NULL);
    e = batch(1, 1, &exponent);
    demand(!(m = mpgpu_batch_modulus_create(u)));
    measure("product, on the device", multiply);
    measure("sum in place, on the device", add);
    measure("power modulo, on the device", power);
    measure("square, batch from and to the host", host_to_host);
    measure("square, limbs on the host", limbs);
    mpgpu_batch_modulus_destroy(m);
    mpgpu_batch_destroy(u);
    mpgpu_batch_destroy(v);
    mpgpu_batch_destroy(r);
    mpgpu_batch_destroy(e);
    free(up);
    free(rp);
    return 0;
}
