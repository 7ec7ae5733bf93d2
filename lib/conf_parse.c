/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Option strings and files of options. */
#include "config.h"

#include "conf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf_key.h"
#include "log.h"

enum { SHOWN = 80 }; /* most characters of a wrong word that a warning shows */

/* "MPGPU_CONF: ..." or "file:line: ...". */
static int warn(struct conf_source source, const char *what, const char *word, const char *more) {
    char line[16] = "";
    if (source.line)
        snprintf(line, sizeof line, ":%d", source.line);
    mpgpu_say("%s%s: %s \"%.*s\"%s", source.name, line, what, SHOWN, word, more);
    return 1;
}

static int warn_value(struct conf_source source, const struct conf_key *key, const char *value) {
    char more[160];
    snprintf(more, sizeof more, " for key \"%s\": it takes %s", key->name, key->help);
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

/* One "key:value", which is taken apart; an empty one counts as none. Returns
 * the number of warnings. */
static int parse_item(struct mpgpu_conf *conf, char *item, struct conf_source source) {
    item = trim(item);
    if (!*item)
        return 0;
    char *colon = strchr(item, ':');
    if (!colon)
        return warn(source, "no value for key", item, "");
    *colon = 0;
    const char *name = trim(item);
    const char *value = trim(colon + 1);
    const struct conf_key *key = conf_key_find(name);
    if (!key)
        return warn(source, "unknown key", name, "");
    if (!conf_key_set(key, conf, value))
        return warn_value(source, key, value);
    conf->source[key - conf_keys] = source;
    return 0;
}

int mpgpu_conf_parse(struct mpgpu_conf *conf, const char *text, const char *where) {
    char *copy = strdup(text);
    int warnings = 0;
    char *rest = copy;
    while (rest) {
        char *item = strsep(&rest, ",");
        warnings += parse_item(conf, item, (struct conf_source){where, 0});
    }
    free(copy);
    return warnings;
}

int mpgpu_conf_parse_file(struct mpgpu_conf *conf, const char *path) {
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    char *line = NULL;
    size_t room = 0;
    int warnings = 0;
    for (int number = 1; getline(&line, &room, file) >= 0; number++) {
        line[strcspn(line, "#")] = 0;
        warnings += parse_item(conf, line, (struct conf_source){path, number});
    }
    free(line);
    fclose(file);
    return warnings;
}
