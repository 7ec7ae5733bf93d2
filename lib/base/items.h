/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Texts of key:value items, with where each stands: options, profiles. */
#ifndef MPGPU_ITEMS_H
#define MPGPU_ITEMS_H

#include <stdio.h>

/* Where an item stands: a name that stays valid ("MPGPU_CONF", a file's path), or NULL
 * for a default; the line in a file, else 0. */
struct item_source {
    const char *name;
    int line;
};

/* Takes one item, its blanks trimmed; returns the number of warnings given. */
typedef int item_taker(void *context, const char *key, const char *value,
                       struct item_source source);

/* All items of a string, separated by commas, or of a file, one a line with `#` comments.
 * `name` stays valid.  They return the number of warnings. */
int items_of_string(const char *text, const char *name, item_taker *take, void *context);
int items_of_file(FILE *file, const char *name, item_taker *take, void *context);

/* Warn of an unknown key, or of a bad value, where `help` describes good ones; both return 1. */
int items_unknown_key(struct item_source source, const char *key);
int items_bad_value(struct item_source source, const char *key, const char *value,
                    const char *help);

/* "name", or "name:line", or "default". */
void items_describe(struct item_source source, char *text, size_t size);

/* Warns that the key has the name `now`; its value counts. */
void items_renamed_key(struct item_source source, const char *key, const char *now);

#endif
