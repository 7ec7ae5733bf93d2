/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests whether N = K 2^M + 1 is prime. Computes A^((N-1)/2) modulo N by M - 1 squarings of A^K.
 * The numbers stay on the device (mpgpu.h), which reduces modulo N without a division.
 *
 * Proth's theorem: if K is odd and less than 2^M, and this power is -1, then N is prime.  The base
 * A is the least prime whose Jacobi symbol (A/N) is -1.  For a prime N the power equals the symbol
 * (Euler), so any other power proves that N is composite.  If K is not less than 2^M, a power of -1
 * makes N a probable prime.
 *
 * With --minus, N is K 2^M - 1.  The same squarings then compute A^((N+1)/2), which is A (A/N) for
 * a prime N.  The result is that N is composite, or a probable prime.
 *
 * Gerbicz's check detects errors. Let x_i be A^K after i squarings, and d_t = x_0 x_L x_2L ...
 * x_tL. Squaring L times turns each factor into the next, so d_(t+1) = x_0 d_t^(2^L). So L
 * squarings and some products check L^2 squarings.  If the check fails, the test continues from the
 * last checked value.  The last squarings are fewer than L; they are computed twice instead of this
 * check. */
#include <errno.h>
#include <gmp.h>
#include <limits.h>
#include <mpgpu.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_ERRORS = 20 };

/* Limits N such that N^2 has fewer bits than the longest mpz_t. */
static const unsigned long MOST_BITS = 1ul << 35;

struct options {
    unsigned long k, m; /* k is odd */
    unsigned long base; /* the base A; 0: not given */
    unsigned long block;
    unsigned long corrupt; /* the number of the squaring after which x is corrupted once, for tests;
                              0: none */
    bool compares, minus;
};

struct test {
    struct options o;
    unsigned long count; /* squarings that the whole test needs */
    mpgpu_modulus *n;
    /* For Gerbicz's check. x: A^K, squared i times; first: A^K; d: the product of some of the
     * values that x had; before: d without its last factor */
    mpgpu_number *x, *first, *d, *before;
    mpgpu_number *good_x, *good_d, *t;
    unsigned long i, good, errors; /* squarings computed; squarings checked; errors found */
    double start, told;
    unsigned long told_at; /* squarings computed when the last progress was printed */
};

static void die(const char *why) {
    fprintf(stderr, "proth: %s\n", why);
    exit(1);
}

static void must(int error) {
    if (error)
        die(mpgpu_error());
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* At most once a second. */
static void tell(struct test *t) {
    double now = seconds();
    if (now - t->told < 1)
        return;
    double each = t->i > t->told_at ? (now - t->told) / (double)(t->i - t->told_at) : 0;
    fprintf(stderr,
            "proth: %lu of %lu squarings (%.1f %%), checked up to %lu, %.1f s, %.3f ms each\n",
            t->i, t->count, 100.0 * (double)t->i / (double)t->count, t->good, now - t->start,
            1e3 * each);
    t->told = now;
    t->told_at = t->i;
}

/* ---- squarings */

static void corrupt(struct test *t) {
    must(mpgpu_number_set_ui(t->t, 1));
    must(mpgpu_number_add(t->x, t->x, t->t));
    must(mpgpu_modulus_reduce(t->x, t->x, t->n));
    t->o.corrupt = 0;
}

static void square(struct test *t, unsigned long count) {
    for (; count > 0; count--) {
        must(mpgpu_modulus_sqr(t->x, t->x, t->n));
        if (++t->i == t->o.corrupt)
            corrupt(t);
        tell(t);
    }
}

/* Computes a block of L squarings (option --block), and multiplies d by the result for the
 * check. */
static void block(struct test *t) {
    square(t, t->o.block);
    must(mpgpu_number_set(t->before, t->d));
    must(mpgpu_modulus_mul(t->d, t->d, t->x, t->n));
}

static bool is_right(struct test *t) {
    int order;
    must(mpgpu_number_set(t->t, t->before));
    for (unsigned long i = 0; i < t->o.block; i++)
        must(mpgpu_modulus_sqr(t->t, t->t, t->n));
    must(mpgpu_modulus_mul(t->t, t->t, t->first, t->n));
    must(mpgpu_number_cmp(&order, t->t, t->d));
    return order == 0;
}

static void keep(struct test *t) {
    must(mpgpu_number_set(t->good_x, t->x));
    must(mpgpu_number_set(t->good_d, t->d));
    t->good = t->i;
}

static void go_back(struct test *t) {
    fprintf(stderr, "proth: an error between squarings %lu and %lu; again from the former\n",
            t->good, t->i);
    if (++t->errors > MOST_ERRORS)
        die("too many errors");
    must(mpgpu_number_set(t->x, t->good_x));
    must(mpgpu_number_set(t->d, t->good_d));
    t->i = t->good;
}

/* Computes several blocks of squarings, then checks them together.  Usually the number of blocks is
 * the number of squarings of a block (option --block); at the end it is less. */
static void blocks(struct test *t) {
    unsigned long left = (t->count - t->i) / t->o.block;
    for (unsigned long n = left < t->o.block ? left : t->o.block; n > 0; n--)
        block(t);
    if (is_right(t))
        keep(t);
    else
        go_back(t);
}

/* Computes the remaining squarings, fewer than a block, twice and compares the results. */
static void finish(struct test *t) {
    int order = 1;
    while (t->i < t->count) {
        square(t, t->count - t->good);
        must(mpgpu_number_set(t->before, t->x));
        must(mpgpu_number_set(t->x, t->good_x));
        t->i = t->good;
        square(t, t->count - t->good);
        must(mpgpu_number_cmp(&order, t->x, t->before));
        if (order != 0)
            go_back(t);
    }
}

/* ---- the test */

static mpgpu_number *number(mpgpu_queue *queue) {
    mpgpu_number *x = mpgpu_number_create(queue);
    if (!x)
        die(mpgpu_error());
    return x;
}

static void begin(struct test *t, mpgpu_queue *queue, mpz_srcptr n) {
    mpgpu_number **const all[] = {&t->x,      &t->first,  &t->d, &t->before,
                                  &t->good_x, &t->good_d, &t->t};
    mpz_t k;
    mpz_init_set_ui(k, t->o.k);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        *all[i] = number(queue);
    must(mpgpu_number_set_mpz(t->t, n));
    if (!(t->n = mpgpu_modulus_create(t->t)))
        die(mpgpu_error());
    must(mpgpu_number_set_ui(t->t, t->o.base));
    must(mpgpu_modulus_pow(t->x, t->t, k, t->n));
    must(mpgpu_number_set(t->first, t->x));
    must(mpgpu_number_set(t->d, t->x));
    keep(t);
    mpz_clear(k);
}

static void end(struct test *t) {
    mpgpu_modulus_destroy(t->n);
    mpgpu_number_destroy(t->x);
    mpgpu_number_destroy(t->first);
    mpgpu_number_destroy(t->d);
    mpgpu_number_destroy(t->before);
    mpgpu_number_destroy(t->good_x);
    mpgpu_number_destroy(t->good_d);
    mpgpu_number_destroy(t->t);
}

/* Sets r to A^(K 2^(M-1)) modulo N = K 2^M + 1, or modulo K 2^M - 1 with --minus. */
static void power(mpz_ptr r, const struct options *o, mpz_srcptr n) {
    const double now = seconds();
    struct test t = {.o = *o, .count = o->m - 1, .start = now, .told = now};
    mpgpu_queue *queue = mpgpu_queue_create();
    if (!queue)
        die(mpgpu_error());
    begin(&t, queue, n);
    while (t.count - t.i >= o->block)
        blocks(&t);
    finish(&t);
    must(mpgpu_number_get_mpz(r, t.x));
    fprintf(stderr, "proth: %.3f s, %lu errors found, %lu operations on the device\n",
            seconds() - t.start, t.errors, mpgpu_sent());
    end(&t);
    mpgpu_queue_destroy(queue);
}

static bool is_as_powm(mpz_srcptr r, const struct options *o, mpz_srcptr n) {
    mpz_t base, e;
    mpz_init_set_ui(base, o->base);
    mpz_init_set_ui(e, o->k);
    mpz_mul_2exp(e, e, o->m - 1);
    double start = seconds();
    mpz_powm(base, base, e, n);
    fprintf(stderr, "proth: mpz_powm: %.3f s\n", seconds() - start);
    bool same = mpz_cmp(base, r) == 0;
    mpz_clear(base);
    mpz_clear(e);
    return same;
}

/* Returns the least prime A whose Jacobi symbol (A/N) is -1.  Returns 0 if n is a square: then
 * there is no such A. */
static unsigned long least_base(mpz_srcptr n) {
    mpz_t a;
    if (mpz_perfect_square_p(n))
        return 0;
    mpz_init_set_ui(a, 2);
    while (mpz_jacobi(a, n) != -1)
        mpz_nextprime(a, a);
    unsigned long base = mpz_get_ui(a);
    mpz_clear(a);
    return base;
}

/* Returns what the power r = A^((N+1)/2) modulo N proves of N = K 2^M - 1.  If A and N have a
 * common factor, N is composite whatever the power is. */
static const char *verdict_minus(const struct options *o, mpz_srcptr n, mpz_srcptr r) {
    mpz_t a;
    mpz_init_set_ui(a, o->base);
    int symbol = mpz_jacobi(a, n);
    if (symbol < 0)
        mpz_neg(a, a);
    bool is_composite = symbol == 0 || !mpz_congruent_p(a, r, n);
    mpz_clear(a);
    return is_composite ? "composite" : "a probable prime";
}

/* Returns what the power r = A^((N-1)/2) modulo N proves of N = K 2^M + 1. */
static const char *verdict(const struct options *o, mpz_srcptr n, mpz_srcptr r) {
    mpz_t a, sum;
    mpz_init_set_ui(a, o->base);
    mpz_init(sum);
    mpz_add_ui(sum, r, 1);
    int symbol = mpz_jacobi(a, n);
    bool is_minus_1 = mpz_cmp(sum, n) == 0;
    bool is_proth = o->m >= 64 || o->k >> o->m == 0;
    bool is_composite =
        is_minus_1 ? symbol != -1 && !is_proth : symbol != 1 || mpz_cmp_ui(r, 1) != 0;
    mpz_clear(a);
    mpz_clear(sum);
    return is_composite ? "composite" : is_minus_1 && is_proth ? "prime" : "a probable prime";
}

static int run(struct options *o) {
    mpz_t n, r;
    mpz_init_set_ui(n, o->k);
    mpz_init(r);
    mpz_mul_2exp(n, n, o->m);
    (o->minus ? mpz_sub_ui : mpz_add_ui)(n, n, 1);
    if (mpz_cmp_ui(n, 1) == 0)
        die("K 2^M - 1 is 1");
    if (o->base && mpz_cmp_ui(n, o->base) <= 0 && o->base % mpz_get_ui(n) == 0)
        die(o->minus ? "the base is a multiple of K 2^M - 1"
                     : "the base is a multiple of K 2^M + 1");
    printf("%lu*2^%lu%c1 is ", o->k, o->m, o->minus ? '-' : '+');
    bool same = true;
    if (!o->base && !(o->base = least_base(n))) {
        printf("composite: a square\n");
    } else {
        power(r, o, n);
        printf("%s to base %lu, residue %016lx\n", (o->minus ? verdict_minus : verdict)(o, n, r),
               o->base, mpz_get_ui(r));
        same = !o->compares || is_as_powm(r, o, n);
    }
    if (!same)
        fprintf(stderr, "proth: mpz_powm has another result\n");
    mpz_clear(n);
    mpz_clear(r);
    if (fflush(stdout) != 0)
        die(strerror(errno));
    return same ? 0 : 1;
}

/* ---- the command line */

static const char usage[] =
    "Usage: proth [--base A] [--block L] [--corrupt I] [--compare] [--minus] K M\n"
    "Is K 2^M + 1 prime?  By Proth's theorem, or Euler's test if K\n"
    "is at least 2^M; checked every L^2 squarings.\n"
    "  --base A     instead of the least A whose Jacobi symbol is -1\n"
    "  --block L    instead of about sqrt(M) / 2, at most 1000\n"
    "  --corrupt I  make the number wrong after squaring I, for tests\n"
    "  --compare    mpz_powm computes it too\n"
    "  --minus      is K 2^M - 1 a probable prime?\n"
    "  --help       print this text\n";

_Noreturn static void refuse(const char *what, const char *argument) {
    fprintf(stderr, "proth: %s%s%s\n%s", what, argument ? ": " : "", argument ? argument : "",
            usage);
    exit(2);
}

static unsigned long value(const char *name, const char *text, unsigned long least,
                           unsigned long most) {
    char what[100], *after;
    errno = 0;
    unsigned long x = text ? strtoul(text, &after, 10) : 0;
    bool is_number = text && *text >= '0' && *text <= '9' && !*after;
    if (is_number && !errno && x >= least && x <= most)
        return x;
    snprintf(what, sizeof what, "%s is not a number from %lu to %lu", name, least, most);
    refuse(what, text ? text : "nothing");
}

static unsigned long usual_block(unsigned long m) {
    unsigned long block = 1;
    while (block < 1000 && 4 * block * block < m)
        block++;
    return block;
}

/* Handles the option argv[*i]. If it has a value, advances *i to the value. */
static void take_option(struct options *o, char **argv, int *i) {
    const char *name = argv[*i];
    if (!strcmp(name, "--help")) {
        fputs(usage, stdout);
        exit(fflush(stdout) != 0);
    }
    unsigned long *to = !strcmp(name, "--base")      ? &o->base
                        : !strcmp(name, "--block")   ? &o->block
                        : !strcmp(name, "--corrupt") ? &o->corrupt
                                                     : NULL;
    if (!strcmp(name, "--compare"))
        o->compares = true;
    else if (!strcmp(name, "--minus"))
        o->minus = true;
    else if (!to)
        refuse("unknown option", name);
    else
        *to = value(name, argv[++*i], to == &o->base ? 2 : 1, ULONG_MAX);
}

static void take_numbers(struct options *o, char **argv, int count) {
    if (count < 2)
        refuse("K or M is missing", NULL);
    if (count > 2)
        refuse("one argument too many; options come first", argv[2]);
    o->k = value("K", argv[0], 1, ULONG_MAX);
    o->m = value("M", argv[1], 1, MOST_BITS);
}

int main(int argc, char **argv) {
    struct options o = {.base = 0};
    int i = 1;
    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++)
        take_option(&o, argv, &i);
    take_numbers(&o, argv + i, argc - i);
    for (; o.k % 2 == 0; o.k /= 2)
        o.m++;
    o.block = o.block ? o.block : usual_block(o.m);
    return run(&o);
}
