/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Parses option strings and files of options. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/conf.h"
#include "lib/base/conf_key.h"
#include "lib/base/log.h"
#include "lib/base/own_file.h"

static int take(void *context, const char *name, const char *value, struct item_source source) {
    struct mpgpu_conf *conf = context;
    const char *renamed = conf_key_renamed(name);
    const struct conf_key *key = conf_key_find(renamed ? renamed : name);
    if (!key)
        return items_unknown_key(source, name);
    if (!conf_key_set(key, conf, value))
        return items_bad_value(source, name, value, key->help);
    conf->source[key - conf_keys] = source;
    if (renamed)
        items_renamed_key(source, name, renamed);
    return 0;
}

int conf_parse(struct mpgpu_conf *conf, const char *text, const char *where) {
    return items_of_string(text, where, take, conf);
}

/* Returns true if there is no file, or if it is in a folder that this user cannot search, as with
 * the HOME of another user.  `error` is the error of open. */
static bool is_absent(const char *path, int error) {
    struct stat status;
    return error == ENOENT || error == ENOTDIR || lstat(path, &status) != 0;
}

/* An absent file causes no warning. */
int conf_parse_file(struct mpgpu_conf *conf, const char *path) {
    const char *wrong;
    char *text = own_file_read(path, &wrong);
    int error = errno;
    if (!text && !wrong && is_absent(path, error))
        return 0;
    if (!text) {
        mpgpu_say("options in %s do not count: %s", path, wrong ? wrong : strerror(error));
        return 1;
    }
    int warnings = items_of_file(text, path, take, conf);
    free(text);
    return warnings;
}
