/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes one product under preload, of a number of 2^LOG_BITS bits and one that may be shorter.
 * The numbers may be as long as memory allows. One thread for each CPU, 64 at most, generates the
 * numbers and checks the product by residues modulo primes. Exit status 77 if memory or a device is
 * missing. */
#include <gmp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* Functions of the library; NULL if it is not preloaded. */
extern int mpgpu_wait(void) __attribute__((weak));
extern unsigned long mpgpu_sent(void) __attribute__((weak));

#define PRIMES 3
static const uint64_t primes[PRIMES] = {(UINT64_C(1) << 62) - 57, (UINT64_C(1) << 62) - 87,
                                        (UINT64_C(1) << 63) - 25};

#define MOST_THREADS 64
static int threads;
/* distinguishes the operands: limb i of an operand depends on i and `salt` */
static mp_limb_t salt;

/* The work of a thread: limbs [begin, end) of x. residue[k] gets the value of these limbs, divided
 * by 2^(64 (end - begin)) modulo prime k. */
struct share {
    mp_limb_t *x;
    size_t begin, end;
    uint64_t residue[PRIMES];
};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Returns limb i of an operand.  Limbs are random, except for 64 of each 512, which are all ones or
 * all zeros. */
static mp_limb_t limb(size_t i) {
    mp_limb_t z = (i + salt) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return i / 64 % 8 == 3 ? -(mp_limb_t)(i / 512 % 2) : z ^ z >> 31;
}

static void *fill(void *argument) {
    struct share *s = argument;
    for (size_t i = s->begin; i < s->end; i++)
        s->x[i] = limb(i);
    return NULL;
}

/* Returns -1 / p modulo 2^64, for Montgomery's reduction. */
static uint64_t negative_inverse(uint64_t p) {
    uint64_t x = p;
    for (int i = 0; i < 5; i++)
        x *= 2 - p * x;
    return -x;
}

/* Reduces a share modulo each prime, by one step of Montgomery's reduction for each limb, from the
 * lowest limb up. */
static void *reduce(void *argument) {
    struct share *share = argument;
    uint64_t s[PRIMES] = {0}, inverse[PRIMES];
    for (int k = 0; k < PRIMES; k++)
        inverse[k] = negative_inverse(primes[k]);
    for (size_t i = share->begin; i < share->end; i++)
        for (int k = 0; k < PRIMES; k++) {
            unsigned __int128 t = (unsigned __int128)s[k] + share->x[i];
            uint64_t m = (uint64_t)t * inverse[k];
            s[k] = (uint64_t)((t + (unsigned __int128)m * primes[k]) >> 64);
        }
    for (int k = 0; k < PRIMES; k++)
        share->residue[k] = s[k] % primes[k];
    return NULL;
}

/* Runs work() in all threads, each with its share of {x, n}. */
static void in_threads(void *(*work)(void *), struct share *shares, mp_limb_t *x, size_t n) {
    pthread_t thread[MOST_THREADS];
    for (int i = 0; i < threads; i++) {
        shares[i] =
            (struct share){.x = x,
                           .begin = n / (size_t)threads * (size_t)i,
                           .end = i + 1 < threads ? n / (size_t)threads * (size_t)(i + 1) : n};
        if (pthread_create(&thread[i], NULL, work, &shares[i]) != 0) {
            fprintf(stderr, "no thread\n");
            exit(1);
        }
    }
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
}

static uint64_t mul_mod(uint64_t a, uint64_t b, uint64_t p) {
    return (uint64_t)((unsigned __int128)a * b % p);
}

/* Returns 2^(64 n) modulo p. */
static uint64_t shift_by(size_t n, uint64_t p) {
    uint64_t base = (uint64_t)(((unsigned __int128)1 << 64) % p), power = 1;
    for (; n; n >>= 1, base = mul_mod(base, base, p))
        if (n & 1)
            power = mul_mod(power, base, p);
    return power;
}

/* Sets r[k] to the residue of {x, n} modulo prime k. */
static void residues(uint64_t *r, mp_limb_t *x, size_t n) {
    struct share shares[MOST_THREADS];
    in_threads(reduce, shares, x, n);
    for (int k = 0; k < PRIMES; k++) {
        r[k] = 0;
        /* adds the residue of each thread's limbs, times the power of 2 for their place in x */
        for (int i = 0; i < threads; i++)
            r[k] = (r[k] +
                    mul_mod(shares[i].residue[k], shift_by(shares[i].end, primes[k]), primes[k])) %
                   primes[k];
    }
}

/* Returns memory that nothing has written to yet, in huge pages if the kernel has any. */
static mp_limb_t *allocate(size_t limbs) {
    void *p = mmap(NULL, limbs * sizeof(mp_limb_t), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) {
        printf("skipped: no memory for %zu limbs\n", limbs);
        exit(77);
    }
    madvise(p, limbs * sizeof(mp_limb_t), MADV_HUGEPAGE);
    return p;
}

static mp_limb_t *operand(size_t n, mp_limb_t which) {
    struct share shares[MOST_THREADS];
    mp_limb_t *x = allocate(n);
    salt = which;
    in_threads(fill, shares, x, n);
    return x;
}

static int enough_memory(size_t limbs) {
    char line[128];
    unsigned long kib = 0;
    FILE *f = fopen("/proc/meminfo", "r");
    while (f && fgets(line, sizeof line, f) && sscanf(line, "MemAvailable: %lu", &kib) != 1)
        ;
    if (f)
        fclose(f);
    return limbs / 1024 * sizeof(mp_limb_t) < kib / 10 * 9;
}

static void phase(const char *name, double *clock) {
    double t = now();
    printf("%-10s %9.3f s\n", name, t - *clock);
    fflush(stdout);
    *clock = t;
}

/* Returns 0 if the residues of r are equal to those of u v. */
static int compare(mp_limb_t *rp, mp_limb_t *up, size_t un, mp_limb_t *vp, size_t vn) {
    uint64_t u[PRIMES], v[PRIMES], r[PRIMES];
    int wrong = 0;
    residues(u, up, un);
    residues(v, vp, vn);
    residues(r, rp, un + vn);
    for (int k = 0; k < PRIMES; k++)
        wrong |= mul_mod(u[k], v[k], primes[k]) != r[k];
    return wrong;
}

static int multiply(size_t un, size_t vn) {
    double clock = now();
    mp_limb_t *up = operand(un, 1), *vp = operand(vn, 2), *rp = allocate(un + vn);
    phase("operands", &clock);
    unsigned long sent = mpgpu_sent();
    mpn_mul(rp, up, (mp_size_t)un, vp, (mp_size_t)vn);
    phase("product", &clock);
    if (mpgpu_sent() == sent) {
        printf("FAILED: not done by the device\n");
        return 1;
    }
    int wrong = compare(rp, up, un, vp, vn);
    phase("check", &clock);
    printf("%zu by %zu limbs: %s\n", un, vn, wrong ? "WRONG" : "right");
    return wrong;
}

int main(int argc, char **argv) {
    int log_bits = argc > 1 ? atoi(argv[1]) : 36, log_other = argc > 2 ? atoi(argv[2]) : log_bits;
    if (log_bits < 16 || log_bits > 40 || log_other < 16 || log_other > log_bits) {
        fprintf(stderr, "usage: largest [LOG_BITS [LOG_BITS_OF_THE_OTHER]]\n");
        return 2;
    }
    size_t un = (size_t)1 << (log_bits - 6), vn = (size_t)1 << (log_other - 6);
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    threads = cpus < 1 ? 1 : cpus > MOST_THREADS ? MOST_THREADS : (int)cpus;
    if (!mpgpu_wait || !mpgpu_wait()) {
        printf("skipped: no device, or not under preload\n");
        return 77;
    }
    if (!enough_memory(2 * (un + vn))) {
        printf("skipped: not enough memory for %zu limbs\n", 2 * (un + vn));
        return 77;
    }
    return multiply(un, vn);
}
