/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A plain GMP program for test_owners.sh that does everything with large results that a program
 * may do with an mpz_t. Its output is the same with GMP alone.
 * Usage: owners handed | before | after | restored | got | threads | fork | many | grandchild */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/products.h"

enum { BITS = 1200000 }; /* bits of an operand; a product then has 300,000 bytes */

/* Sets r to a product; each value of `which` has different operands. */
static void product(mpz_t r, unsigned which) {
    mpz_t u, v;
    mpz_init(u);
    mpz_init(v);
    number(u, BITS + 64 * which);
    mpz_add_ui(v, u, 2 * which + 2);
    mpz_mul(r, u, v);
    if (!is_product(r, u, v))
        fail("wrong product");
    mpz_clear(u);
    mpz_clear(v);
}

static void tell(const char *what, const mpz_t x) {
    printf("%s: %zu limbs, %lu\n", what, mpz_size(x), mpz_fdiv_ui(x, 0xfffffffbul));
}

static void handed(void) {
    mpz_t a, b, c;
    mpz_inits(a, b, c, NULL);
    product(a, 1);
    product(b, 2);
    mpz_swap(a, c);
    tell("swapped", c);
    mpz_set(a, b);
    mpz_add(b, b, c);
    mpz_mul_2exp(c, c, 1000000);
    tell("grown", c);
    mpz_mul(c, c, b);
    mpz_mul(b, b, b);
    tell("in place", c);
    tell("squared", b);
    mpz_realloc2(b, 64ul * mpz_size(b));
    mpz_tdiv_q_2exp(c, c, 2000000);
    mpz_realloc2(c, mpz_sizeinbase(c, 2));
    mpz_tdiv_r(a, b, c);
    tell("remainder", a);
    mp_size_t n = (mp_size_t)mpz_size(c);
    mpn_sqr(mpz_limbs_write(a, 2 * n), mpz_limbs_read(c), n);
    mpz_limbs_finish(a, 2 * n);
    tell("by limbs", a);
    char *s = mpz_get_str(NULL, 10, c);
    printf("%zu digits\n", strlen(s));
    free(s);
    mpz_realloc2(a, 64);
    mpz_clears(a, b, c, NULL);
}

/* The program's memory functions, which count allocations and frees. They are based on malloc and
 * free, so they can free blocks that GMP's default functions allocated. */
static atomic_long made, freed;

static void *own_allocate(size_t bytes) {
    made++;
    return malloc(bytes);
}

static void *own_reallocate(void *p, size_t old, size_t bytes) {
    (void)old;
    return realloc(p, bytes);
}

static void own_free(void *p, size_t bytes) {
    (void)bytes;
    freed++;
    free(p);
}

static int has_own(void) {
    void *(*a)(size_t), *(*r)(void *, size_t, size_t);
    void (*f)(void *, size_t);
    mp_get_memory_functions(&a, &r, &f);
    return a == own_allocate && r == own_reallocate && f == own_free;
}

static void before(void) {
    mpz_t a;
    mp_set_memory_functions(own_allocate, own_reallocate, own_free);
    mpz_init(a);
    product(a, 1);
    mpz_mul(a, a, a);
    tell("own functions", a);
    mpz_clear(a);
    printf("%s, all freed: %d\n", has_own() ? "own" : "other", made > 0 && made == freed);
}

static void after(void) {
    mpz_t a, b;
    mpz_inits(a, b, NULL);
    product(a, 1);
    product(b, 2);
    mp_set_memory_functions(own_allocate, own_reallocate, own_free);
    mpz_mul_2exp(a, a, 9000000);
    mpz_mul(b, b, a);
    tell("own functions later", b);
    mpz_clears(a, b, NULL);
    mpz_init(a);
    product(a, 3);
    tell("with them", a);
    mpz_clear(a);
    puts(has_own() ? "own" : "other");
}

static void restored(void) {
    void *(*a)(size_t), *(*r)(void *, size_t, size_t);
    void (*f)(void *, size_t);
    mpz_t x, y;
    mpz_inits(x, y, NULL);
    for (unsigned k = 0; k < 3; k++) {
        product(x, k);
        mp_get_memory_functions(&a, &r, &f);
        mp_set_memory_functions(own_allocate, own_reallocate, own_free);
        product(y, k + 1);
        mpz_mul(x, x, y);
        mp_set_memory_functions(a, r, f);
        mpz_mul_2exp(y, y, 5000000);
        mpz_add(x, x, y);
        tell("restored", x);
    }
    mp_set_memory_functions(NULL, NULL, NULL);
    product(y, 7);
    mpz_mul(x, x, y);
    tell("default", x);
    mpz_clears(x, y, NULL);
}

static void got(void) {
    void *(*r)(void *, size_t, size_t);
    void (*f)(void *, size_t);
    mpz_t x;
    mpz_init(x);
    product(x, 1);
    mp_get_memory_functions(NULL, &r, &f);
    size_t bytes = (size_t)x->_mp_alloc * sizeof(mp_limb_t);
    x->_mp_d = r(x->_mp_d, bytes, 3 * bytes);
    x->_mp_alloc *= 3;
    tell("grown by hand", x);
    f(x->_mp_d, 3 * bytes);
    char *s = mpz_get_str(NULL, 16, mpz_roinit_n(x, &(mp_limb_t){42}, 1));
    f(s, strlen(s) + 1);
}

/* Some threads create numbers; other threads clear them. */
enum { THREADS = 4, PRODUCTS = 24 };
static mpz_t passed[PRODUCTS];
static atomic_int ready[PRODUCTS], next_made, next_cleared;

static void *make_some(void *unused) {
    for (int i; (i = next_made++) < PRODUCTS;) {
        mpz_init(passed[i]);
        product(passed[i], (unsigned)i);
        ready[i] = 1;
    }
    return unused;
}

static void *clear_some(void *sum) {
    for (int i; (i = next_cleared++) < PRODUCTS;) {
        while (!ready[i])
            usleep(100);
        *(atomic_ulong *)sum += mpz_fdiv_ui(passed[i], 0xfffffffbul);
        mpz_clear(passed[i]);
    }
    return NULL;
}

static void threads(void) {
    pthread_t thread[2 * THREADS];
    atomic_ulong sum = 0;
    for (int i = 0; i < 2 * THREADS; i++)
        if (pthread_create(&thread[i], NULL, i % 2 ? make_some : clear_some, &sum) != 0)
            fail("no thread");
    for (int i = 0; i < 2 * THREADS; i++)
        pthread_join(thread[i], NULL);
    printf("from thread to thread: %lu\n", sum);
}

static void in_child(mpz_t a, mpz_t b) {
    tell("child", a);
    mpz_mul_2exp(a, a, 3000000);
    mpz_clear(b);
    mpz_init(b);
    product(b, 9);
    mpz_sub(a, a, b);
    tell("child's own", a);
    mpz_clears(a, b, NULL);
    fflush(stdout);
    _exit(0);
}

/* Forks twice. After each fork, while the child is alive, multiplies into the numbers that the
 * child has inherited. */
static void forks(void) {
    mpz_t a, b;
    int status = 1;
    mpz_inits(a, b, NULL);
    for (unsigned k = 0; k < 2; k++) {
        product(a, k);
        product(b, k + 1);
        fflush(stdout);
        pid_t child = fork();
        if (child == 0)
            in_child(a, b);
        mpz_mul(a, a, b);
        mpz_mul(b, b, b);
        product(b, k + 3);
        waitpid(child, &status, 0);
        if (status != 0)
            fail("child");
        tell("parent", a);
        tell("parent", b);
    }
    mpz_clears(a, b, NULL);
}

/* A child enlarges a number, in its own memory, and forks. Checks that the grandchild has the
 * enlarged number, and the parent the old one. */
static void grandchild(void) {
    mpz_t a;
    int status = 1;
    mpz_init(a);
    product(a, 3);
    fflush(stdout);
    if (fork() == 0) {
        mpz_mul_2exp(a, a, 3000000);
        mpz_add_ui(a, a, 5);
        tell("child", a);
        fflush(stdout);
        if (fork() == 0) {
            tell("grandchild", a);
            fflush(stdout);
            _exit(0);
        }
        wait(&status);
        _exit(status != 0);
    }
    wait(&status);
    if (status != 0)
        fail("child");
    tell("parent", a);
    mpz_clear(a);
}

/* Creates more and more numbers, then clears them. */
static void many(void) {
    enum { MOST = 60 };
    static mpz_t x[MOST];
    mpz_t sum;
    mpz_init(sum);
    for (int i = 0; i < MOST; i++) {
        mpz_init(x[i]);
        if (i % 5 == 0)
            product(x[i], (unsigned)i);
        else
            mpz_mul(x[i], x[i / 5], x[0]);
        if (i % 7 == 6)
            mpz_clear(x[i - 3]), mpz_init(x[i - 3]);
    }
    for (int i = MOST; i-- > 0; mpz_clear(x[i]))
        mpz_add(sum, sum, x[i]);
    tell("many", sum);
    mpz_clear(sum);
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*function)(void);
    } modes[] = {{"handed", handed},     {"before", before}, {"after", after},
                 {"restored", restored}, {"got", got},       {"threads", threads},
                 {"fork", forks},        {"many", many},     {"grandchild", grandchild}};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (argc == 2 && strcmp(argv[1], modes[i].name) == 0) {
            modes[i].function();
            return 0;
        }
    return 2;
}
