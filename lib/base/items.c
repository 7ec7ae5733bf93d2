/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Splits texts of key:value items, and warns of wrong items. */
#include "config.h"

#include "lib/base/items.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/log.h"

enum { SHOWN = 80 }; /* most characters of a wrong word that a warning shows */

void items_describe(struct item_source source, char *text, size_t size) {
    if (source.line)
        snprintf(text, size, "%s:%d", source.name, source.line);
    else
        snprintf(text, size, "%s", source.name ? source.name : "default");
}

/* Prints a warning that begins with "MPGPU_CONF: " or "file:line: ". */
static int warn(struct item_source source, const char *what, const char *word, const char *more) {
    char line[16] = "";
    if (source.line)
        snprintf(line, sizeof line, ":%d", source.line);
    mpgpu_say("%s%s: %s \"%.*s\"%s", source.name, line, what, SHOWN, word, more);
    return 1;
}

int items_unknown_key(struct item_source source, const char *key) {
    return warn(source, "unknown key", key, "");
}

void items_renamed_key(struct item_source source, const char *key, const char *now) {
    char more[80];
    snprintf(more, sizeof more, " is named \"%s\" now", now);
    warn(source, "key", key, more);
}

int items_bad_value(struct item_source source, const char *key, const char *value,
                    const char *help) {
    char more[160];
    snprintf(more, sizeof more, " for key \"%s\": it takes %s", key, help);
    return warn(source, "bad value", value, more);
}

static char *trim(char *text) {
    text += strspn(text, " \t\r\n");
    size_t length = strlen(text);
    while (length && strchr(" \t\r\n", text[length - 1]))
        length--;
    text[length] = 0;
    return text;
}

/* Splits one item into key and value, which `take` processes. Overwrites the item; ignores an empty
 * one. */
static int take_apart(char *item, struct item_source source, item_taker *take, void *context) {
    item = trim(item);
    if (!*item)
        return 0;
    char *colon = strchr(item, ':');
    if (!colon)
        return warn(source, "no value for key", item, "");
    *colon = 0;
    return take(context, trim(item), trim(colon + 1), source);
}

int items_of_string(const char *text, const char *name, item_taker *take, void *context) {
    char *copy = strdup(text);
    if (!copy) {
        mpgpu_say("%s is ignored: no memory", name);
        return 1;
    }
    int warnings = 0;
    char *rest = copy;
    while (rest) {
        char *item = strsep(&rest, ",");
        warnings += take_apart(item, (struct item_source){name, 0}, take, context);
    }
    free(copy);
    return warnings;
}

int items_of_file(char *text, const char *name, item_taker *take, void *context) {
    int warnings = 0;
    for (int number = 1; text; number++) {
        char *line = strsep(&text, "\n");
        line[strcspn(line, "#")] = 0;
        warnings += take_apart(line, (struct item_source){name, number}, take, context);
    }
    return warnings;
}
