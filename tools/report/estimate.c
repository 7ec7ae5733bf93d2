/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Estimates what a program would take on a device, from the calls that GMP computed here.  Each
 * call would take the table's time for its operation and size, or GMP's time if that is less.  Time
 * outside of calls stays as it is here, or is scaled by GMP's speed on the table's machine.  The
 * device computes the calls of several threads one after another. */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "tools/report/report.h"
#include "tools/report/times.h"
#include "tools/run/say.h"

/* Sums over calls, in seconds. gmp: measured here. here, there: the estimates with a device. GMP's
 * calls run as fast as here, or as fast as on the table's machine. */
struct estimate {
    double gmp, here, there;
    uint64_t calls, unknown; /* unknown: calls without a time in the table */
};

/* Substitutes for an operation that a table lacks: a similar operation at a part of the size. */
static const struct {
    enum profile_threshold kind, like;
    double part;
} alike[] = {{PROFILE_sqr, PROFILE_mul, 1},
             {PROFILE_mulmod, PROFILE_mul, 0.5},
             {PROFILE_pow, PROFILE_fib, 1}};

static double least(double a, double b) {
    return a < b ? a : b;
}

static double known_ns(const struct times *t, enum profile_threshold kind, enum times_side side,
                       double limbs) {
    double ns = times_ns(t, kind, side, limbs);
    for (size_t i = 0; ns == 0 && i < sizeof alike / sizeof *alike; i++)
        if (alike[i].kind == kind)
            ns = times_ns(t, alike[i].like, side, limbs * alike[i].part);
    return ns;
}

/* Returns the size at which the table is read for a row's mean call: the size of equally long
 * operands with the same total number of limbs. */
static double size_of(const struct report_row *row) {
    const double calls = (double)stats_calls(&row->row), size = (double)row->sizes / calls;
    const double limbs = (double)row->row.limbs / calls;
    switch (row->kind) {
    case PROFILE_mul:
    case PROFILE_gcd:
        return limbs / 2 > size ? limbs / 2 : size;
    case PROFILE_div: /* the table has the times of quotients of 2n by n limbs */
        return limbs / 3 > size ? limbs / 3 : size;
    default:
        return size;
    }
}

/* Returns true if the row's function belongs to mpgpu.h: tables have times of GMP's functions
 * only. */
static bool is_of_library(const struct report_row *row) {
    return strncmp(row->function, "mpgpu_", 6) == 0;
}

static double gmp_seconds(const struct report_row *row) {
    return 1e-9 * (double)report_time(&row->row);
}

/* Returns GMP's time here divided by GMP's time on the table's machine.  Ignores modular powers,
 * because the table has another exponent. */
static double machine(const struct report *r, const struct times *t) {
    double here = 0, there = 0;
    for (size_t i = 0; i < r->rows; i++) {
        const struct report_row *row = &r->row[i];
        double ns = row->kind == PROFILE_powm || is_of_library(row)
                        ? 0
                        : known_ns(t, row->kind, TIMES_GMP, size_of(row));
        here += ns > 0 ? gmp_seconds(row) : 0;
        there += 1e-9 * ns * (double)stats_calls(&row->row);
    }
    return there > 0 && here > 0 ? here / there : 1;
}

/* Returns the seconds of a row's calls on the device; 0 if the table lacks the operation.  A
 * modular power takes about the time of a division for what depends on the modulus. The rest of its
 * time is proportional to the bits of the exponent, as GMP's time is. */
static double device_seconds(const struct report_row *row, const struct times *t, double factor) {
    const double calls = (double)stats_calls(&row->row), limbs = size_of(row);
    if (is_of_library(row))
        return 0;
    double seconds = 1e-9 * known_ns(t, row->kind, TIMES_DEVICE, limbs) * calls;
    double gmp = 1e-9 * factor * calls * known_ns(t, row->kind, TIMES_GMP, limbs);
    if (row->kind == PROFILE_powm && gmp > 0) {
        double fixed = least(1e-9 * known_ns(t, PROFILE_div, TIMES_DEVICE, limbs) * calls, seconds);
        seconds = fixed + (seconds - fixed) * gmp_seconds(row) / gmp;
    }
    return seconds;
}

static struct estimate estimate_row(const struct report_row *row, const struct times *t,
                                    double factor) {
    struct estimate e = {.gmp = gmp_seconds(row), .calls = stats_calls(&row->row)};
    const double device = device_seconds(row, t, factor), fresh = 1e-9 * (double)row->row.fresh;
    e.unknown = device > 0 ? 0 : e.calls;
    e.here = device > 0 ? least(device + fresh, e.gmp) : e.gmp;
    e.there = device > 0 ? least(device + fresh / factor, e.gmp / factor) : e.gmp / factor;
    return e;
}

static void add(struct estimate *sum, const struct estimate *e) {
    sum->gmp += e->gmp;
    sum->here += e->here;
    sum->there += e->there;
    sum->calls += e->calls;
    sum->unknown += e->unknown;
}

/* Prints a line for the function of row `first`, over all its rows.  Returns the sum.  Returns an
 * empty sum if an earlier row has the same function. */
static struct estimate function_line(const struct report *r, size_t first, const struct times *t,
                                     double factor) {
    struct estimate sum = {0};
    const char *name = r->row[first].function;
    for (size_t i = 0; i < first; i++)
        if (strcmp(r->row[i].function, name) == 0)
            return sum;
    for (size_t i = first; i < r->rows; i++) {
        if (strcmp(r->row[i].function, name) != 0)
            continue;
        struct estimate e = estimate_row(&r->row[i], t, factor);
        add(&sum, &e);
    }
    run_say("%9" PRIu64 " %9.3f %9.3f  %s%s", sum.calls, sum.gmp, sum.here, name,
            sum.unknown ? " (without a time in the table: as here)" : "");
    return sum;
}

/* Returns the seconds during which at least one thread was in a call, limited to the program's
 * time. */
static double busy_seconds(const struct report *r) {
    double busy = 0;
    for (size_t i = 0; i < r->processes; i++) {
        const struct report_process *p = &r->process[i];
        uint64_t time = report_time(&p->sum);
        busy += 1e-9 * (double)(p->busy < time ? p->busy : time);
    }
    return busy < r->seconds ? busy : r->seconds;
}

/* Prints the totals.  Calls of several threads overlap: all calls together count at most the time
 * during which at least one thread was in a call. */
static void print_sum(const struct report *r, const struct estimate *sum, double factor) {
    const double busy = busy_seconds(r), others = r->seconds - busy;
    const double here = others + least(sum->here, busy);
    const double there = others / factor + least(sum->there, busy / factor);
    run_say("here: %.3f s, %.3f s of it in %" PRIu64 " such calls, %.3f s outside of them",
            r->seconds, busy, sum->calls, others);
    run_say("estimate: %.3f s with the device and this machine's processor, %.1f times as fast",
            here, r->seconds / here);
    run_say("estimate: %.3f s on the table's machine, whose GMP takes 1/%.2f of the time here",
            there, factor);
}

void estimate_text(const struct report *r, const struct times *t) {
    struct estimate sum = {0};
    run_say("estimate of %s, for %s, which is open and idle", r->command, t->device);
    if (!r->rows) {
        run_say("estimate: none: no call of GMP was at or above the thresholds, so a device would "
                "not change the %.3f s",
                r->seconds);
        return;
    }
    const double factor = machine(r, t);
    run_say("    calls      here  estimate  function; seconds");
    for (size_t i = 0; i < r->rows; i++) {
        struct estimate e = function_line(r, i, t, factor);
        add(&sum, &e);
    }
    print_sum(r, &sum, factor);
}
