/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Reads moduli: reads the whole file at once, then parses its lines in several threads. */
#include "examples/batch-gcd/moduli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "examples/batch-gcd/util.h"

enum { FIRST_BYTES = 1 << 20, SHOWN = 40 };

struct line {
    char *text;
    size_t number;
    bool has_zero, is_good;
};

struct reading {
    struct line *line;
    mpz_t *n;
    bool is_hexadecimal;
};

/* Reads the whole file into memory and appends a zero byte. Sets *size to the size without this
 * byte. */
static char *read_all(FILE *in, const char *path, size_t *size) {
    size_t room = FIRST_BYTES, got;
    char *text = util_alloc(room + 1, 1);
    *size = 0;
    while ((got = fread(text + *size, 1, room - *size, in)) > 0) {
        *size += got;
        if (*size < room)
            continue;
        char *more = realloc(text, 2 * room + 1);
        if (!more)
            util_die(path, "memory is exhausted");
        text = more;
        room *= 2;
    }
    if (ferror(in))
        util_die(path, strerror(errno));
    text[*size] = '\0';
    return text;
}

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

/* Finds the lines that are neither empty nor comments. Removes space around them and ends each
 * with a zero byte. Returns their count. */
static size_t split(char *text, size_t size, struct line *line) {
    size_t count = 0, number = 0;
    for (char *p = text, *next; p < text + size; p = next) {
        char *end = memchr(p, '\n', (size_t)(text + size - p));
        end = end ? end : text + size;
        next = end + 1;
        number++;
        while (p < end && is_space(*p))
            p++;
        while (p < end && is_space(end[-1]))
            end--;
        if (p == end || *p == '#')
            continue;
        bool has_zero = memchr(p, 0, (size_t)(end - p)) != NULL;
        *end = '\0';
        line[count++] = (struct line){p, number, has_zero, false};
    }
    return count;
}

static size_t count_lines(const char *text, size_t size) {
    size_t count = 1;
    for (const char *p = text; (p = memchr(p, '\n', (size_t)(text + size - p))); p++)
        count++;
    return count;
}

static const char decimal[] = "0123456789", hexadecimal[] = "0123456789abcdefABCDEF";

/* Parses a modulus. Checks the characters first, because mpz_set_str also accepts signs and
 * spaces between digits. */
static bool parse(mpz_ptr n, const char *text, bool is_hexadecimal) {
    size_t length = strlen(text);
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        text += 2;
        length -= 2;
        is_hexadecimal = true;
    }
    is_hexadecimal |= strspn(text, decimal) < length;
    return length > 0 && (!is_hexadecimal || strspn(text, hexadecimal) == length) &&
           mpz_set_str(n, text, is_hexadecimal ? 16 : 10) == 0 && mpz_cmp_ui(n, 1) > 0;
}

static void parse_line(void *reading, size_t i) {
    struct reading *r = reading;
    mpz_init(r->n[i]);
    struct line *line = &r->line[i];
    line->is_good = !line->has_zero && parse(r->n[i], line->text, r->is_hexadecimal);
}

/* Prints a warning with the beginning of a skipped line. Control characters are shown as '?'. */
static void warn(const struct line *line) {
    char shown[SHOWN + 1] = "";
    size_t length = strlen(line->text);
    for (size_t i = 0; i < SHOWN && i < length; i++)
        shown[i] = line->text[i] >= ' ' && line->text[i] <= '~' ? line->text[i] : '?';
    fprintf(stderr, "batch-gcd: line %zu is no number above 1, skipped: '%s'%s\n", line->number,
            shown, length > SHOWN ? "..." : "");
}

/* Separates the parsed moduli from the numbers of bad lines; both keep the order of the file. */
static struct moduli sort_out(struct reading *r, size_t count) {
    struct moduli m = {.n = r->n};
    m.line = util_alloc(count, sizeof *m.line);
    m.bad = util_alloc(count, sizeof *m.bad);
    for (size_t i = 0; i < count; i++) {
        size_t number = r->line[i].number;
        if (r->line[i].is_good) {
            *m.n[m.count] = *r->n[i];
            m.line[m.count++] = number;
            continue;
        }
        mpz_clear(r->n[i]);
        warn(&r->line[i]);
        m.bad[m.bad_count++] = number;
    }
    return m;
}

struct moduli moduli_read(const char *path, bool is_hexadecimal) {
    FILE *in = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
    size_t size;
    if (!in)
        util_die(path, strerror(errno));
    char *text = read_all(in, path, &size);
    size_t most = count_lines(text, size);
    struct reading r = {.is_hexadecimal = is_hexadecimal};
    r.line = util_alloc(most, sizeof *r.line);
    size_t count = split(text, size, r.line);
    r.n = util_alloc(count, sizeof *r.n);
    util_parallel_for(parse_line, &r, count);
    struct moduli m = sort_out(&r, count);
    free(r.line);
    free(text);
    if (in != stdin)
        fclose(in);
    return m;
}

void moduli_free(struct moduli *m) {
    util_free_numbers(m->n, m->count);
    free(m->line);
    free(m->bad);
}
