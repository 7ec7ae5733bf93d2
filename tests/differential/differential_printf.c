/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests gmp_printf and related functions: conversions, flags, widths and precisions, with large
 * numbers among strings, words and doubles. */
#include <stdlib.h>
#include <string.h>

#include "tests/differential/differential.h"

#define obstack_chunk_alloc malloc
#define obstack_chunk_free free

/* If z has at least this many limbs, its conversion needs products that the device can compute. */
enum { LEAST_LIMBS = 40 };

struct print {
    char format[200];
    mpz_t z;
    mpq_t q;
    mpf_t f;
    int word, width, precision;
    double number;
    const char *string;
    int is_eligible;
    char *wanted, *text; /* buffers of `bytes` bytes */
    size_t bytes, limit; /* limit: snprintf's */
    int right;
};

/* Appends a random conversion to the format: "%", flags, width, precision and type. */
static size_t add_spec(struct run *run, struct print *p, size_t at, const char *type,
                       const char *conversions) {
    static const char *const flags[] = {"",  "",  "",   "-",  "+",  " ",
                                        "0", "#", "+0", "-+", " 0", "-0"};
    static const char *const widths[] = {"", "", "", "7", "1200", "31"};
    static const char *const precisions[] = {"", "", "", ".", ".0", ".3", ".40", ".1500"};
    size_t n = strlen(conversions);
    p->format[at] = 0;
    return at + (size_t)sprintf(p->format + at, "%%%s%s%s%s%c", flags[run_below(run, 12)],
                                widths[run_below(run, 6)], precisions[run_below(run, 8)], type,
                                conversions[run_below(run, n)]);
}

static size_t add(struct print *p, size_t at, const char *s) {
    strcpy(p->format + at, s);
    return at + strlen(s);
}

/* Avoids a bug of GMP: if %.Fg prints all digits of a long mpf, GMP may crash.  It takes the
 * precision in limbs for the base (MPF_SIGNIFICANT_DIGITS in printf/doprntf.c of 6.2.1), and reads
 * behind a table of 257 entries. %.Fe is not affected. */
static void spare_gmp(struct print *p, size_t at) {
    char *last = p->format + at - 1, *all = strstr(p->format, ".F");
    if (p->f->_mp_prec > 256 && all && all + 2 == last && (*last == 'g' || *last == 'G'))
        *last = 'e';
}

/* Makes a random format for these arguments, in this order: int, mpz_t, double, mpq_t, string,
 * mpf_t, int. A last conversion has two stars, and takes a width, a precision and an mpz_t. */
static void make_format(struct run *run, struct print *p) {
    size_t at = add(p, 0, run_below(run, 2) ? "n = " : "");
    at = add_spec(run, p, at, "", "dxuoc");
    at = add_spec(run, p, at, "Z", run_below(run, 2) ? "dddiu" : "oxX");
    at = add(p, at, run_below(run, 2) ? "100%% " : "");
    at = add_spec(run, p, at, "", "fge");
    at = add_spec(run, p, at, "Q", run_below(run, 2) ? "dddiu" : "oxX");
    at = add(p, at, "%s,");
    at = add_spec(run, p, at, "F", run_below(run, 4) ? "fffeeg" : "fegaAEG");
    spare_gmp(p, at);
    at = add(p, at, run_below(run, 2) ? "%d %*" : "%d\n%-*");
    add(p, at, run_below(run, 2) ? ".*Zd\n" : ".*Zd");
}

static size_t random_size(struct run *run) {
    size_t un, vn;
    run_sizes(run, &un, &vn);
    return run_below(run, 2) ? un : 1 + run_below(run, 3);
}

/* Sets f just below the middle between two decimals with 0, 3, 6 or 40 digits after the point.
 * GMP first rounds f to a larger number of digits, and then to these digits.  The distance to
 * the middle is chosen so that the first rounding either reaches the middle or just misses it. */
static void set_near_middle(struct run *run, mpf_ptr f, size_t limbs) {
    static const size_t precisions[] = {0, 3, 6, 40};
    const size_t whole = run_below(run, 19 * limbs + 1);
    const size_t behind = precisions[run_below(run, 4)];
    const size_t zeros = whole ? 0 : run_below(run, behind < 18 ? behind + 1 : 18);
    const size_t above = (size_t)(3.32193 * (double)whole / 64) + (whole > 0); /* limbs, mostly */
    const size_t nines = 1 + zeros + 20 * above - whole + run_below(run, 2);
    char *s = malloc(whole + behind + nines + 8), *to = s;
    *to++ = run_below(run, 2) ? '-' : '0';
    for (size_t i = 0; i < whole; i++)
        *to++ = '1';
    *to++ = '.';
    for (size_t i = 0; i < behind; i++)
        *to++ = i < zeros ? '0' : '1';
    *to++ = '4';
    memset(to, '9', nines);
    strcpy(to + nines, "8");
    run->reference->mpf_set_str(f, s, 10);
    free(s);
}

static void make_numbers(struct run *run, struct print *p) {
    size_t fn = random_size(run);
    mpz_init(p->z);
    mpq_init(p->q);
    mpf_init2(p->f, fn * GMP_NUMB_BITS);
    run_mpz(run, p->z, random_size(run));
    run_mpz(run, mpq_numref(p->q), random_size(run));
    if (run_below(run, 2))
        run_mpz(run, mpq_denref(p->q), random_size(run));
    mpz_abs(mpq_denref(p->q), mpq_denref(p->q));
    if (run_below(run, 8)) {
        run_limbs(run, p->f->_mp_d, fn);
        p->f->_mp_d[fn - 1] |= p->f->_mp_d[fn - 1] == 0;
        p->f->_mp_size = run_below(run, 2) ? (int)fn : -(int)fn;
        p->f->_mp_exp = run_below(run, 2) ? (mp_exp_t)run_below(run, fn + 3) - 1
                                          : (mp_exp_t)run_below(run, 60) - 30;
    } else if (run_below(run, 2)) {
        set_near_middle(run, p->f, fn);
    }
    p->word = (int)run_below(run, 200) + 1;
    p->width = run_below(run, 4) ? (int)run_below(run, 9) : -(int)run_below(run, 5000);
    p->precision = (int)run_below(run, 2) * (int)run_below(run, 5000);
    p->number = (double)run_below(run, 1000000) / 7;
    p->string = run_below(run, 2) ? "%Zd" : "";
    /* the format's last conversion always prints z, so z decides whether the device is needed */
    p->is_eligible = mpz_size(p->z) >= LEAST_LIMBS;
}

static size_t most_bytes(const struct print *p) {
    size_t limbs = 2 * mpz_size(p->z) + mpz_size(mpq_numref(p->q)) + mpz_size(mpq_denref(p->q)) +
                   4 * (size_t)p->f->_mp_prec + (size_t)labs(p->f->_mp_exp);
    return limbs * 25 + 25000;
}

/* Prints at most `bytes` bytes to s, by GMP's own function. */
static int reference_print(struct run *run, struct print *p, char *s, size_t bytes, ...) {
    va_list list;
    va_start(list, bytes);
    int result = run->reference->gmp_vsnprintf(s, bytes, p->format, list);
    va_end(list);
    return result;
}

#define ARGUMENTS(p)                                                                               \
    (p)->word, (p)->z, (p)->number, (p)->q, (p)->string, (p)->f, (p)->word, (p)->width,            \
        (p)->precision, (p)->z

static void print_make(struct run *run, struct print *p) {
    make_numbers(run, p);
    make_format(run, p);
    p->bytes = most_bytes(p);
    p->wanted = run_room(p->bytes);
    p->text = run_room(p->bytes);
    p->limit = p->bytes;
    p->right = reference_print(run, p, p->wanted, p->bytes, ARGUMENTS(p));
    run->eligible += p->is_eligible != 0;
}

static int print_check(struct print *p, const char *function, int result) {
    size_t n = p->right < 0 ? 0 : (size_t)p->right + 1;
    int good = result == p->right;
    if (p->limit < n) { /* cut */
        n = p->limit ? p->limit - 1 : 0;
        good = good && (p->limit == 0 || p->text[n] == 0);
    }
    good = good && memcmp(p->text, p->wanted, n) == 0;
    size_t same = 0;
    while (same < n && p->text[same] == p->wanted[same])
        same++;
    if (!good)
        fprintf(stderr, "differential: %s, format %s (%d, %d): returned %d, GMP %d\n%.99s\n%.99s\n",
                function, p->format, p->width, p->precision, result, p->right, p->text + same,
                p->wanted + same);
    mpz_clear(p->z);
    mpq_clear(p->q);
    mpf_clear(p->f);
    free(p->wanted);
    free(p->text);
    return good;
}

struct target {
    FILE *stream;
    char *s;
    size_t bytes;
    struct obstack obstack;
};

/* Calls the function `name` that takes a va_list. */
static int list_print(const char *name, struct target *t, const char *format, ...) {
    int result = -1;
    va_list list;
    va_start(list, format);
    if (strcmp(name, "gmp_vfprintf") == 0)
        result = gmp_vfprintf(t->stream, format, list);
    if (strcmp(name, "gmp_vprintf") == 0)
        result = gmp_vprintf(format, list);
    if (strcmp(name, "gmp_vsprintf") == 0)
        result = gmp_vsprintf(t->s, format, list);
    if (strcmp(name, "gmp_vsnprintf") == 0)
        result = gmp_vsnprintf(t->s, t->bytes, format, list);
    if (strcmp(name, "gmp_vasprintf") == 0)
        result = gmp_vasprintf(&t->s, format, list);
    if (strcmp(name, "gmp_obstack_vprintf") == 0)
        result = gmp_obstack_vprintf(&t->obstack, format, list);
    va_end(list);
    return result;
}

/* Tests printing to a stream, by gmp_fprintf and its variant with a va_list. */
static int run_stream(struct run *run, const void *how) {
    struct print p;
    print_make(run, &p);
    struct target t = {.stream = fmemopen(p.text, p.bytes, "w")};
    int result = strcmp(how, "gmp_fprintf") == 0 ? gmp_fprintf(t.stream, p.format, ARGUMENTS(&p))
                                                 : list_print(how, &t, p.format, ARGUMENTS(&p));
    fclose(t.stream);
    return print_check(&p, how, result);
}

/* Tests gmp_printf: redirects standard output to the stream for this call.  Only one thread may do
 * so at a time, so the others wait. */
static int run_stdout(struct run *run, const void *how) {
    static int busy;
    struct print p;
    struct target t = {.stream = NULL};
    print_make(run, &p);
    while (__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE)) {
    }
    FILE *before = stdout;
    stdout = fmemopen(p.text, p.bytes, "w");
    int result = strcmp(how, "gmp_printf") == 0 ? gmp_printf(p.format, ARGUMENTS(&p))
                                                : list_print(how, &t, p.format, ARGUMENTS(&p));
    fclose(stdout);
    stdout = before;
    __atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
    return print_check(&p, how, result);
}

static int run_string(struct run *run, const void *how) {
    struct print p;
    print_make(run, &p);
    struct target t = {.s = p.text};
    int result = strcmp(how, "gmp_sprintf") == 0 ? gmp_sprintf(p.text, p.format, ARGUMENTS(&p))
                                                 : list_print(how, &t, p.format, ARGUMENTS(&p));
    return print_check(&p, how, result);
}

static int run_limited(struct run *run, const void *how) {
    struct print p;
    print_make(run, &p);
    if (run_below(run, 2))
        p.limit = run_below(run, 2 * (size_t)p.right);
    reference_print(run, &p, p.text, p.limit, ARGUMENTS(&p)); /* to compare blocks */
    struct target t = {.s = p.text, .bytes = p.limit};
    int result = strcmp(how, "gmp_snprintf") == 0
                     ? gmp_snprintf(p.text, p.limit, p.format, ARGUMENTS(&p))
                     : list_print(how, &t, p.format, ARGUMENTS(&p));
    return print_check(&p, how, result);
}

static int run_new(struct run *run, const void *how) {
    struct print p;
    struct target t = {.s = NULL};
    void (*release)(void *s, size_t bytes);
    print_make(run, &p);
    int result = strcmp(how, "gmp_asprintf") == 0 ? gmp_asprintf(&t.s, p.format, ARGUMENTS(&p))
                                                  : list_print(how, &t, p.format, ARGUMENTS(&p));
    memcpy(p.text, t.s, (size_t)result + 1);
    mp_get_memory_functions(NULL, NULL, &release);
    release(t.s, (size_t)result + 1);
    return print_check(&p, how, result);
}

static int run_obstack(struct run *run, const void *how) {
    struct print p;
    struct target t = {.s = NULL};
    print_make(run, &p);
    obstack_init(&t.obstack);
    int result = strcmp(how, "gmp_obstack_printf") == 0
                     ? gmp_obstack_printf(&t.obstack, p.format, ARGUMENTS(&p))
                     : list_print(how, &t, p.format, ARGUMENTS(&p));
    size_t n = (size_t)obstack_object_size(&t.obstack);
    memcpy(p.text, obstack_finish(&t.obstack), n);
    p.text[n] = 0;
    obstack_free(&t.obstack, NULL);
    return print_check(&p, how, result);
}

const struct differential_case differential_printf[] = {
    {"gmp_printf", run_stdout, "gmp_printf"},
    {"gmp_vprintf", run_stdout, "gmp_vprintf"},
    {"gmp_fprintf", run_stream, "gmp_fprintf"},
    {"gmp_vfprintf", run_stream, "gmp_vfprintf"},
    {"gmp_sprintf", run_string, "gmp_sprintf"},
    {"gmp_vsprintf", run_string, "gmp_vsprintf"},
    {"gmp_snprintf", run_limited, "gmp_snprintf"},
    {"gmp_vsnprintf", run_limited, "gmp_vsnprintf"},
    {"gmp_asprintf", run_new, "gmp_asprintf"},
    {"gmp_vasprintf", run_new, "gmp_vasprintf"},
    {"gmp_obstack_printf", run_obstack, "gmp_obstack_printf"},
    {"gmp_obstack_vprintf", run_obstack, "gmp_obstack_vprintf"},
    {NULL, NULL, NULL},
};
