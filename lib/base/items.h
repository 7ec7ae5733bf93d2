/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Parses texts of key:value items, such as options and profiles, and knows the place of each item.
 */
#ifndef MPGPU_ITEMS_H
#define MPGPU_ITEMS_H

#include <stddef.h>

/* The place of an item. `name`: a name that stays valid ("MPGPU_CONF", a file's path), or NULL for
 * a default. `line`: the line in a file, otherwise 0. */
struct item_source {
    const char *name;
    int line;
};

/* A function that processes one item, whose blanks are trimmed. Returns 1 if it rejects the item
 * with a warning, otherwise 0. */
typedef int item_taker(void *context, const char *key, const char *value,
                       struct item_source source);

/* items_of_string passes each item of a string, separated by commas, to `take`. items_of_file does
 * the same for a file's text, which has one item per line and `#` comments; it overwrites this
 * text. `name` must stay valid. Both return the count of warnings. Without memory items_of_string
 * only warns. */
int items_of_string(const char *text, const char *name, item_taker *take, void *context);
int items_of_file(char *text, const char *name, item_taker *take, void *context);

/* Warn of an unknown key, or of an invalid value; `help` describes valid ones. Both return 1. */
int items_unknown_key(struct item_source source, const char *key);
int items_bad_value(struct item_source source, const char *key, const char *value,
                    const char *help);

/* Writes "name", "name:line" or "default". */
void items_describe(struct item_source source, char *text, size_t size);

/* Warns that the option is now called `now`. The value still applies. */
void items_renamed_key(struct item_source source, const char *key, const char *now);

#endif
