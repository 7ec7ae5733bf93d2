/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Reads and writes one option as text, by the table generated from lib/base/conf.def. For
 * lib/base/conf*.c and lib/base/profile*.c. */
#ifndef MPGPU_CONF_KEY_H
#define MPGPU_CONF_KEY_H

#include <stdbool.h>

#include "lib/base/conf.h"

enum conf_kind { KIND_CHOICE, KIND_TEXT, KIND_LIMBS, KIND_SECONDS, KIND_BYTES };

struct conf_key {
    const char *name;
    enum conf_kind kind;
    size_t offset, size; /* offset and size of the field in struct mpgpu_conf */
    const char *words;
    const char *help;
};

extern const struct conf_key conf_keys[CONF_KEYS];

/* Returns the option of that name, or NULL. */
const struct conf_key *conf_key_find(const char *name);

/* Returns the option's present name if `name` is a former one, otherwise NULL. */
const char *conf_key_renamed(const char *name);

/* Parses a value and stores it in *conf. Returns false, and leaves *conf unchanged, if the value is
 * invalid. */
bool conf_key_set(const struct conf_key *key, struct mpgpu_conf *conf, const char *value);

/* Writes the value in the form that conf_key_set reads. */
void conf_key_get(const struct conf_key *key, const struct mpgpu_conf *conf, char *text,
                  size_t size);

/* Parses a number of limbs, `never`, or `auto` (MPGPU_UNSET). Returns false for any other text. */
bool conf_key_parse_limbs(const char *text, size_t *limbs);
void conf_key_print_limbs(size_t limbs, char *text, size_t size);

/* conf_key_word_index returns the index of `word` among words separated by blanks, or -1;
 * conf_key_word_at writes the word of an index. */
int conf_key_word_index(const char *words, const char *word);
void conf_key_word_at(const char *words, int index, char *text, size_t size);

#endif
