/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Times GMP's functions between numbers and texts by size, alone or under preload: a line for each
 * with its name, the size in bits, the best of three runs in milliseconds, and a sum over the
 * results, which is the same wherever they are.  Usage: texts BITS... */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <gmp.h>

enum { RUNS = 3 };

static mpf_t root, f;
static mpq_t q;
static mpz_t z;
static char *digits, *text, *fraction; /* of root, without a point; a result; of q */

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* An irrational number, as its digits, and a fraction of such numbers. */
static void prepare(unsigned long bits) {
    mp_exp_t exp;
    mpf_init2(root, bits);
    mpf_init2(f, bits);
    mpq_init(q);
    mpz_init(z);
    mpf_sqrt_ui(root, 2);
    digits = mpf_get_str(NULL, &exp, 10, 0, root);
    mpz_setbit(mpq_numref(q), bits);
    mpz_sqrt(mpq_numref(q), mpq_numref(q));
    mpz_setbit(mpq_denref(q), bits - 3);
    mpz_sqrt(mpq_denref(q), mpq_denref(q));
    fraction = mpq_get_str(NULL, 10, q);
}

static void clear(void) {
    free(digits);
    free(fraction);
    mpf_clears(root, f, NULL);
    mpq_clear(q);
    mpz_clear(z);
}

static void mpf_to_decimal(void) {
    mp_exp_t exp;
    text = mpf_get_str(NULL, &exp, 10, 0, root);
}

static void mpf_to_stream(void) {
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);
    mpf_out_str(stream, 10, 0, root);
    fclose(stream);
}

static void mpf_by_format(void) {
    gmp_asprintf(&text, "%.*Ff", (int)strlen(digits), root);
}

static void mpf_from_decimal(void) {
    mpf_set_str(f, digits, 10);
}

static void mpz_from_stream(void) {
    FILE *stream = fmemopen(digits, strlen(digits), "r");
    mpz_inp_str(z, stream, 10);
    fclose(stream);
}

static void mpq_to_decimal(void) {
    text = mpq_get_str(NULL, 10, q);
}

static void mpq_from_decimal(void) {
    mpq_set_str(q, fraction, 10);
}

static void mpf_from_mpq(void) {
    mpf_set_q(f, q);
}

static void mpf_power(void) {
    mpf_pow_ui(f, root, 1000);
}

static const struct {
    const char *name;
    void (*run)(void);
} operations[] = {
    {"mpf_get_str", mpf_to_decimal},   {"mpf_out_str", mpf_to_stream},
    {"gmp_asprintf", mpf_by_format},   {"mpf_set_str", mpf_from_decimal},
    {"mpz_inp_str", mpz_from_stream},  {"mpq_get_str", mpq_to_decimal},
    {"mpq_set_str", mpq_from_decimal}, {"mpf_set_q", mpf_from_mpq},
    {"mpf_pow_ui", mpf_power},
};

static uint64_t add_up(uint64_t sum, const void *p, size_t n) {
    for (const unsigned char *c = p; n > 0; n--)
        sum = (sum ^ *c++) * 0x100000001b3u;
    return sum;
}

static uint64_t sum_of_results(void) {
    uint64_t sum = text ? add_up(0, text, strlen(text)) : 0;
    sum = add_up(sum, f->_mp_d, (size_t)abs(f->_mp_size) * sizeof(mp_limb_t));
    return add_up(sum, z->_mp_d, mpz_size(z) * sizeof(mp_limb_t));
}

static void measure(int i, unsigned long bits) {
    double least = 0;
    for (int j = 0; j < RUNS; j++) {
        free(text);
        text = NULL;
        double start = now();
        operations[i].run();
        double time = now() - start;
        least = j == 0 || time < least ? time : least;
    }
    printf("%-12s %11lu %12.3f %016llx\n", operations[i].name, bits, least * 1e3,
           (unsigned long long)sum_of_results());
    fflush(stdout);
    free(text);
    text = NULL;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fputs("usage: texts BITS...\n", stderr);
        return 2;
    }
    for (int i = 1; i < argc; i++) {
        unsigned long bits = (unsigned long)atof(argv[i]);
        prepare(bits);
        for (size_t j = 0; j < sizeof operations / sizeof *operations; j++)
            measure((int)j, bits);
        clear();
    }
    return 0;
}
