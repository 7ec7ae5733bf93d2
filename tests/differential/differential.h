/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Shared by the parts of the differential test: GMP's own functions from a libgmp that a preload
 * cannot intercept, and random operands. */
#ifndef MPGPU_DIFFERENTIAL_H
#define MPGPU_DIFFERENTIAL_H

#include <obstack.h>
#include <stdarg.h>
#include <stdio.h> /* before gmp.h, which otherwise does not declare functions with a FILE */

#include <gmp.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/gmp/gmp_internal.h"

/* Options with which every operation that the device supports is sent to it. */
#define DIFFERENTIAL_CONF "open:wait,watchdog:600,mul:0,sqr:0,mulmod:0,add:0,"

/* The functions of a second libgmp, loaded into a separate linker namespace.  The preloaded library
 * intercepts neither these functions nor their inner calls. */
struct reference {
#define FUNCTION(symbol, type, parameters, arguments) type(*symbol) parameters;
#include "lib/gmp/functions.def"
#undef FUNCTION
    void (*mpz_init_)(mpz_ptr x);
    void (*mpz_set_)(mpz_ptr x, mpz_srcptr y);
    void (*mpz_clear_)(mpz_ptr x);
    /* Prepares a thread for isspace and similar functions of the namespace's libc.  That libc
     * itself prepares only threads that it starts, but all threads here were started by the
     * program's libc. */
    void (*ctype_init)(void);
    /* Functions of the namespace's libc for streams, because its libgmp cannot use streams of
     * another libc. */
    FILE *(*fmemopen_)(void *p, size_t bytes, const char *mode);
    int (*getc_)(FILE *stream);
    int (*fclose_)(FILE *stream);
};

/* Loads the second libgmp and finds its functions.  Returns 0 on failure. */
int reference_load(struct reference *reference);

/* The functions that the program itself calls, which the library intercepts.  Members for functions
 * that GMP does not have are NULL. */
extern const struct reference intercepted;

/* One worker's run. */
struct run {
    const struct reference *reference;
    uint64_t random;    /* state */
    size_t least, most; /* minimum and maximum number of limbs of the longer operand */
    /* calls so far that the library should send to the device, because their operands are long
     * enough */
    unsigned long eligible;
    /* given bytes that decide the first choices (fuzzing), or NULL; later choices are random */
    const unsigned char *bytes, *end;
};

/* run_bits returns 64 random bits, run_below a random number below n.  run_limbs sets random
 * limbs, runs of ones and zeros, all ones, or mostly zeros. */
uint64_t run_bits(struct run *run);
size_t run_below(struct run *run, size_t n);
void run_limbs(struct run *run, mp_ptr xp, size_t n);

/* Sets random digits from 0 to base - 1: uniform, long runs of the lowest and highest digit,
 * sometimes with another digit, or the digits of a power of 2^64, or of one more.  Returns the
 * number of digits: n, or fewer for a power. */
size_t run_digits(struct run *run, unsigned char *sp, size_t n, int base);

/* Sets {up, n} to random limbs, or to the value of random digits in the base; the highest limb is
 * not 0.  Returns the number of limbs, at most n. Limb n may change, too. */
size_t run_number(struct run *run, mp_ptr up, size_t n, int base);

/* Returns true if s is the text `wanted`, or both are NULL.  Frees s by GMP's memory functions,
 * which check the size, unless s is the buffer `room`. */
int same_text(char *s, const char *room, const char *wanted);

/* Frees a text that a function of GMP's has allocated; NULL does nothing. */
void run_free_text(struct run *run, char *s);

/* Returns memory from malloc; ends the program if there is none. */
void *run_room(size_t bytes);

/* Sets x to a random number of at most n limbs, of either sign; sometimes to 0. */
void run_mpz(struct run *run, mpz_ptr x, size_t n);

/* Sets the sizes of two operands, un >= vn >= 1, with ratios from 1:1 to more than 1:1000. */
void run_sizes(struct run *run, size_t *un, size_t *vn);

/* Sets u and v to operands of a gcd: with and without common factors, multiples, and neighbours.
 * Other pairs lead to long runs of quotients 1, or to long quotients, in Euclid's algorithm. Only
 * random numbers may be negative. Returns 1 if the gcd surely needs products that the device
 * can compute. */
int run_gcd_operands(struct run *run, mpz_ptr u, mpz_ptr v);

/* Signs at random. */
void run_signs(struct run *run, mpz_ptr u, mpz_ptr v);

/* Returns true if {ap, n} and {bp, n} are equal. */
int same_limbs(mp_srcptr ap, mp_srcptr bp, size_t n);
int same_mpz(mpz_srcptr a, mpz_srcptr b);

/* The test of a function.  Each file has a table of such cases, ended by an empty one.
 * differential_cases.c lists the tables.  test_compat fails if a function of lib/gmp/functions.def
 * has no case. */
struct differential_case {
    const char *function; /* GMP's documented name, such as "mpz_mul" */
    /* Runs one random operation.  If its result is wrong, prints a line on stderr and returns 0. */
    int (*run)(struct run *run, const void *how);
    /* parameter of `run`: distinguishes this function from other functions that are tested by the
     * same `run` */
    const void *how;
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

/* The tables of cases, followed by NULL. */
extern const struct differential_case *const differential_tables[];

/* Returns the number of cases for a list of functions such as "mpz_mul,mpz_add", or of all cases
 * for NULL.  Prints the cases if `print` is set. */
size_t differential_count(const char *function, int print);

/* Runs one random operation of a random case among the listed functions. */
int differential_run(struct run *run, const char *function);

#endif
