/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests gmp_scanf and related functions: numbers of every type between white space and other
 * characters, truncated or corrupted texts, and formats with other conversions.  For streams, the
 * unread bytes are compared, too. */
#include <stdlib.h>
#include <string.h>

#include "tests/differential/differential.h"

/* LEAST_DIGITS: if a number has at least this many digits, its conversion needs products that the
 * device can compute. */
enum { LEAST_DIGITS = 1500, NUMBERS = 3 };

/* The scanned numbers z, q and f, and the counts of characters that %n stores. */
struct values {
    mpz_t z;
    mpq_t q;
    mpf_t f;
    int n[2];
};

struct scan {
    const char *format;
    int is_plain; /* the library itself reads this format from a stream; GMP reads other formats */
    char *s;
    size_t digits; /* number of digits of the first number */
    int is_spoilt;
    struct values got, wanted;
};

/* Formats for the arguments z, q and f, in this order.  Formats with %n have a count behind each of
 * the first two numbers. */
static const struct {
    const char *format;
    int is_plain;
} formats[] = {
    {"%Zd%n %Qd%n", 1},   {" %Zu , %Qd%n", 1},  {"a%Zd/%Qu", 1},     {"%Zd%Qd", 1},
    {"%Zd %Qd %Ff", 0},   {"%Zd%n%Qd%n%Fe", 0}, {"%9Zd%n %Qd%n", 0}, {"%Zi%n %Qd%n", 0},
    {"%Zd%n,%Qd%n%%", 0}, {"%Zd%n%Qx%n", 0},    {"\xe9%Zd%Qd", 0},   {"%Zd%Qd\xff", 0},
};

static size_t add_number(struct run *run, char *s, char type) {
    static const char *const fronts[] = {"", "", "", "-", "+", " ", "\n -", "0", "0x", "--"};
    size_t at = 0, n = 1 + (run_below(run, run->most * 16) >> run_below(run, 8));
    unsigned char *sp = run_room(n);
    n = run_digits(run, sp, n, 10);
    strcpy(s, fronts[run_below(run, 10)]);
    at = strlen(s);
    size_t point = type == 'F' ? run_below(run, 2 * n) : n;
    for (size_t i = 0; i < n; i++) {
        if (i == point)
            s[at++] = '.';
        s[at++] = (char)('0' + sp[i]);
    }
    free(sp);
    if (type == 'F' && run_below(run, 2))
        at += (size_t)sprintf(s + at, "%s%d", run_below(run, 2) ? "e" : "E-",
                              (int)run_below(run, 200));
    if (type == 'Q' && run_below(run, 2)) {
        s[at++] = '/';
        return at + add_number(run, s + at, 'Z');
    }
    s[at] = 0;
    return at;
}

static size_t digits_at(const char *s) {
    s += strspn(s, "a +-\n");
    return strspn(s, "0123456789");
}

static void make_text(struct run *run, struct scan *t) {
    static const char *const between[] = {" ", "\n\t", ",", " , ", "", "/", "%", " a"};
    static const char types[] = "ZQF";
    size_t at = 0;
    t->s = run_room(run->most * 16 * 5 + 500);
    if (*t->format != '%' && *t->format != ' ')
        t->s[at++] = *t->format;
    for (int i = 0; i < NUMBERS; i++) {
        at += add_number(run, t->s + at, types[i]);
        strcpy(t->s + at, between[run_below(run, run_below(run, 2) ? 2 : 8)]);
        at += strlen(t->s + at);
    }
    t->is_spoilt = run_below(run, 4) == 0;
    if (t->is_spoilt)
        t->s[run_below(run, at)] = "x.e-+ /\0,"[run_below(run, 9)];
    if (!*t->s) /* fmemopen rejects an empty text */
        strcpy(t->s, " ");
    t->digits = digits_at(t->s);
}

static void values_init(struct run *run, struct values *v, int is_reference) {
    void (*init)(mpz_ptr x) = is_reference ? run->reference->mpz_init_ : mpz_init;
    init(v->z);
    init(mpq_numref(v->q));
    init(mpq_denref(v->q));
    mpf_init2(v->f, (1 + run->most / 2) * GMP_NUMB_BITS);
    v->n[0] = v->n[1] = -1;
}

static void values_clear(struct run *run, struct values *v, int is_reference) {
    void (*clear)(mpz_ptr x) = is_reference ? run->reference->mpz_clear_ : mpz_clear;
    clear(v->z);
    clear(mpq_numref(v->q));
    clear(mpq_denref(v->q));
    mpf_clear(v->f);
}

static int same_values(const struct values *a, const struct values *b) {
    return same_mpz(a->z, b->z) && same_mpz(mpq_numref(a->q), mpq_numref(b->q)) &&
           same_mpz(mpq_denref(a->q), mpq_denref(b->q)) && a->n[0] == b->n[0] &&
           a->n[1] == b->n[1] && a->f->_mp_size == b->f->_mp_size &&
           a->f->_mp_exp == b->f->_mp_exp &&
           same_limbs(a->f->_mp_d, b->f->_mp_d, (size_t)abs(a->f->_mp_size));
}

/* Scans from the stream, or from the text if the stream is NULL. */
static int scan_list(const struct reference *f, FILE *stream, const char *s, const char *format,
                     ...) {
    va_list list;
    va_start(list, format);
    int result = stream ? f->gmp_vfscanf(stream, format, list) : f->gmp_vsscanf(s, format, list);
    va_end(list);
    return result;
}

static int standard_list(const char *format, ...) {
    va_list list;
    va_start(list, format);
    int result = gmp_vscanf(format, list);
    va_end(list);
    return result;
}

/* Returns true if the format has counts of characters behind the first two numbers. */
static int counts_of(const char *format) {
    return strstr(format, "%n") != NULL;
}

#define WITH_COUNTS(v) (v)->z, &(v)->n[0], (v)->q, &(v)->n[1], (v)->f
#define WITHOUT_COUNTS(v) (v)->z, (v)->q, (v)->f
#define SCAN(function, t, v, ...)                                                                  \
    (counts_of((t)->format) ? function(__VA_ARGS__(t)->format, WITH_COUNTS(v))                     \
                            : function(__VA_ARGS__(t)->format, WITHOUT_COUNTS(v)))

static void scan_make(struct run *run, struct scan *t) {
    size_t i = run_below(run, sizeof formats / sizeof *formats);
    t->format = formats[i].format;
    /* adds a second %n to this format, because SCAN passes either no counts of characters or two */
    if (strcmp(t->format, " %Zu , %Qd%n") == 0)
        t->format = " %Zu%n , %Qd%n";
    t->is_plain = formats[i].is_plain;
    make_text(run, t);
    values_init(run, &t->got, 0);
    values_init(run, &t->wanted, 1);
}

static int scan_check(struct run *run, struct scan *t, const char *how, int result, int right) {
    int good = result == right && same_values(&t->got, &t->wanted);
    run->eligible += t->is_plain && !t->is_spoilt && right >= 1 && t->digits >= LEAST_DIGITS;
    if (!good)
        fprintf(stderr, "differential: %s, %s: returned %d, GMP %d, counts %d %d, %d %d: %.300s\n",
                how, t->format, result, right, t->got.n[0], t->got.n[1], t->wanted.n[0],
                t->wanted.n[1], t->s);
    values_clear(run, &t->got, 0);
    values_clear(run, &t->wanted, 1);
    free(t->s);
    return good;
}

static int run_string(struct run *run, const void *how) {
    struct scan t;
    scan_make(run, &t);
    int right = SCAN(scan_list, &t, &t.wanted, run->reference, NULL, t.s, );
    int result = strcmp(how, "gmp_sscanf") == 0
                     ? SCAN(gmp_sscanf, &t, &t.got, t.s, )
                     : SCAN(scan_list, &t, &t.got, &intercepted, NULL, t.s, );
    return scan_check(run, &t, how, result, right);
}

/* Returns true if the unread bytes of both streams are the same. */
static int same_rest(struct run *run, FILE *ours, FILE *theirs) {
    int c, right;
    do {
        c = getc(ours);
        right = run->reference->getc_(theirs);
    } while (c == right && c != EOF);
    fclose(ours);
    run->reference->fclose_(theirs);
    return c == right;
}

static int scan_standard(const char *how, struct scan *t, FILE *stream) {
    static int busy;
    while (__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE)) {
    }
    FILE *before = stdin;
    stdin = stream;
    int result = strcmp(how, "gmp_scanf") == 0 ? SCAN(gmp_scanf, t, &t->got, )
                                               : SCAN(standard_list, t, &t->got, );
    stdin = before;
    __atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
    return result;
}

static int run_stream(struct run *run, const void *how) {
    struct scan t;
    scan_make(run, &t);
    FILE *ours = fmemopen(t.s, strlen(t.s), "r"),
         *theirs = run->reference->fmemopen_(t.s, strlen(t.s), "r");
    int right = SCAN(scan_list, &t, &t.wanted, run->reference, theirs, NULL, ), result;
    if (strcmp(how, "gmp_fscanf") == 0)
        result = SCAN(gmp_fscanf, &t, &t.got, ours, );
    else if (strcmp(how, "gmp_vfscanf") == 0)
        result = SCAN(scan_list, &t, &t.got, &intercepted, ours, NULL, );
    else
        result = scan_standard(how, &t, ours);
    int good = same_rest(run, ours, theirs);
    return scan_check(run, &t, how, result, right) && good;
}

const struct differential_case differential_scanf[] = {
    {"gmp_scanf", run_stream, "gmp_scanf"},
    {"gmp_vscanf", run_stream, "gmp_vscanf"},
    {"gmp_fscanf", run_stream, "gmp_fscanf"},
    {"gmp_vfscanf", run_stream, "gmp_vfscanf"},
    {"gmp_sscanf", run_string, "gmp_sscanf"},
    {"gmp_vsscanf", run_string, "gmp_vsscanf"},
    {NULL, NULL, NULL},
};
