/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A plain GMP program for the server's tests.
 * Usage:
 * served products SEED BITS COUNT: prints a checksum of products of numbers of BITS bits.
 * served quotients SEED BITS COUNT: prints a checksum of quotients; quotients and divisors have
 * BITS bits.
 * served elsewhere SEED BITS COUNT: prints a checksum of products, squares, quotients, square roots
 * and powers; the operands, and most results, are in malloc's memory.
 * served threads SEED BITS COUNT THREADS: computes `products` in each of several threads.
 * served pauses SEED BITS SECONDS: computes products, pauses, and computes products again.
 * served exec SECONDS: computes a product, then replaces itself by a program that sleeps.
 * served children FOLDER SEED BITS COUNT: computes products also in children of fork, whose
 * messages go to files in FOLDER; prints a residue of each checksum.
 * served fork: checks that numbers in the library's pool stay the process's own when it forks. */
#include <errno.h>
#include <gmp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    FORKS = 8,
    FORK_BITS = 1 << 19,
    EXEC_BITS = 500000 /* long enough to be a job on every device */
};

static void check(int condition, const char *what) {
    if (condition)
        return;
    printf("FAILED: %s\n", what);
    fflush(stdout);
    _exit(1);
}

static void add_up(mpz_t sum, unsigned long seed, unsigned long bits, unsigned long count) {
    gmp_randstate_t random;
    mpz_t a, b, c;
    gmp_randinit_default(random);
    gmp_randseed_ui(random, seed);
    mpz_inits(a, b, c, NULL);
    for (unsigned long i = 0; i < count; i++) {
        mpz_urandomb(a, random, bits);
        mpz_urandomb(b, random, bits);
        mpz_mul(c, a, b);
        mpz_add(sum, sum, c);
    }
    mpz_clears(a, b, c, NULL);
    gmp_randclear(random);
}

static int products(unsigned long seed, unsigned long bits, unsigned long count) {
    mpz_t sum;
    mpz_init(sum);
    add_up(sum, seed, bits, count);
    gmp_printf("%Zx\n", sum);
    mpz_clear(sum);
    return 0;
}

static int pauses(unsigned long seed, unsigned long bits, unsigned long seconds) {
    products(seed, bits, 5);
    fflush(stdout);
    sleep((unsigned)seconds);
    return products(seed + 1, bits, 5);
}

static int quotients(unsigned long seed, unsigned long bits, unsigned long count) {
    gmp_randstate_t random;
    mpz_t a, b, sum;
    gmp_randinit_default(random);
    gmp_randseed_ui(random, seed);
    mpz_inits(a, b, sum, NULL);
    for (unsigned long i = 0; i < count; i++) {
        mpz_urandomb(a, random, 2 * bits);
        mpz_urandomb(b, random, bits);
        mpz_setbit(b, bits - 1);
        mpz_tdiv_q(a, a, b);
        mpz_add(sum, sum, a);
    }
    gmp_printf("%Zx\n", sum);
    mpz_clears(a, b, sum, NULL);
    gmp_randclear(random);
    return 0;
}

/* ---- operands in malloc's memory */

static mp_ptr limbs(mp_size_t n) {
    mp_ptr x = malloc((size_t)n * sizeof *x);
    check(x != NULL, "memory");
    return x;
}

/* Adds the number {x, n} to the checksum. */
static void add_limbs(mpz_t sum, mp_srcptr x, mp_size_t n) {
    mpz_t view;
    mpz_mul_2exp(sum, sum, 1);
    mpz_add(sum, sum, mpz_roinit_n(view, x, n));
}

/* Adds a product, a square, a quotient, a square root and a power of u (2n limbs) and v (n limbs)
 * to the checksum. */
static void compute_all(mpz_t sum, mp_srcptr u, mp_srcptr v, mp_size_t n) {
    mp_ptr r = limbs(4 * n), s = limbs(2 * n);
    mpz_t base, modulus, power;
    mpn_mul(r, u, 2 * n, v, n);
    add_limbs(sum, r, 3 * n);
    mpn_sqr(r, u, 2 * n);
    add_limbs(sum, r, 4 * n);
    mpn_tdiv_qr(r, s, 0, u, 2 * n, v, n);
    add_limbs(sum, r, n + 1);
    add_limbs(sum, s, n);
    add_limbs(sum, s, mpn_sqrtrem(r, s, u, 2 * n));
    add_limbs(sum, r, n);
    mpz_init(power);
    mpz_powm_ui(power, mpz_roinit_n(base, u, n), 1000003, mpz_roinit_n(modulus, v, n));
    mpz_add(sum, sum, power);
    mpz_clear(power);
    free(r);
    free(s);
}

static int elsewhere(unsigned long seed, unsigned long bits, unsigned long count) {
    const mp_size_t n = (mp_size_t)(bits / 64);
    mp_ptr u = limbs(2 * n), v = limbs(n);
    gmp_randstate_t random;
    mpz_t x, sum;
    gmp_randinit_default(random);
    gmp_randseed_ui(random, seed);
    mpz_inits(x, sum, NULL);
    for (unsigned long i = 0; i < count; i++) {
        mpz_urandomb(x, random, 3 * 64 * (mp_bitcnt_t)n);
        mpz_setbit(x, 3 * 64 * (mp_bitcnt_t)n - 1);
        mpn_copyi(u, x->_mp_d + n, 2 * n);
        mpn_copyi(v, x->_mp_d, n);
        v[n - 1] |= (mp_limb_t)1 << 63;
        v[0] |= 1;
        compute_all(sum, u, v, n);
    }
    gmp_printf("%Zx\n", sum);
    mpz_clears(x, sum, NULL);
    gmp_randclear(random);
    free(u);
    free(v);
    return 0;
}

/* ---- threads */

enum { THREADS = 16 };

struct share {
    unsigned long seed, bits, count;
    mpz_t sum;
};

static void *add_share(void *argument) {
    struct share *s = argument;
    add_up(s->sum, s->seed, s->bits, s->count);
    return NULL;
}

static int threads(unsigned long seed, unsigned long bits, unsigned long count,
                   unsigned long number) {
    pthread_t thread[THREADS];
    struct share share[THREADS];
    check(number <= THREADS, "so many threads");
    for (unsigned long i = 0; i < number; i++) {
        share[i] = (struct share){.seed = seed + i, .bits = bits, .count = count};
        mpz_init(share[i].sum);
        check(pthread_create(&thread[i], NULL, add_share, &share[i]) == 0, "a thread");
    }
    for (unsigned long i = 0; i < number; i++) {
        pthread_join(thread[i], NULL);
        gmp_printf("%Zx\n", share[i].sum);
        mpz_clear(share[i].sum);
    }
    return 0;
}

/* ---- computations in child processes */

enum { CHILDREN = 3 };

struct task {
    const char *folder;
    unsigned long seed, bits, count;
};

/* Returns a residue of the checksum, because the whole checksum does not fit into a pipe. */
static unsigned long residue(const struct task *t, unsigned long seed) {
    mpz_t sum;
    mpz_init(sum);
    add_up(sum, seed, t->bits, t->count);
    unsigned long rest = mpz_fdiv_ui(sum, 4294967291);
    mpz_clear(sum);
    return rest;
}

static void beget(const struct task *t, unsigned long seed, int depth);

/* Runs in a child: computes, sends the residue to its parent, and exits. The first child forks
 * children itself. */
static void be_child(const struct task *t, unsigned long seed, int depth, int end) {
    char path[4096];
    snprintf(path, sizeof path, "%s/err.%lu", t->folder, seed);
    check(freopen(path, "w", stderr) != NULL, path);
    unsigned long rest = residue(t, seed);
    check(write(end, &rest, sizeof rest) == sizeof rest, "write");
    if (depth > 1 && seed % 10 == 1)
        beget(t, seed * 10, depth - 1);
    exit(0);
}

/* Forks the children and computes at the same time as they do; prints all residues. */
static void beget(const struct task *t, unsigned long seed, int depth) {
    int ends[CHILDREN][2], status;
    pid_t child[CHILDREN];
    unsigned long rest;
    fflush(stdout);
    for (int i = 0; i < CHILDREN; i++) {
        check(pipe(ends[i]) == 0, "pipe");
        child[i] = fork();
        if (child[i] == 0)
            be_child(t, seed + 1 + (unsigned long)i, depth, ends[i][1]);
        check(child[i] > 0, "fork");
    }
    printf("%lu: %lu\n", seed, residue(t, seed));
    for (int i = 0; i < CHILDREN; i++) {
        check(read(ends[i][0], &rest, sizeof rest) == sizeof rest, "read");
        check(waitpid(child[i], &status, 0) == child[i], "waitpid");
        check(status == 0, WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "a child");
        printf("child %d: %lu\n", i, rest);
    }
}

static int children(const struct task *t) {
    printf("before: %lu\n", residue(t, t->seed));
    beget(t, t->seed, 2);
    printf("behind: %lu\n", residue(t, t->seed + 9));
    return 0;
}

/* ---- fork */

static mpz_t counted;
static atomic_int is_over;
static unsigned long rounds;

/* Increments each limb in a loop while another thread forks. */
static void *count(void *unused) {
    (void)unused;
    for (; !atomic_load(&is_over); rounds++)
        for (size_t i = 0; i < mpz_size(counted); i++)
            ((volatile mp_limb_t *)counted->_mp_d)[i]++;
    return NULL;
}

/* Forks. Checks that the child does not see what the parent writes to the product's limbs after
 * the fork. */
static void fork_once(mpz_t product) {
    int ends[2], status;
    char byte = 0;
    mp_limb_t *limbs = product->_mp_d, before = limbs[7];
    check(pipe(ends) == 0, "pipe");
    fflush(stdout);
    pid_t child = fork();
    check(child >= 0, "fork");
    if (child == 0) {
        /* The child closes its copy of the writing end. So its read fails if the parent is killed,
         * and the child ends. */
        close(ends[1]);
        if (read(ends[0], &byte, 1) != 1)
            _exit(1);
        check(limbs[7] == before, "the child's number is its own");
        limbs[9]++;
        _exit(0);
    }
    mp_limb_t behind = limbs[9];
    limbs[7]++;
    check(write(ends[1], &byte, 1) == 1, "write");
    check(waitpid(child, &status, 0) == child && status == 0, "the child");
    check(limbs[9] == behind && limbs[7] == before + 1, "the parent's number is its own");
    close(ends[0]);
    close(ends[1]);
}

static void multiply(mpz_t product, gmp_randstate_t random) {
    mpz_t a, b, q;
    mpz_inits(a, b, q, NULL);
    mpz_urandomb(a, random, FORK_BITS);
    mpz_urandomb(b, random, FORK_BITS);
    mpz_setbit(a, FORK_BITS);
    mpz_mul(product, a, b);
    mpz_divexact(q, product, a);
    check(mpz_cmp(q, b) == 0, "the product");
    mpz_clears(a, b, q, NULL);
}

static int forks(void) {
    gmp_randstate_t random;
    pthread_t thread;
    mpz_t product;
    gmp_randinit_default(random);
    mpz_inits(product, counted, NULL);
    multiply(counted, random);
    memset(counted->_mp_d, 0, mpz_size(counted) * sizeof(mp_limb_t));
    check(pthread_create(&thread, NULL, count, NULL) == 0, "a thread");
    for (int i = 0; i < FORKS; i++) {
        multiply(product, random);
        fork_once(product);
    }
    atomic_store(&is_over, 1);
    pthread_join(thread, NULL);
    for (size_t i = 0; i < mpz_size(counted); i++)
        check(counted->_mp_d[i] == rounds, "what a thread writes while another forks");
    mpz_set_ui(counted, 0);
    mpz_clears(product, counted, NULL);
    gmp_randclear(random);
    puts("forked");
    return 0;
}

static int become_another(const char *seconds) {
    products(1, EXEC_BITS, 2);
    fflush(stdout);
    execlp("sleep", "sleep", seconds, (char *)NULL);
    return 1;
}

int main(int argc, char **argv) {
    if (argc == 5 && strcmp(argv[1], "products") == 0)
        return products(strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10),
                        strtoul(argv[4], NULL, 10));
    if (argc == 5 && strcmp(argv[1], "pauses") == 0)
        return pauses(strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10),
                      strtoul(argv[4], NULL, 10));
    if (argc == 5 && strcmp(argv[1], "quotients") == 0)
        return quotients(strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10),
                         strtoul(argv[4], NULL, 10));
    if (argc == 5 && strcmp(argv[1], "elsewhere") == 0)
        return elsewhere(strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10),
                         strtoul(argv[4], NULL, 10));
    if (argc == 6 && strcmp(argv[1], "threads") == 0)
        return threads(strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10),
                       strtoul(argv[4], NULL, 10), strtoul(argv[5], NULL, 10));
    if (argc == 6 && strcmp(argv[1], "children") == 0)
        return children(&(struct task){argv[2], strtoul(argv[3], NULL, 10),
                                       strtoul(argv[4], NULL, 10), strtoul(argv[5], NULL, 10)});
    if (argc == 2 && strcmp(argv[1], "fork") == 0)
        return forks();
    if (argc == 3 && strcmp(argv[1], "exec") == 0)
        return become_another(argv[2]);
    fputs("usage: served products SEED BITS COUNT | quotients SEED BITS COUNT |\n"
          "              pauses SEED BITS SECONDS |\n"
          "              threads SEED BITS COUNT THREADS | children FOLDER SEED BITS COUNT |\n"
          "              exec SECONDS | fork\n",
          stderr);
    return 2;
}

#ifdef NO_THREADS
/* The program `threadless` is this file built with NO_THREADS. It simulates a process that cannot
 * create threads. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
                   void *argument) {
    (void)thread, (void)attributes, (void)function, (void)argument;
    return EAGAIN;
}
#endif
