/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Reading a set. */
#include "examples/batch-gcd/set.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "examples/batch-gcd/checksum.h"
#include "examples/batch-gcd/util.h"
#include "examples/batch-gcd/set_format.h"
#include "examples/batch-gcd/trees.h"

/* WINDOW: words read at once to find blocks' headers.  TEXT: bytes of a message. */
enum { WINDOW = 2048, TEXT = 200 };

__attribute__((format(printf, 2, 3))) static _Noreturn void bad(const struct set *s,
                                                                const char *format, ...) {
    char text[TEXT];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    util_die(s->path, text);
}

/* Reads up to `count` words at `offset`.  Returns their number, which is less only at the end of
 * the file. */
static size_t read_words(const struct set *s, uint64_t *word, size_t count, uint64_t offset) {
    size_t got = 0;
    while (got < 8 * count) {
        ssize_t n = pread(s->fd, (char *)word + got, 8 * count - got, (off_t)(offset + got));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            bad(s, "%s", strerror(errno));
        if (n == 0)
            break;
        got += (size_t)n;
    }
    for (size_t i = 0; i < got / 8; i++)
        word[i] = le64toh(word[i]);
    return got / 8;
}

/* Returns true if the last word of a record or of a block's header is the checksum of the other
 * words. */
static bool is_right(const uint64_t *word) {
    uint64_t copy[SET_WORDS];
    memcpy(copy, word, sizeof copy);
    copy[SET_SUM] = 0;
    return checksum(copy, SET_WORDS) == word[SET_SUM];
}

/* ---- the records */

/* Prints why the file has too few valid records, and ends the program. */
static _Noreturn void refuse(const struct set *s, const uint64_t *first, unsigned wrong) {
    uint64_t magic = first[RECORD_MAGIC], version = first[RECORD_VERSION];
    if (magic != SET_MAGIC && wrong == SET_RECORDS)
        bad(s, "not a set of batch-gcd: begins with the word %#018" PRIx64, magic);
    if (version != SET_VERSION && wrong == SET_RECORDS)
        bad(s, "version %" PRIu64 " of the format, not %d", version, SET_VERSION);
    bad(s, "corrupted: %u of %d records have a wrong checksum, the first %#018" PRIx64, wrong,
        SET_RECORDS, first[SET_SUM]);
}

/* Returns the size of the file, which must be a regular one. */
static uint64_t size_of(const struct set *s) {
    struct stat file;
    if (fstat(s->fd, &file))
        bad(s, "%s", strerror(errno));
    if (!S_ISREG(file.st_mode))
        bad(s, "not a regular file");
    return (uint64_t)file.st_size;
}

static const uint64_t *record(const uint64_t *word, unsigned i) {
    return word + i * (SET_STRIDE / 8);
}

/* Returns the record that describes the newest state of the file, among those with a right
 * checksum.  Ends the program if more than one record is damaged. */
static const uint64_t *best_record(struct set *s, const uint64_t *word) {
    const uint64_t *best = NULL;
    unsigned wrong = 0;
    for (unsigned i = 0; i < SET_RECORDS; i++) {
        const uint64_t *r = record(word, i);
        if (r[RECORD_MAGIC] != SET_MAGIC || !is_right(r)) {
            s->lacks_record[i] = true;
            wrong++;
        } else if (!best || r[RECORD_STATE] > best[RECORD_STATE])
            best = r;
    }
    if (wrong > 1)
        refuse(s, word, wrong);
    return best;
}

static void take_record(struct set *s) {
    uint64_t word[SET_HEAD / 8], size = size_of(s);
    if (read_words(s, word, SET_HEAD / 8, 0) < SET_HEAD / 8)
        bad(s, "not a set of batch-gcd, or truncated: has %" PRIu64 " bytes", size);
    const uint64_t *best = best_record(s, word);
    if (best[RECORD_VERSION] != SET_VERSION)
        bad(s, "version %" PRIu64 " of the format, not %d", best[RECORD_VERSION], SET_VERSION);
    if (best[RECORD_GROUP] != SET_GROUP)
        bad(s, "groups of %" PRIu64 " moduli, not %d", best[RECORD_GROUP], SET_GROUP);
    s->state = best[RECORD_STATE];
    s->length = best[RECORD_LENGTH];
    s->count = (size_t)best[RECORD_COUNT];
    for (unsigned i = 2 * (s->state % 2), end = i + 2; i < end; i++)
        s->lacks_record[i] |= record(word, i)[RECORD_STATE] != s->state;
    size = size_of(s); /* read again, because another process may have added moduli in between */
    if (size < s->length)
        bad(s, "truncated: has %" PRIu64 " bytes of %" PRIu64, size, s->length);
}

/* ---- the index */

struct index {
    struct set *set;
    uint64_t window[WINDOW], begin; /* the words of the file from byte `begin` on */
    size_t words, count;            /* words in the window; moduli in the blocks read so far */
    size_t next;                    /* the number of words to read into the next window */
};

static const uint64_t *header_at(struct index *x, uint64_t offset) {
    const struct set *s = x->set;
    if (offset < x->begin || offset + 8 * SET_WORDS > x->begin + 8 * x->words) {
        x->begin = offset;
        x->words = read_words(s, x->window, x->next, offset);
    }
    const uint64_t *header = x->window + (offset - x->begin) / 8;
    if (s->length - offset < 8 * SET_WORDS || x->words < SET_WORDS || !is_right(header) ||
        header[BLOCK_DATA_WORDS] > (s->length - offset) / 8 - SET_WORDS ||
        header[BLOCK_DATA_WORDS] % SET_WORDS != 0)
        bad(s, "corrupted: wrong checksum or length of the block at byte %" PRIu64, offset);
    return header;
}

/* Appends a block to a list, whose memory is doubled whenever the count is a power of two. */
static void append(struct set_block **list, size_t *count, const struct set_block *b) {
    if ((*count & (*count - 1)) == 0) {
        struct set_block *more = realloc(*list, (*count ? 2 * *count : 1) * sizeof *more);
        if (!more)
            util_die("memory", "exhausted");
        *list = more;
    }
    (*list)[(*count)++] = *b;
}

static void take_block(struct index *x, uint64_t offset, const uint64_t *header) {
    struct set *s = x->set;
    struct set_block b = {offset + 8 * SET_WORDS, header[BLOCK_DATA_WORDS], header[BLOCK_DATA_SUM],
                          (size_t)header[BLOCK_FIRST], (size_t)header[BLOCK_COUNT]};
    if (header[BLOCK_KIND] == SET_KEYS && b.first == x->count && b.count > 0 &&
        b.count <= SET_GROUP - b.first % SET_GROUP) {
        append(&s->keys, &s->key_blocks, &b);
        x->count += b.count;
    } else if (header[BLOCK_KIND] == SET_PRODUCT && b.first == s->products && b.count == 1)
        append(&s->product, &s->products, &b);
    else
        bad(s, "corrupted: unexpected block %" PRIu64 " at byte %" PRIu64, header[BLOCK_FIRST],
            offset);
}

static void take_index(struct set *s) {
    struct index *x = util_alloc(1, sizeof *x);
    x->set = s;
    x->next = WINDOW;
    uint64_t offset = SET_HEAD;
    while (offset < s->length) {
        const uint64_t *header = header_at(x, offset);
        uint64_t words = SET_WORDS + header[BLOCK_DATA_WORDS];
        take_block(x, offset, header);
        offset += 8 * words;
        x->next = words < WINDOW ? WINDOW : SET_WORDS;
    }
    if (offset != s->length || x->count != s->count || s->products != s->count / SET_GROUP)
        bad(s, "corrupted: %zu moduli and %zu products, %zu moduli expected", x->count, s->products,
            s->count);
    free(x);
}

struct set set_open(const char *path, bool is_locked) {
    struct set s = {.path = path,
                    .fd = open(path, (is_locked ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK)};
    if (s.fd < 0)
        bad(&s, "%s", strerror(errno));
    while (is_locked && flock(s.fd, LOCK_EX) != 0)
        if (errno != EINTR)
            bad(&s, "%s", strerror(errno));
    take_record(&s);
    take_index(&s);
    return s;
}

void set_close(struct set *s) {
    close(s->fd);
    free(s->keys);
    free(s->product);
}

/* ---- the numbers */

/* Reads the numbers of a block into x[0], x[1] and so on, which the caller has initialised. */
static void read_numbers(mpz_t *x, const struct set *s, const struct set_block *b) {
    uint64_t *word = util_alloc(b->words, 8), at = b->count;
    uint64_t sum = 0;
    if (read_words(s, word, b->words, b->offset) == b->words)
        sum = checksum(word, b->words);
    if (sum != b->sum)
        bad(s, "corrupted: checksum %#018" PRIx64 " at byte %" PRIu64 ", not %#018" PRIx64, sum,
            b->offset, b->sum);
    for (size_t i = 0; i < b->count; i++) {
        if (at > b->words || word[i] > b->words - at)
            bad(s, "corrupted: a number of %" PRIu64 " words at byte %" PRIu64, word[i], b->offset);
        mpz_import(x[i], (size_t)word[i], -1, 8, 0, 0, word + at);
        at += word[i];
    }
    free(word);
}

size_t set_groups(const struct set *s) {
    return (s->count + SET_GROUP - 1) / SET_GROUP;
}

/* Returns the number of the first block of moduli that begins at or after modulus `first`. */
static size_t block_of(const struct set *s, size_t first) {
    size_t low = 0, high = s->key_blocks;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->keys[middle].first < first)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

mpz_t *set_group(const struct set *s, size_t group, size_t *count) {
    size_t first = group * SET_GROUP, rest = s->count - first;
    *count = rest < SET_GROUP ? rest : SET_GROUP;
    mpz_t *n = util_numbers(*count);
    for (size_t k = block_of(s, first), got = 0; got < *count; got += s->keys[k++].count)
        read_numbers(n + got, s, &s->keys[k]);
    return n;
}

void set_product(mpz_ptr r, const struct set *s, size_t group) {
    size_t count;
    if (group < s->products) {
        mpz_t product[1];
        mpz_init(product[0]);
        read_numbers(product, s, &s->product[group]);
        mpz_swap(r, product[0]);
        mpz_clear(product[0]);
        return;
    }
    mpz_t *n = set_group(s, group, &count);
    trees_product(r, n, count);
    util_free_numbers(n, count);
}
