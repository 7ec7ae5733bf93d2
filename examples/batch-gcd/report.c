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

/* ---- text */

/* Returns true if the report's line already names this partner by the text "the same as". */
static bool is_named(const struct moduli *m, const struct found *f, const struct partner *p) {
    return !has_factor(m, f) && (p->is_in_set ? p->number == f->same_in_set
                                              : !f->same_in_set && p->number == f->same_as);
}

static void partners_text(FILE *out, const struct moduli *m, const struct found *f) {
    const char *before = " with";
    for (size_t j = 0; j < f->partners; j++) {
        const struct partner *p = &f->partner[j];
        if (is_named(m, f, p))
            continue;
        fprintf(out, "%s %s %zu", before, p->is_in_set ? "set" : "line",
                p->is_in_set ? p->number : m->line[p->number]);
        before = ",";
    }
}

static void found_text(FILE *out, const struct moduli *m, const struct found *f, mpz_ptr p,
                       mpz_ptr q) {
    fprintf(out, "line %zu: ", m->line[f->i]);
    order(m, f, p, q);
    if (has_factor(m, f))
        gmp_fprintf(out, "%#Zx %#Zx", p, q);
    else if (f->same_in_set > 0)
        fprintf(out, "the same as set %zu", f->same_in_set);
    else if (f->same_as != f->i)
        fprintf(out, "the same as line %zu", m->line[f->same_as]);
    else
        fputs("divides another", out);
    partners_text(out, m, f);
    fputs("\n", out);
}

int report_text(FILE *out, const struct report *r) {
    mpz_t p, q;
    mpz_inits(p, q, NULL);
    for (size_t k = 0; k < r->count; k++)
        found_text(out, r->m, &r->found[k], p, q);
    mpz_clears(p, q, NULL);
    fprintf(out, "%zu of %zu moduli have factors in common", r->count, r->m->count);
    if (r->set)
        fprintf(out, ", with each other or with %zu of %s", r->set->count, r->set->path);
    fputs("\n", out);
    return fflush(out) != 0 || ferror(out);
}

/* ---- JSON */

static void partners_json(FILE *out, const struct moduli *m, const struct found *f) {
    fputs(", \"partners\": [", out);
    for (size_t j = 0; j < f->partners; j++) {
        const struct partner *p = &f->partner[j];
        gmp_fprintf(out, "%s{\"%s\": %zu, \"modulus\": \"%#Zx\"}", j ? ", " : "",
                    p->is_in_set ? "set" : "line", p->is_in_set ? p->number : m->line[p->number],
                    p->n);
    }
    fputs("]", out);
}

static void found_json(FILE *out, const struct report *r, const struct found *f, mpz_ptr p,
                       mpz_ptr q) {
    const struct moduli *m = r->m;
    gmp_fprintf(out, "{\"line\": %zu, \"modulus\": \"%#Zx\"", m->line[f->i], m->n[f->i]);
    order(m, f, p, q);
    if (has_factor(m, f))
        gmp_fprintf(out, ", \"factors\": [\"%#Zx\", \"%#Zx\"]", p, q);
    if (f->same_as != f->i)
        fprintf(out, ", \"same_as\": %zu", m->line[f->same_as]);
    if (f->same_in_set > 0)
        fprintf(out, ", \"same_in_set\": %zu", f->same_in_set);
    if (r->set)
        partners_json(out, m, f);
    fputs("}", out);
}

int report_json(FILE *out, const struct report *r) {
    const struct moduli *m = r->m;
    mpz_t p, q;
    mpz_inits(p, q, NULL);
    fprintf(out, "{\"moduli\": %zu, ", m->count);
    if (r->set)
        fprintf(out, "\"set\": %zu, \"new\": %zu, ", r->set->count, r->fresh);
    fputs("\"bad_lines\": [", out);
    for (size_t k = 0; k < m->bad_count; k++)
        fprintf(out, "%s%zu", k ? ", " : "", m->bad[k]);
    fputs("], \"found\": [", out);
    for (size_t k = 0; k < r->count; k++) {
        fputs(k ? ",\n" : "\n", out);
        found_json(out, r, &r->found[k], p, q);
    }
    fputs("]}\n", out);
    mpz_clears(p, q, NULL);
    return fflush(out) != 0 || ferror(out);
}
