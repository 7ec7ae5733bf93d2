/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Fuzz target: the parser of options, from a string and from a file. Checks that each wrong word
 * causes one warning, and that options which are printed and parsed again keep their values. */
#define _GNU_SOURCE 1 /* memfd_create, memmem */
#include "config.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/conf.h"
#include "lib/base/conf_key.h"
#include "tests/fuzz/parser.h"

static const char *text; /* the input that the parser reads */
static size_t length;

/* Checks that the word which a warning quotes occurs in the input.  If the warning contains the
 * words "for key", the quoted word ends before these; otherwise it ends at the last quote. The
 * warning about a file with a zero byte quotes no word. */
void parser_check_warning(const char *warning) {
    const char *word = strchr(warning, '"');
    if (strstr(warning, " do not count: ")) {
        FUZZ_CHECK(memchr(text, 0, length));
        return;
    }
    FUZZ_CHECK(word++);
    const char *end = strrchr(word, '"'), *next = word;
    while ((next = strstr(next, "\" for key \"")))
        end = next++;
    FUZZ_CHECK(end && memmem(text, length, word, (size_t)(end - word)));
}

/* Creates an in-memory file with the content {bytes, size} and sets `path` to its name. Returns
 * its descriptor. */
static int make_file(const void *bytes, size_t size, char *path, size_t room) {
    int file = memfd_create("options", MFD_CLOEXEC);
    FUZZ_CHECK(file >= 0 && fchmod(file, 0600) == 0 && write(file, bytes, size) == (ssize_t)size);
    snprintf(path, room, "/proc/self/fd/%d", file);
    return file;
}

/* Returns true if all option values of a and b are equal; ignores which source set them. */
static int same_values(const struct mpgpu_conf *a, const struct mpgpu_conf *b) {
    for (int i = 0; i < CONF_KEYS; i++) {
        const struct conf_key *key = &conf_keys[i];
        const char *x = (const char *)a + key->offset, *y = (const char *)b + key->offset;
        if (key->kind == KIND_TEXT ? strcmp(x, y) != 0 : memcmp(x, y, key->size) != 0)
            return 0;
    }
    return 1;
}

/* Checks that each text option is terminated within its field. */
static void check_texts(const struct mpgpu_conf *conf) {
    for (int i = 0; i < CONF_KEYS; i++)
        FUZZ_CHECK(conf_keys[i].kind != KIND_TEXT ||
                   memchr((const char *)conf + conf_keys[i].offset, 0, conf_keys[i].size));
}

/* Checks that all values survive printing and parsing: each separately, and all together as a
 * file. The file is left out if a value has a character that a file cannot contain. */
static void check_round_trip(const struct mpgpu_conf *conf) {
    char value[sizeof conf->cache], lines[2 * sizeof value] = "", path[64];
    struct mpgpu_conf again = mpgpu_conf, from_file = mpgpu_conf;
    int fits_file = 1;
    for (int i = 0; i < CONF_KEYS; i++) {
        conf_key_get(&conf_keys[i], conf, value, sizeof value);
        if (!*value)
            continue; /* a text option that is not set has no value to parse again */
        FUZZ_CHECK(conf_key_set(&conf_keys[i], &again, value));
        fits_file &= strpbrk(value, "#\n") == NULL;
        size_t at = strlen(lines);
        snprintf(lines + at, sizeof lines - at, "%s:%s\n", conf_keys[i].name, value);
    }
    FUZZ_CHECK(same_values(conf, &again));
    if (!fits_file)
        return;
    int file = make_file(lines, strlen(lines), path, sizeof path);
    FUZZ_CHECK(conf_parse_file(&from_file, path) == 0);
    FUZZ_CHECK(same_values(conf, &from_file));
    close(file);
}

/* Parses the argument, starting from the default options.  Then parses it again, starting from
 * the resulting options: this must change nothing. */
static void check(int (*parse)(struct mpgpu_conf *conf, const char *argument, const char *name),
                  const char *argument) {
    struct mpgpu_conf conf = mpgpu_conf, twice;
    parser_warnings = 0;
    int counted = parse(&conf, argument, "here");
    FUZZ_CHECK(counted == parser_warnings);
    check_texts(&conf);
    check_round_trip(&conf);
    twice = conf;
    FUZZ_CHECK(parse(&twice, argument, "here") == counted);
    FUZZ_CHECK(same_values(&conf, &twice));
}

static int parse_file(struct mpgpu_conf *conf, const char *path, const char *name) {
    (void)name;
    return conf_parse_file(conf, path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[64], *copy = malloc(size + 1);
    FUZZ_CHECK(copy);
    memcpy(copy, data, size);
    copy[size] = 0;
    text = copy;
    length = size;
    check(conf_parse, copy);
    int file = make_file(data, size, path, sizeof path);
    check(parse_file, path);
    close(file);
    free(copy);
    return 0;
}
