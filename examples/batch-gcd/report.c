/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Prints the result, a line for each modulus found. */
#include "examples/batch-gcd/report.h"

static bool has_factor(const struct moduli *m, const struct found *f) {
    return mpz_cmp(f->factor, m->n[f->i]) != 0;
}

/* Sets p and q to the two factors of a modulus, the smaller one in p. */
static void order(const struct moduli *m, const struct found *f, mpz_ptr p, mpz_ptr q) {
    mpz_set(p, f->factor);
    mpz_divexact(q, m->n[f->i], p);
    if (mpz_cmp(p, q) > 0)
        mpz_swap(p, q);
}

int report_text(FILE *out, const struct moduli *m, const struct found *f, size_t count) {
    mpz_t p, q;
    mpz_inits(p, q, NULL);
    for (size_t k = 0; k < count; k++) {
        size_t line = m->line[f[k].i];
        order(m, &f[k], p, q);
        if (has_factor(m, &f[k]))
            gmp_fprintf(out, "line %zu: %#Zx %#Zx\n", line, p, q);
        else if (f[k].same_as != f[k].i)
            fprintf(out, "line %zu: the same as line %zu\n", line, m->line[f[k].same_as]);
        else
            fprintf(out, "line %zu: divides another\n", line);
    }
    mpz_clears(p, q, NULL);
    fprintf(out, "%zu of %zu moduli have factors in common\n", count, m->count);
    return fflush(out) != 0 || ferror(out);
}

static void found_json(FILE *out, const struct moduli *m, const struct found *f, mpz_ptr p,
                       mpz_ptr q) {
    gmp_fprintf(out, "{\"line\": %zu, \"modulus\": \"%#Zx\"", m->line[f->i], m->n[f->i]);
    order(m, f, p, q);
    if (has_factor(m, f))
        gmp_fprintf(out, ", \"factors\": [\"%#Zx\", \"%#Zx\"]", p, q);
    if (f->same_as != f->i)
        fprintf(out, ", \"same_as\": %zu", m->line[f->same_as]);
    fputs("}", out);
}

int report_json(FILE *out, const struct moduli *m, const struct found *f, size_t count) {
    mpz_t p, q;
    mpz_inits(p, q, NULL);
    fprintf(out, "{\"moduli\": %zu, \"bad_lines\": [", m->count);
    for (size_t k = 0; k < m->bad_count; k++)
        fprintf(out, "%s%zu", k ? ", " : "", m->bad[k]);
    fputs("], \"found\": [", out);
    for (size_t k = 0; k < count; k++) {
        fputs(k ? ",\n" : "\n", out);
        found_json(out, m, &f[k], p, q);
    }
    fputs("]}\n", out);
    mpz_clears(p, q, NULL);
    return fflush(out) != 0 || ferror(out);
}
