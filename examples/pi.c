/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes digits of pi: Chudnovsky's series by binary splitting.
 *
 * This is an ordinary GMP program that does not use mpgpu.h. Run it with GMP alone and
 * under mpgpu-run; both must print the same digits.
 *
 *   426880 sqrt(10005) / pi = sum over k >= 0 of
 *       (-1)^k (6k)! (13591409 + 545140134 k) / ((3k)! (k!)^3 640320^(3k)) */
#include <errno.h>
#include <gmp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define A 13591409UL
#define B 545140134UL
#define C3_OVER_24 10939058860032000UL /* 640320^3 / 24 */
#define DIGITS_PER_TERM 14.1816474627254776555
#define MOST_DIGITS 10000000000UL
#define GUARD_DIGITS 10
#define MOST_THREADS 1024

/* Numbers for the terms a <= k < b of the series.  Their sum is t / q times a factor that comes
 * from the earlier terms.  p / q is the factor by which these terms multiply all later ones. */
struct terms {
    mpz_t p, q, t;
};

static int show_progress;
static atomic_ulong terms_done;
static unsigned long terms_total;

static void progress(const char *what, unsigned percent) {
    if (show_progress)
        fprintf(stderr, "\r%-20s %3u %%", what, percent);
}

static void one_term(struct terms *s, unsigned long k) {
    if (k == 0) {
        mpz_set_ui(s->p, 1);
        mpz_set_ui(s->q, 1);
    } else {
        mpz_set_ui(s->p, 6 * k - 5);
        mpz_mul_ui(s->p, s->p, 2 * k - 1);
        mpz_mul_ui(s->p, s->p, 6 * k - 1);
        mpz_set_ui(s->q, k);
        mpz_mul_ui(s->q, s->q, k);
        mpz_mul_ui(s->q, s->q, k);
        mpz_mul_ui(s->q, s->q, C3_OVER_24);
    }
    mpz_set_ui(s->t, B);
    mpz_mul_ui(s->t, s->t, k);
    mpz_add_ui(s->t, s->t, A);
    mpz_mul(s->t, s->t, s->p);
    if (k % 2)
        mpz_neg(s->t, s->t);

    unsigned long done = atomic_fetch_add(&terms_done, 1) + 1;
    if (done % (terms_total / 100 + 1) == 0)
        progress("series", (unsigned)(done * 100 / terms_total));
}

/* Joins s and `right`, the terms that follow s, into s. Frees `right`. need_p is 0 for the last
 * terms of the series, whose p is never used. */
static void join(struct terms *s, struct terms *right, int need_p) {
    mpz_mul(s->t, s->t, right->q); /* the new t is s->t * right->q + s->p * right->t */
    mpz_mul(right->t, right->t, s->p);
    mpz_add(s->t, s->t, right->t);
    mpz_mul(s->q, s->q, right->q);
    if (need_p)
        mpz_mul(s->p, s->p, right->p);
    mpz_clears(right->p, right->q, right->t, NULL);
}

/* Computes the terms a <= k < b into s. */
static void split(struct terms *s, unsigned long a, unsigned long b, int need_p) {
    if (b - a == 1) {
        one_term(s, a);
        return;
    }
    unsigned long middle = a + (b - a) / 2;
    struct terms right;
    mpz_inits(right.p, right.q, right.t, NULL);
    split(s, a, middle, 1);
    split(&right, middle, b, need_p);
    join(s, &right, need_p);
}

/* Terms a <= k < b that `threads` threads sum, and their result s. */
struct part {
    struct terms s;
    unsigned long a, b;
    int need_p;
    unsigned threads;
};

static void *split_part(void *argument) {
    struct part *p = argument, right;
    pthread_t thread;
    if (p->threads < 2 || p->b - p->a < 2) {
        split(&p->s, p->a, p->b, p->need_p);
        return NULL;
    }
    unsigned long middle = p->a + (p->b - p->a) / 2;
    struct part left = {p->s, p->a, middle, 1, p->threads - p->threads / 2};
    right = (struct part){.a = middle, .b = p->b, .need_p = p->need_p, .threads = p->threads / 2};
    mpz_inits(right.s.p, right.s.q, right.s.t, NULL);
    int failed = pthread_create(&thread, NULL, split_part, &right);
    split_part(&left);
    if (failed)
        split_part(&right);
    else
        pthread_join(thread, NULL);
    p->s = left.s;
    join(&p->s, &right.s, p->need_p);
    return NULL;
}

/* Sets x to about pi 10^digits, rounded down; the error is far less than 10^GUARD_DIGITS. */
static void scaled_pi(mpz_t x, unsigned long digits, unsigned threads) {
    terms_total = (unsigned long)((double)digits / DIGITS_PER_TERM) + 2;
    struct part all = {.b = terms_total, .threads = threads};
    mpz_inits(all.s.p, all.s.q, all.s.t, NULL);
    split_part(&all);
    struct terms s = all.s;
    mpz_clear(s.p);

    progress("square root", 0);
    mpz_ui_pow_ui(x, 10, 2 * digits);
    mpz_mul_ui(x, x, 10005);
    mpz_sqrt(x, x);

    progress("division", 0);
    mpz_mul_ui(s.q, s.q, 426880);
    mpz_mul(x, x, s.q);
    mpz_tdiv_q(x, x, s.t);
    mpz_clears(s.q, s.t, NULL);
}

/* Writes pi with `digits` decimals. Returns nonzero if writing fails. */
static int write_pi(FILE *out, unsigned long digits, unsigned threads) {
    mpz_t x;
    mpz_init(x);
    scaled_pi(x, digits + GUARD_DIGITS, threads);
    progress("decimal digits", 0);
    char *text = mpz_get_str(NULL, 10, x);
    mpz_clear(x);
    if (show_progress)
        fprintf(stderr, "\r%-30s\r", "");

    text[1 + digits] = '\0';
    int failed = fprintf(out, "%c.%s\n", text[0], text + 1) < 0;
    free(text);
    return fflush(out) != 0 || failed;
}

static const char usage[] = "Usage: pi [-o FILE] [-t THREADS] DIGITS\n"
                            "Print pi with DIGITS decimals (1 to 10000000000), cut, not rounded.\n"
                            "  -o FILE   write to FILE instead of standard output (-)\n"
                            "  -t THREADS  number of threads that sum the series (1 to 1024; 1)\n"
                            "  --help    print this text\n";

static int bad_argument(const char *what, const char *argument) {
    if (argument)
        fprintf(stderr, "pi: %s: '%s'\n%s", what, argument, usage);
    else
        fprintf(stderr, "pi: %s\n%s", what, usage);
    return 2;
}

static int parse_number(const char *text, unsigned long *number, unsigned long most) {
    char *end;
    errno = 0;
    *number = strtoul(text, &end, 10);
    return text[0] < '0' || text[0] > '9' || *end || errno || *number < 1 || *number > most;
}

int main(int argc, char **argv) {
    if (argc == 2 && !strcmp(argv[1], "--help"))
        return fputs(usage, stdout) == EOF || fflush(stdout) == EOF;

    const char *path = NULL;
    int option;
    opterr = 0;
    unsigned long threads = 1;
    while ((option = getopt(argc, argv, "o:t:")) != -1) {
        if (option != 'o' && option != 't')
            return bad_argument("unknown option, or one without its value",
                                optopt == '-' ? argv[optind] : (char[]){'-', (char)optopt, '\0'});
        if (option == 'o')
            path = strcmp(optarg, "-") ? optarg : NULL;
        else if (parse_number(optarg, &threads, MOST_THREADS))
            return bad_argument("not a number of threads from 1 to 1024", optarg);
    }
    if (optind == argc)
        return bad_argument("the number of digits is missing", NULL);
    if (argc - optind > 1)
        return bad_argument("one argument too many", argv[optind + 1]);
    unsigned long digits;
    if (parse_number(argv[optind], &digits, MOST_DIGITS))
        return bad_argument("not a number of digits from 1 to 10000000000", argv[optind]);

    FILE *out = path ? fopen(path, "w") : stdout;
    if (!out) {
        fprintf(stderr, "pi: %s: %s\n", path, strerror(errno));
        return 1;
    }
    show_progress = isatty(STDERR_FILENO);
    int failed = write_pi(out, digits, (unsigned)threads);
    if (path)
        failed |= fclose(out) != 0;
    if (failed)
        fprintf(stderr, "pi: %s: %s\n", path ? path : "standard output", strerror(errno));
    return failed;
}
