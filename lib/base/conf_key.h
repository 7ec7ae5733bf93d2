/* SPDX-License-Identifier: LGPL-3.0-or-later
 * One option as text: the table made from lib/base/conf.def, and its values read and
 * written.  Internal to lib/conf*.c and
 * lib/profile*.c. */
#ifndef MPGPU_CONF_KEY_H
#define MPGPU_CONF_KEY_H

#include <stdbool.h>

#include "lib/base/conf.h"

enum conf_kind { KIND_CHOICE, KIND_TEXT, KIND_LIMBS, KIND_SECONDS, KIND_BYTES };

struct conf_key {
    const char *name;
    enum conf_kind kind;
    size_t offset, size; /* of the field in struct mpgpu_conf */
    const char *words;
    const char *help;
};

extern const struct conf_key conf_keys[CONF_KEYS];

/* The key of that name, or NULL. */
const struct conf_key *conf_key_find(const char *name);

/* Store a value; 0, and *conf as it was, if it is not a good one. */
bool conf_key_set(const struct conf_key *key, struct mpgpu_conf *conf, const char *value);

/* The value as conf_key_set would read it. */
void conf_key_get(const struct conf_key *key, const struct mpgpu_conf *conf, char *text,
                  size_t size);

/* A number of limbs, `never`, or `auto` for MPGPU_UNSET; 0 if it is neither. */
bool conf_key_parse_limbs(const char *text, size_t *limbs);
void conf_key_print_limbs(size_t limbs, char *text, size_t size);

/* The index of `word` among words separated by blanks, or -1; the word of an index. */
int conf_key_word_index(const char *words, const char *word);
void conf_key_word_at(const char *words, int index, char *text, size_t size);

#endif
