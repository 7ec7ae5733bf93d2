/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Shared by the parts of the differential test: GMP's own functions, which no preload reaches, and
 * random operands. */
#ifndef MPGPU_DIFFERENTIAL_H
#define MPGPU_DIFFERENTIAL_H

#include <obstack.h>
#include <stdarg.h>
#include <stdio.h> /* before gmp.h, which otherwise leaves out what takes a FILE */

#include <gmp.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/gmp/gmp_internal.h"

/* All that a device can do is sent there. */
#define DIFFERENTIAL_CONF "open:wait,watchdog:600,mul:0,sqr:0,mulmod:0,add:0,"

/* Functions of a libgmp in a separate linker namespace: its inner calls are not intercepted
 * either. */
struct reference {
#define FUNCTION(symbol, type, parameters, arguments) type(*symbol) parameters;
#include "lib/gmp/functions.def"
#undef FUNCTION
    void (*mpz_init_)(mpz_ptr x);
    void (*mpz_set_)(mpz_ptr x, mpz_srcptr y);
    void (*mpz_clear_)(mpz_ptr x);
    /* Prepares a thread for functions of that namespace's libc that use isspace and related
     * functions: only the program's own libc does so by itself. */
    void (*ctype_init)(void);
    /* Its libc's streams, for its functions that take one. */
    FILE *(*fmemopen_)(void *p, size_t bytes, const char *mode);
    int (*getc_)(FILE *stream);
    int (*fclose_)(FILE *stream);
};

/* 0 if there is none to be had. */
int reference_load(struct reference *reference);

/* The functions that the program is linked with, the intercepted ones; its other
 * pointers are NULL. */
extern const struct reference intercepted;

/* One worker's run. */
struct run {
    const struct reference *reference;
    uint64_t random;                  /* state */
    size_t least, most;               /* limbs of the longer operand */
    unsigned long eligible;           /* operations that a device could compute */
    const unsigned char *bytes, *end; /* choices to make before random ones (fuzzing), or NULL */
};

/* Random numbers: 64 bits; below n; limbs with long runs of ones and zeros, or
 * all ones, or mostly zeros. */
uint64_t run_bits(struct run *run);
size_t run_below(struct run *run, size_t n);
void run_limbs(struct run *run, mp_ptr xp, size_t n);

/* Sets digits from 0 to base - 1: random ones, runs of the lowest and the highest, all but one the
 * same, or the digits of a power of 2^64.  Returns their number: n, or fewer for a power. */
size_t run_digits(struct run *run, unsigned char *sp, size_t n, int base);

/* {up, n}, the highest limb not 0: random limbs, or random digits of the base.  Returns the limbs,
 * which may be one more. */
size_t run_number(struct run *run, mp_ptr up, size_t n, int base);

/* Returns true if s is the text `wanted`, or both are NULL.  Frees s, unless it is in `room`, with
 * the size that GMP's memory functions get. */
int same_text(char *s, const char *room, const char *wanted);

/* Frees a text that a function of GMP's has allocated; NULL does nothing. */
void run_free_text(struct run *run, char *s);

/* malloc, or the end. */
void *run_room(size_t bytes);

/* n limbs, of either sign; now and then 0. */
void run_mpz(struct run *run, mpz_ptr x, size_t n);

/* Sizes of two operands, un >= vn >= 1, from 1:1 to 1:1000 and beyond. */
void run_sizes(struct run *run, size_t *un, size_t *vn);

/* Sets operands of a gcd: with and without common factors, multiples, neighbours, long runs of
 * quotients 1, long quotients.  Only random ones may be negative.  Returns 1 if a product must
 * occur. */
int run_gcd_operands(struct run *run, mpz_ptr u, mpz_ptr v);

/* Signs at random. */
void run_signs(struct run *run, mpz_ptr u, mpz_ptr v);

/* {ap, n} and {bp, n} are the same. */
int same_limbs(mp_srcptr ap, mp_srcptr bp, size_t n);
int same_mpz(mpz_srcptr a, mpz_srcptr b);

/* A function's test.  Each file has a table of cases, ended by an empty one; differential_cases.c
 * lists the tables.  test_compat fails for a function of lib/gmp/functions.def without a case. */
struct differential_case {
    const char *function; /* gmp.h's name, as "mpz_mul" */
    /* Runs one random operation.  Returns 0, after a line on stderr, if its result is wrong. */
    int (*run)(struct run *run, const void *how);
    const void *how; /* for run: what sets the function apart from others of its kind */
};
extern const struct differential_case differential_divide[];
extern const struct differential_case differential_memory[];
extern const struct differential_case differential_mpn[];
extern const struct differential_case differential_ring[];
extern const struct differential_case differential_mpz[];
extern const struct differential_case differential_power[];
extern const struct differential_case differential_powm[];
extern const struct differential_case differential_fac[];
extern const struct differential_case differential_fib[];
extern const struct differential_case differential_gcd[];
extern const struct differential_case differential_gcd_limbs[];
extern const struct differential_case differential_get_str[];
extern const struct differential_case differential_divisible[];
extern const struct differential_case differential_perfect[];
extern const struct differential_case differential_prime[];
extern const struct differential_case differential_root[];
extern const struct differential_case differential_set_str[];
extern const struct differential_case differential_sqrt[];
extern const struct differential_case differential_mpq[];
extern const struct differential_case differential_mpf[];
extern const struct differential_case differential_mpf_text[];
extern const struct differential_case differential_mpq_text[];
extern const struct differential_case differential_input[];
extern const struct differential_case differential_float[];
extern const struct differential_case differential_printf[];
extern const struct differential_case differential_scanf[];

/* Tables of cases; NULL behind the last. */
extern const struct differential_case *const differential_tables[];

/* Counts the cases for a list of functions, "mpz_mul,mpz_add"; NULL is all.  With `print` it prints
 * them. */
size_t differential_count(const char *function, int print);

/* A random operation of a random one of them. */
int differential_run(struct run *run, const char *function);

#endif
