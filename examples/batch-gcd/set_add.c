/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Adds moduli to the file of a set, and creates such a file. */
#include "examples/batch-gcd/set_add.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "examples/batch-gcd/checksum.h"
#include "examples/batch-gcd/util.h"
#include "examples/batch-gcd/set_format.h"
#include "examples/batch-gcd/trees.h"

enum { AT_ONCE = 256 }; /* products in memory */

struct adding {
    struct set *set;
    const char *temporary; /* a file to remove on failure, or NULL */
    /* a record with the new length may have been written, so the file may have the new moduli */
    bool is_valid;
    uint64_t end;        /* byte offset at which the next block begins */
    mpz_t *n;            /* the moduli of the set's incomplete last group, then the new moduli */
    size_t first, count; /* index of n[0] in the set; count of all moduli in n */
    size_t group;        /* of product[0] */
    mpz_t *product;
};

static _Noreturn void fail(const struct adding *a) {
    int error = errno;
    if (a->temporary)
        unlink(a->temporary);
    else if (!a->is_valid && ftruncate(a->set->fd, (off_t)a->set->length))
        error = errno;
    util_die(a->set->path, strerror(error));
}

static void write_words(const struct adding *a, uint64_t *word, size_t count, uint64_t offset) {
    size_t done = 0;
    for (size_t i = 0; i < count; i++)
        word[i] = htole64(word[i]);
    while (done < 8 * count) {
        ssize_t n =
            pwrite(a->set->fd, (const char *)word + done, 8 * count - done, (off_t)(offset + done));
        if (n < 0 && errno != EINTR)
            fail(a);
        done += n > 0 ? (size_t)n : 0;
    }
}

static void flush(const struct adding *a) {
    if (fsync(a->set->fd))
        fail(a);
}

static size_t words_of(mpz_srcptr n) {
    return (mpz_sizeinbase(n, 2) + 63) / 64;
}

static void put_block(struct adding *a, uint64_t kind, size_t first, mpz_t *n, size_t count) {
    size_t words = SET_WORDS + count, at = words;
    for (size_t i = 0; i < count; i++)
        words += words_of(n[i]);
    words = (words + SET_WORDS - 1) / SET_WORDS * SET_WORDS;
    uint64_t *word = util_alloc(words, 8), *data = word + SET_WORDS;
    for (size_t i = 0; i < count; at += data[i++]) {
        data[i] = words_of(n[i]);
        mpz_export(word + at, NULL, -1, 8, 0, 0, n[i]);
    }
    word[BLOCK_KIND] = kind;
    word[BLOCK_COUNT] = count;
    word[BLOCK_FIRST] = first;
    word[BLOCK_DATA_WORDS] = words - SET_WORDS;
    word[BLOCK_DATA_SUM] = checksum(data, words - SET_WORDS);
    word[SET_SUM] = checksum(word, SET_WORDS);
    write_words(a, word, words, a->end);
    a->end += 8 * words;
    free(word);
}

/* Writes the set's moduli number `first` and above, a block for each group. */
static void put_moduli(struct adding *a, size_t first) {
    size_t end = a->first + a->count;
    while (first < end) {
        size_t rest = SET_GROUP - first % SET_GROUP;
        size_t count = rest < end - first ? rest : end - first;
        put_block(a, SET_KEYS, first, a->n + (first - a->first), count);
        first += count;
    }
}

static void multiply(void *adding, size_t i) {
    struct adding *a = adding;
    size_t group = a->group + i;
    trees_product(a->product[i], a->n + (group * SET_GROUP - a->first), SET_GROUP);
}

/* Writes the products of the groups that are complete now. */
static void put_products(struct adding *a) {
    size_t end = (a->first + a->count) / SET_GROUP, count;
    for (a->group = a->first / SET_GROUP; a->group < end; a->group += count) {
        count = end - a->group < AT_ONCE ? end - a->group : AT_ONCE;
        a->product = util_numbers(count);
        util_parallel_for(multiply, a, count);
        for (size_t i = 0; i < count; i++)
            put_block(a, SET_PRODUCT, a->group + i, a->product + i, 1);
        util_free_numbers(a->product, count);
    }
}

/* ---- the records */

static void put_record(const struct adding *a, unsigned i) {
    const struct set *s = a->set;
    uint64_t word[SET_WORDS] = {
        [RECORD_MAGIC] = SET_MAGIC, [RECORD_VERSION] = SET_VERSION, [RECORD_GROUP] = SET_GROUP,
        [RECORD_STATE] = s->state,  [RECORD_LENGTH] = s->length,    [RECORD_COUNT] = s->count};
    word[SET_SUM] = checksum(word, SET_WORDS);
    write_words(a, word, SET_WORDS, SET_STRIDE * i);
    flush(a);
}

/* Writes those records again that a crash has damaged or left with an old state. Otherwise another
 * crash could damage a second record. */
static void restore_records(const struct adding *a) {
    for (unsigned i = 0; i < SET_RECORDS; i++)
        if (a->set->lacks_record[i])
            put_record(a, i);
}

/* Makes the appended blocks valid: writes a new state to the records. */
static void commit(struct adding *a) {
    struct set *s = a->set;
    flush(a);
    a->is_valid = true;
    s->state++;
    s->length = a->end;
    s->count = a->first + a->count;
    for (unsigned copy = 0; copy < 2; copy++)
        put_record(a, 2 * (unsigned)(s->state % 2) + copy);
}

/* Appends the last `count` moduli of a->n to the file; the set already has the moduli before
 * them. */
static void append(struct adding *a, size_t count) {
    /* ignores this signal, so that writing beyond the file size limit fails with EFBIG instead */
    signal(SIGXFSZ, SIG_IGN);
    if (ftruncate(a->set->fd, (off_t)a->set->length))
        fail(a);
    restore_records(a);
    a->end = a->set->length;
    util_progress("adding");
    put_moduli(a, a->first + a->count - count);
    put_products(a);
    commit(a);
    util_progress("");
}

void set_add(struct set *s, mpz_t *n, size_t count) {
    size_t tail = 0;
    mpz_t *old = s->count % SET_GROUP ? set_group(s, s->products, &tail) : NULL;
    struct adding a = {.set = s, .first = s->count - tail, .count = tail + count};
    if (count > 0) {
        a.n = util_alloc(a.count, sizeof *a.n);
        for (size_t i = 0; i < tail; i++)
            *a.n[i] = *old[i];
        for (size_t i = 0; i < count; i++)
            *a.n[tail + i] = *n[i];
        append(&a, count);
        free(a.n);
    }
    util_free_numbers(old, tail);
}

/* ---- a new file */

/* Creates the file as an empty one, and replaces it by the temporary file.  Returns false if a file
 * with this name exists, or on failure. */
static bool rename_to_new(const char *temporary, const char *path) {
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    close(fd);
    if (rename(temporary, path) == 0)
        return true;
    int error = errno;
    unlink(path);
    errno = error;
    return false;
}

/* Renames the finished temporary file, unless a file with this name exists.  Uses rename where link
 * fails: some file systems have no links. */
static void name(const struct adding *a) {
    const char *path = a->set->path, *slash = strrchr(path, '/');
    if (link(a->temporary, path) && (errno == EEXIST || !rename_to_new(a->temporary, path)))
        fail(a);
    unlink(a->temporary);
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        fsync(fd); /* some file systems cannot sync folders; that is no error */
        close(fd);
    }
    free(folder);
}

void set_make(const char *path, mpz_t *n, size_t count) {
    char *temporary = util_alloc(strlen(path) + sizeof ".XXXXXX", 1);
    struct set s = {.path = path, .length = SET_HEAD};
    struct adding a = {.set = &s, .temporary = temporary, .n = n, .count = count};
    mode_t mask = umask(0);
    umask(mask);
    if (access(path, F_OK) == 0)
        util_die(path, strerror(EEXIST));
    sprintf(temporary, "%s.XXXXXX", path);
    s.fd = mkstemp(temporary);
    if (s.fd < 0)
        util_die(path, strerror(errno));
    if (fchmod(s.fd, 0666 & ~mask))
        fail(&a);
    append(&a, count);
    commit(&a); /* writes the other two of the file's four records; append has written two */
    name(&a);
    close(s.fd);
    free(temporary);
}
