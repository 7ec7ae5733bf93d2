/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Converts the values of options to text and back, by the kind of the option. */
#include "lib/base/conf_key.h"

#include <stdio.h>
#include <string.h>

const struct conf_key conf_keys[CONF_KEYS] = {
#define KEY(name, kind, initial, words, help)                                                      \
    {                                                                                              \
        #name,                                                                                     \
        KIND_##kind,                                                                               \
        offsetof(struct mpgpu_conf, name),                                                         \
        sizeof(((struct mpgpu_conf *)0)->name),                                                    \
        words,                                                                                     \
        help},
#include "lib/base/conf.def"
#undef KEY
};

const char *conf_key_renamed(const char *name) {
    static const struct former {
        char name[8], key[8];
    } formers[] = {
#define KEY(name, kind, initial, words, help)
#define FORMER(name, key) {#name, #key},
#include "lib/base/conf.def"
#undef KEY
    };
    for (size_t i = 0; i < sizeof formers / sizeof *formers; i++)
        if (strcmp(formers[i].name, name) == 0)
            return formers[i].key;
    return NULL;
}

const struct conf_key *conf_key_find(const char *name) {
    for (int i = 0; i < CONF_KEYS; i++) {
        if (strcmp(conf_keys[i].name, name) == 0)
            return &conf_keys[i];
    }
    return NULL;
}

int conf_key_word_index(const char *words, const char *word) {
    size_t length = strlen(word);
    for (int i = 0; *words; i++) {
        size_t n = strcspn(words, " ");
        if (n == length && memcmp(words, word, n) == 0)
            return i;
        words += n + (words[n] == ' ');
    }
    return -1;
}

void conf_key_word_at(const char *words, int index, char *text, size_t size) {
    for (; index > 0; index--)
        words += strcspn(words, " ") + 1;
    snprintf(text, size, "%.*s", (int)strcspn(words, " "), words);
}

/* Parses decimal digits only: no sign, no blanks, no overflow. Sets *endp to the first character
 * after them. */
static bool parse_digits(const char *text, uint64_t *valuep, const char **endp) {
    uint64_t value = 0;
    const char *p = text;
    for (; *p >= '0' && *p <= '9'; p++) {
        unsigned digit = (unsigned)(*p - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *valuep = value;
    *endp = p;
    return p != text;
}

bool conf_key_parse_limbs(const char *text, size_t *limbs) {
    uint64_t value;
    const char *end;
    if (strcmp(text, "never") == 0)
        value = MPGPU_NEVER;
    else if (strcmp(text, "auto") == 0)
        value = MPGPU_UNSET;
    else if (!parse_digits(text, &value, &end) || *end || value >= MPGPU_UNSET)
        return false;
    *limbs = (size_t)value;
    return true;
}

static const char suffixes[] = "KMGT";

/* What the words of a BYTES option mean, in the order of the words. */
static const uint64_t byte_words[] = {0, UINT64_MAX};

static bool parse_bytes(const struct conf_key *key, const char *text, uint64_t *bytes) {
    uint64_t value;
    const char *end;
    unsigned shift = 0;
    int word = conf_key_word_index(key->words, text);
    if (word >= 0) {
        *bytes = byte_words[word];
        return true;
    }
    if (!parse_digits(text, &value, &end))
        return false;
    if (*end) {
        const char *suffix = strchr(suffixes, *end);
        if (!suffix || end[1])
            return false;
        shift = 10 * (unsigned)(suffix - suffixes + 1);
    }
    if (value > UINT64_MAX >> shift)
        return false;
    *bytes = value << shift;
    return true;
}

/* Parses digits, optionally with a point and up to nine more digits. */
static bool parse_seconds(const char *text, double *seconds) {
    uint64_t whole, part = 0;
    const char *end, *point;
    double unit = 1;
    if (!parse_digits(text, &whole, &end))
        return false;
    if (*end == '.') {
        point = end + 1;
        if (!parse_digits(point, &part, &end) || end - point > 9)
            return false;
        for (; point < end; point++)
            unit *= 10;
    }
    if (*end || whole > 1000000000)
        return false;
    *seconds = (double)whole + (double)part / unit;
    return true;
}

static bool parse_text(const struct conf_key *key, char *field, const char *text) {
    if (*key->words ? conf_key_word_index(key->words, text) < 0 : *text == 0)
        return false;
    size_t length = strlen(text);
    if (length >= key->size)
        return false;
    memcpy(field, text, length + 1);
    return true;
}

bool conf_key_set(const struct conf_key *key, struct mpgpu_conf *conf, const char *value) {
    void *field = (char *)conf + key->offset;
    int index;
    switch (key->kind) {
    case KIND_CHOICE:
        index = conf_key_word_index(key->words, value);
        if (index >= 0)
            *(int *)field = index;
        return index >= 0;
    case KIND_TEXT:
        return parse_text(key, field, value);
    case KIND_LIMBS:
        return conf_key_parse_limbs(value, field);
    case KIND_SECONDS:
        return parse_seconds(value, field);
    case KIND_BYTES:
        return parse_bytes(key, value, field);
    }
    return false;
}

void conf_key_print_limbs(size_t limbs, char *text, size_t size) {
    if (limbs == MPGPU_NEVER)
        snprintf(text, size, "never");
    else if (limbs == MPGPU_UNSET)
        snprintf(text, size, "auto");
    else
        snprintf(text, size, "%zu", limbs);
}

/* Prints the option's word for this value, if there is one. Otherwise prints the number with the
 * largest suffix (K, M, G, T) that leaves a whole number. */
static void print_bytes(const struct conf_key *key, uint64_t bytes, char *text, size_t size) {
    int i = 0;
    if (*key->words && (bytes == byte_words[0] || bytes == byte_words[1])) {
        conf_key_word_at(key->words, bytes == byte_words[1], text, size);
        return;
    }
    for (; bytes && bytes % 1024 == 0 && suffixes[i]; i++)
        bytes /= 1024;
    snprintf(text, size, "%llu%.*s", (unsigned long long)bytes, i > 0, i ? suffixes + i - 1 : "");
}

/* Prints without the locale's decimal comma, which the parser does not accept. */
static void print_seconds(double seconds, char *text, size_t size) {
    uint64_t ns = (uint64_t)(seconds * 1e9 + 0.5);
    int n = snprintf(text, size, "%llu.%09llu", (unsigned long long)(ns / 1000000000),
                     (unsigned long long)(ns % 1000000000));
    if (n <= 0 || (size_t)n >= size)
        return;
    while (text[n - 1] == '0')
        text[--n] = '\0';
    if (text[n - 1] == '.')
        text[n - 1] = '\0';
}

void conf_key_get(const struct conf_key *key, const struct mpgpu_conf *conf, char *text,
                  size_t size) {
    const void *field = (const char *)conf + key->offset;
    switch (key->kind) {
    case KIND_CHOICE:
        conf_key_word_at(key->words, *(const int *)field, text, size);
        break;
    case KIND_TEXT:
        snprintf(text, size, "%s", (const char *)field);
        break;
    case KIND_LIMBS:
        conf_key_print_limbs(*(const size_t *)field, text, size);
        break;
    case KIND_SECONDS:
        print_seconds(*(const double *)field, text, size);
        break;
    case KIND_BYTES:
        print_bytes(key, *(const uint64_t *)field, text, size);
        break;
    }
}
