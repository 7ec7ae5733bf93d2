/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Reads tables of times: CSV files of `mpgpu-bench threads --threads 1`. */
#include "config.h"

#include "tools/report/times.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report/built_in.h"
#include "tools/report/report.h"
#include "tools/run/say.h"

enum { COLUMNS = 32, WORD = 128, LIMB_BITS = 64 };

const char *const times_names[PROFILE_THRESHOLDS] = {
#define THRESHOLD(name, kind, of, initial, what) #name,
#include "lib/base/profile.def"
#undef THRESHOLD
};

/* ---- lines */

enum column { OPERATION, BITS, CANDIDATE, UNIT, MEDIAN, DEVICE, NEEDED };
static const char *const column_names[NEEDED] = {"operation", "bits",   "candidate",
                                                 "unit",      "median", "device"};

struct reader {
    const char *name; /* the file's name, for messages */
    int line;
    int at[NEEDED]; /* the positions of the columns, from 1; 0: the table lacks the column */
    int columns;
    struct times *times;
};

static int complain(const struct reader *r, const char *what, const char *value) {
    run_say("--estimate: %s, line %d: %s '%s'", r->name, r->line, what, value);
    return false;
}

/* Splits a line at its commas, except within quotation marks.  Returns the number of words. */
static int split(char *line, char *word[COLUMNS]) {
    int count = 0;
    bool is_quoted = false;
    char *to = line;
    word[count++] = to;
    for (const char *c = line; *c && *c != '\n' && *c != '\r'; c++) {
        if (*c == '"') {
            is_quoted = !is_quoted;
        } else if (*c == ',' && !is_quoted && count < COLUMNS) {
            *to++ = '\0';
            word[count++] = to;
        } else {
            *to++ = *c;
        }
    }
    *to = '\0';
    return count;
}

static bool read_head(struct reader *r, char *const *word, int words) {
    for (int column = 0; column < NEEDED; column++)
        for (int i = 0; i < words; i++)
            if (strcmp(word[i], column_names[column]) == 0)
                r->at[column] = i + 1;
    for (int column = 0; column < DEVICE; column++)
        if (!r->at[column])
            return complain(r, "no column", column_names[column]);
    r->columns = words;
    return true;
}

static bool read_number(const struct reader *r, const char *text, double *value) {
    char *end;
    *value = strtod(text, &end);
    if (end == text || *end || !isfinite(*value))
        return complain(r, "no number:", text);
    return true;
}

static bool find_kind(const char *name, enum profile_threshold *kind) {
    for (int i = 0; i < PROFILE_THRESHOLDS; i++)
        if (strcmp(times_names[i], name) == 0) {
            *kind = (enum profile_threshold)i;
            return true;
        }
    return false;
}

static bool find_side(const char *candidate, enum times_side *side) {
    *side = strcmp(candidate, "gmp-threads-1") == 0 ? TIMES_GMP : TIMES_DEVICE;
    return *side == TIMES_GMP || strcmp(candidate, "threads-1") == 0;
}

static const char *word_of(const struct reader *r, char *const *word, int words, int column) {
    int at = r->at[column];
    return at && at <= words ? word[at - 1] : "";
}

static bool add_point(struct reader *r, struct times_point point) {
    struct times *t = r->times;
    struct times_point *more = realloc(t->point, (t->points + 1) * sizeof *more);
    if (!more)
        return complain(r, "no memory for", r->name);
    t->point = more;
    t->point[t->points++] = point;
    return true;
}

/* Adds a row of the CSV file to the table.  Ignores candidates other than the device and GMP,
 * operands of two sizes, such as mul/4, and negative figures, which could not be measured. */
static bool read_row(struct reader *r, char *const *word, int words) {
    const char *operation = word_of(r, word, words, OPERATION);
    struct times_point point;
    double bits, rate;
    if (!find_side(word_of(r, word, words, CANDIDATE), &point.side) || strchr(operation, '/'))
        return true;
    if (!find_kind(operation, &point.kind))
        return complain(r, "unknown operation", operation);
    if (strcmp(word_of(r, word, words, UNIT), "per second") != 0)
        return complain(r, "not per second:", word_of(r, word, words, UNIT));
    if (!read_number(r, word_of(r, word, words, BITS), &bits) ||
        !read_number(r, word_of(r, word, words, MEDIAN), &rate))
        return false;
    if (bits < 1)
        return complain(r, "no number of bits:", word_of(r, word, words, BITS));
    if (rate <= 0)
        return true;
    if (point.side == TIMES_DEVICE)
        snprintf(r->times->device, sizeof r->times->device, "%s", word_of(r, word, words, DEVICE));
    point.limbs = bits / LIMB_BITS;
    point.ns = 1e9 / rate;
    return add_point(r, point);
}

static bool read_line(struct reader *r, char *line) {
    char *word[COLUMNS];
    r->line++;
    if (*line == '#' || *line == '\n' || !*line)
        return true;
    int words = split(line, word);
    if (r->columns && words != r->columns)
        return complain(r, "not as many columns as in the first line, after", word[words - 1]);
    return r->at[OPERATION] ? read_row(r, word, words) : read_head(r, word, words);
}

static bool read_file(struct reader *r, FILE *file) {
    char line[4096];
    bool is_good = true;
    while (is_good && fgets(line, sizeof line, file)) {
        if (!strchr(line, '\n') && !feof(file))
            return complain(r, "a line is too long or has a zero byte, after", r->name);
        is_good = read_line(r, line);
    }
    if (is_good && ferror(file))
        return complain(r, "not readable:", strerror(errno));
    return is_good;
}

/* ---- tables */

static int by_size(const void *a, const void *b) {
    const struct times_point *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->side != y->side)
        return x->side < y->side ? -1 : 1;
    return (x->limbs > y->limbs) - (x->limbs < y->limbs);
}

static FILE *open_named(const char *name) {
    if (strcmp(name, "h200") == 0 || strcmp(name, "h100") == 0)
        return fmemopen((void *)times_built_in, strlen(times_built_in), "r");
    return fopen(name, "r");
}

static bool has_device(const struct times *t) {
    for (size_t i = 0; i < t->points; i++)
        if (t->point[i].side == TIMES_DEVICE)
            return true;
    return false;
}

struct times *times_open(const char *name) {
    FILE *file = open_named(name);
    if (!file) {
        run_say("--estimate: '%s': %s; it takes h100, h200, or a file of mpgpu-bench threads", name,
                strerror(errno));
        return NULL;
    }
    struct times *t = calloc(1, sizeof *t);
    struct reader reader = {.name = name, .times = t};
    if (!t)
        run_say("--estimate: no memory for '%s'", name);
    bool is_good = t && read_file(&reader, file);
    fclose(file);
    if (is_good && !has_device(t)) {
        run_say("--estimate: '%s' has no row of mpgpu-bench threads --threads 1", name);
        is_good = false;
    }
    if (!is_good) {
        times_free(t);
        return NULL;
    }
    qsort(t->point, t->points, sizeof *t->point, by_size);
    return t;
}

void times_free(struct times *t) {
    if (t)
        free(t->point);
    free(t);
}

/* ---- times */

/* Interpolates the time at a size between two points, as if the time were proportional to a power
 * of the size. */
static double through(const struct times_point *a, const struct times_point *b, double limbs) {
    double exponent = log(b->ns / a->ns) / log(b->limbs / a->limbs);
    if (limbs < a->limbs || limbs > b->limbs)
        exponent = exponent < 0 ? 0 : exponent > 1.3 ? 1.3 : exponent;
    const struct times_point *from = limbs > b->limbs ? b : a;
    return from->ns * pow(limbs / from->limbs, exponent);
}

double times_ns(const struct times *t, enum profile_threshold kind, enum times_side side,
                double limbs) {
    const struct times_point *first = NULL, *low = NULL, *high = NULL;
    for (size_t i = 0; i < t->points; i++) {
        const struct times_point *p = &t->point[i];
        if (p->kind != kind || p->side != side || (high && p->limbs == high->limbs))
            continue;
        first = first ? first : p;
        low = high;
        high = p;
        if (low && p->limbs >= limbs)
            break;
    }
    if (!first)
        return 0;
    return low ? through(low, high, limbs) : first->ns;
}
