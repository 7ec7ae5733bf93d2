/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Reads the files of a profile, and describes the places of calls. */
#include "config.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report/report.h"
#include "tools/run/elf.h"
#include "tools/run/say.h"

uint64_t report_time(const struct stats_row *row) {
    return row->device + row->gmp;
}

/* Enlarges an array by one element.  Returns the new element, all zeros, or NULL without memory. */
static void *append(void *array, size_t *count, size_t size) {
    char **elements = array;
    if ((*count & (*count - 1)) == 0) {
        char *more = realloc(*elements, size * (*count ? 2 * *count : 1));
        if (!more)
            return NULL;
        *elements = more;
    }
    return memset(*elements + size * (*count)++, 0, size);
}

/* ---- places */

static const char *name_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const struct sites_module *module_of(const struct sites_file *f, uint64_t address) {
    for (int i = 0; i < SITES_MODULES; i++) {
        const struct sites_module *m = &f->module[i];
        if (m->state == SITES_READY && address - m->from < m->to - m->from)
            return m;
    }
    return NULL;
}

/* An address with its readable description.  Descriptions are cached, because addr2line takes long,
 * and processes share addresses. */
struct described {
    char path[SITES_TEXT], function[SITES_TEXT], text[2 * SITES_TEXT + 8];
    uint64_t at;
};
static struct described *described;
static size_t described_count;

static const struct described *find_described(const char *path, uint64_t at) {
    for (size_t i = 0; i < described_count; i++)
        if (described[i].at == at && strcmp(described[i].path, path) == 0)
            return &described[i];
    return NULL;
}

static void set_text(struct described *d) {
    char line[SITES_TEXT];
    const char *gap = *d->function ? " " : "";
    symbols_line(d->path, d->at, line, sizeof line);
    if (*line)
        snprintf(d->text, sizeof d->text, "%s%s%s", d->function, gap, line);
    else if (*d->function)
        snprintf(d->text, sizeof d->text, "%s in %s", d->function, name_of(d->path));
    else
        snprintf(d->text, sizeof d->text, "%s+0x%" PRIx64, name_of(d->path), d->at);
}

/* Describes the call instruction before `address`, the address to which the call returns.  Returns
 * NULL for code generated at run time, or if memory is exhausted. */
static const struct described *describe(const struct sites_file *f, uint64_t address) {
    const struct sites_module *m = module_of(f, address);
    if (!m)
        return NULL;
    char path[SITES_TEXT];
    snprintf(path, sizeof path, "%.*s", SITES_TEXT - 1, m->path);
    const uint64_t at = address - 1 - m->bias;
    const struct described *known = find_described(path, at);
    if (known)
        return known;
    struct described *new = append(&described, &described_count, sizeof *new);
    if (!new)
        return NULL;
    new->at = at;
    memcpy(new->path, path, sizeof path);
    if (!symbols_function(path, at, new->function, sizeof new->function))
        *new->function = '\0';
    set_text(new);
    return new;
}

/* Appends a caller to the place of a row.  Behind the first caller, skips functions without a name,
 * and a function that calls itself. */
static void add_caller(const struct described *d, char last[SITES_TEXT], struct report_row *row) {
    const size_t used = strlen(row->place);
    if (!d || (used && (!*d->function || strcmp(d->function, last) == 0)))
        return;
    snprintf(row->place + used, sizeof row->place - used, "%s%s", used ? " < " : "", d->text);
    memcpy(last, d->function, SITES_TEXT);
}

static bool is_outermost(const struct described *d) {
    return d && (strcmp(d->function, "main") == 0 || strcmp(d->function, "start_thread") == 0);
}

static void set_place(const struct sites_file *f, const struct call_site *at,
                      struct report_row *row) {
    char last[SITES_TEXT] = "";
    bool is_all = false, has_program = false;
    if (*at->line) {
        snprintf(row->place, sizeof row->place, "%.*s", CALL_SITE_LINE, at->line);
        return;
    }
    for (int i = 0; i < CALL_SITE_FRAMES && !is_all; i++) {
        const struct described *d = at->frame[i] ? describe(f, at->frame[i]) : NULL;
        add_caller(d, last, row);
        is_all = is_outermost(d);
        has_program |= at->frame[i] == at->program;
    }
    if (!is_all && !has_program && at->program)
        add_caller(describe(f, at->program), last, row);
    if (!*row->place)
        snprintf(row->place, sizeof row->place, "code made at run time");
}

/* ---- files */

/* Adds a row of a process's file to the report.  Returns false without memory. */
static bool add_row(struct report *r, const struct sites_file *f, const struct sites_row *s) {
    struct report_row *row = append(&r->row, &r->rows, sizeof *row);
    if (!row)
        return false;
    set_place(f, &s->at, row);
    snprintf(row->function, sizeof row->function, "%.*s", SITES_NAME - 1, s->function);
    snprintf(row->program, sizeof row->program, "%.*s", SITES_NAME - 1, f->program);
    row->kind = s->kind;
    row->sizes = s->sizes;
    row->least = s->least;
    row->most = s->most;
    stats_add_row(&row->row, &s->row);
    return true;
}

static bool add_rows(struct report *r, const struct sites_file *f, struct stats_row *sum) {
    for (size_t i = 0; i < SITES_MOST; i++) {
        const struct sites_row *s = &f->row[i];
        if (s->state != SITES_READY || !stats_calls(&s->row))
            continue;
        if (!add_row(r, f, s))
            return false;
        stats_add_row(sum, &s->row);
    }
    return true;
}

static bool add_process(struct report *r, const struct sites_file *f) {
    struct report_process p = {.number = f->process,
                               .parent = f->parent,
                               .is_over = f->is_over,
                               .elapsed = f->elapsed,
                               .busy = f->inside ? UINT64_MAX : f->busy,
                               .lost = f->lost};
    snprintf(p.program, sizeof p.program, "%.*s", SITES_NAME - 1, f->program);
    snprintf(p.reason, sizeof p.reason, "%.*s", SITES_TEXT - 1, f->reason);
    if (!add_rows(r, f, &p.sum))
        return false;
    if (!stats_calls(&p.sum) && !*p.reason) /* a thread created the file, but made no call */
        return true;
    struct report_process *process = append(&r->process, &r->processes, sizeof *process);
    if (!process)
        return false;
    *process = p;
    stats_add_row(&r->sum, &p.sum);
    r->lost += p.lost;
    return true;
}

static bool is_complete(const struct elf_image *image) {
    const struct sites_file *f = elf_part(image, 0, sizeof *f);
    return f && f->magic == SITES_MAGIC && f->bytes == sizeof *f;
}

static bool read_file(const char *folder, const char *name, struct report *r) {
    char path[4096];
    struct elf_image image;
    int n = snprintf(path, sizeof path, "%s/%s", folder, name);
    if ((size_t)n >= sizeof path || !elf_map(path, &image))
        return true;
    bool is_done = true;
    if (is_complete(&image))
        is_done = add_process(r, (const struct sites_file *)image.start);
    else
        run_say("%s: not a profile of this version of the library", path);
    elf_unmap(&image);
    return is_done;
}

static int by_time(const void *a, const void *b) {
    const struct report_row *x = a, *y = b;
    uint64_t u = report_time(&x->row), v = report_time(&y->row);
    return (u < v) - (u > v);
}

static int by_number(const void *a, const void *b) {
    const struct report_process *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

static void sort(void *array, size_t count, size_t size, int (*order)(const void *, const void *)) {
    if (count)
        qsort(array, count, size, order);
}

bool report_read(const char *folder, struct report *r) {
    DIR *stream = opendir(folder);
    const struct dirent *entry;
    bool is_done = stream;
    while (is_done && (entry = readdir(stream)))
        if (*entry->d_name != '.')
            is_done = read_file(folder, entry->d_name, r);
    if (stream)
        closedir(stream);
    sort(r->row, r->rows, sizeof *r->row, by_time);
    sort(r->process, r->processes, sizeof *r->process, by_number);
    return is_done;
}

static bool is_same_place(const struct report_row *a, const struct report_row *b) {
    return strcmp(a->function, b->function) == 0 && strcmp(a->place, b->place) == 0 &&
           strcmp(a->program, b->program) == 0;
}

static void join(struct report_row *to, const struct report_row *from) {
    to->sizes += from->sizes;
    to->least = from->least < to->least ? from->least : to->least;
    to->most = from->most > to->most ? from->most : to->most;
    stats_add_row(&to->row, &from->row);
}

void report_join_sizes(struct report *r) {
    size_t kept = 0;
    for (size_t i = 0; i < r->rows; i++) {
        size_t k = 0;
        while (k < kept && !is_same_place(&r->row[k], &r->row[i]))
            k++;
        if (k < kept)
            join(&r->row[k], &r->row[i]);
        else if (kept++ != i)
            memcpy(&r->row[k], &r->row[i], sizeof *r->row);
    }
    r->rows = kept;
    sort(r->row, r->rows, sizeof *r->row, by_time);
}
