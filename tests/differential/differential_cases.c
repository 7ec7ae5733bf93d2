/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The list of all tables of cases, and functions that search it. */
#include <stdio.h>
#include <string.h>

#include "tests/differential/differential.h"

const struct differential_case *const differential_tables[] = {
    differential_divide,   differential_memory,    differential_mpn,
    differential_ring,     differential_mpz,       differential_power,
    differential_powm,     differential_fac,       differential_fib,
    differential_gcd,      differential_gcd_limbs, differential_divisible,
    differential_perfect,  differential_prime,     differential_get_str,
    differential_root,     differential_set_str,   differential_sqrt,
    differential_mpq,      differential_mpf,       differential_mpf_text,
    differential_mpq_text, differential_input,     differential_float,
    differential_printf,   differential_scanf,     NULL,
};

/* Returns true if the function is in a list such as "mpz_mul,mpz_add", or if the list is NULL. */
static int is_listed(const char *list, const char *function) {
    size_t length = strlen(function);
    while (list && *list) {
        size_t n = strcspn(list, ",");
        if (n == length && memcmp(list, function, n) == 0)
            return 1;
        list += n + (list[n] == ',');
    }
    return list == NULL;
}

/* Returns case number `skip` of the listed functions; NULL if there are fewer. */
static const struct differential_case *find(const char *function, size_t skip) {
    for (int i = 0; differential_tables[i]; i++) {
        const struct differential_case *c = differential_tables[i];
        for (; c->function; c++) {
            if (is_listed(function, c->function) && skip-- == 0)
                return c;
        }
    }
    return NULL;
}

size_t differential_count(const char *function, int print) {
    size_t count = 0;
    for (const struct differential_case *c; (c = find(function, count)) != NULL; count++) {
        if (print)
            puts(c->function);
    }
    return count;
}

int differential_run(struct run *run, const char *function) {
    size_t count = differential_count(function, 0);
    run->reference->ctype_init();
    const struct differential_case *c = find(function, run_below(run, count));
    return c->run(run, c->how);
}
