/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Reads the options of mpgpu-run.  Most of them set keys of lib/base/conf.def, and their values are
 * checked as in the library. */
#include "config.h"

#include "tools/run/options.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/conf_key.h"
#include "tools/output.h"
#include "tools/run/say.h"

static const char usage[] =
    "Usage: mpgpu-run [OPTION]... PROGRAM [ARGUMENT]...\n"
    "Run PROGRAM; the big products of its GMP go to a GPU, its output stays the same.\n"
    "\n"
    "  --backend B          auto, cuda, opencl or none\n"
    "  --device D           number of the device, or a part of its name\n"
    "  --threshold N        limbs from which products and squares go to the device\n"
    "  --wait               wait for the device at the first such operation\n"
    "  --stats[=text|json]  report at exit what was computed where\n"
    "  --stats-file FILE    append this report to FILE, a JSON object a line\n"
    "  --profile[=FILE]     report at exit the calls by place, size and time, and why\n"
    "                       the device did not compute them; the same as a page to\n"
    "                       FILE (mpgpu-profile.html)\n"
    "  --estimate[=TIMES]   report at exit what the program would take on a device:\n"
    "                       h100, h200 (if none is given), or a file of mpgpu-bench;\n"
    "                       GMP computes\n"
    "  --require-device     fail with status 125 if there is no device\n"
    "  --serve              start mpgpu-serve, unless it runs: the device is open\n"
    "                       before the program starts, and after it ends\n"
    "  --replace            also for programs that open libgmp by themselves (Julia,\n"
    "                       PHP, ctypes): a stand-in for libgmp in LD_LIBRARY_PATH\n"
    "  --no-children        not for programs that PROGRAM starts\n"
    "  --log N              messages: 0 none, 1 warnings, 2 information, 3 details\n"
    "  --conf KEY:VALUE,... any options of mpgpu-gmp(7)\n"
    "  -h, --help, --version\n"
    "\n"
    "Options are added to MPGPU_CONF; the later wins.\n";

enum act {
    SET,
    ADD,
    SERVE,
    REPLACE,
    SPARE_CHILDREN,
    REQUIRE_DEVICE,
    PROFILE,
    ESTIMATE,
    SHOW_HELP,
    SHOW_VERSION
};
enum values { NONE, BEHIND_EQUALS, ALWAYS };

static const struct option {
    const char *name;
    enum act act;
    enum values takes;
    /* keys: the keys that an option with act SET sets, separated by blanks; value: used if the user
     * gives none */
    const char *keys, *value;
} all_options[] = {
    {"--backend", SET, ALWAYS, "backend", NULL},
    {"--device", SET, ALWAYS, "device", NULL},
    {"--threshold", SET, ALWAYS, "mul sqr mulmod", NULL},
    {"--log", SET, ALWAYS, "log", NULL},
    {"--stats", SET, BEHIND_EQUALS, "stats", "text"},
    {"--stats-file", SET, ALWAYS, "stats_file", NULL},
    {"--wait", SET, NONE, "open", "wait"},
    {"--conf", ADD, ALWAYS, NULL, NULL},
    {"--profile", PROFILE, BEHIND_EQUALS, NULL, "mpgpu-profile.html"},
    {"--estimate", ESTIMATE, BEHIND_EQUALS, NULL, "h200"},
    {"--require-device", REQUIRE_DEVICE, NONE, NULL, NULL},
    {"--serve", SERVE, NONE, NULL, NULL},
    {"--replace", REPLACE, NONE, NULL, NULL},
    {"--no-children", SPARE_CHILDREN, NONE, NULL, NULL},
    {"--help", SHOW_HELP, NONE, NULL, NULL},
    {"-h", SHOW_HELP, NONE, NULL, NULL},
    {"--version", SHOW_VERSION, NONE, NULL, NULL},
};

/* the library's options, as far as mpgpu-run knows them from MPGPU_CONF and its own options */
static struct mpgpu_conf conf;

void run_options_append(struct run_options *o, const char *item) {
    size_t before = o->conf ? strlen(o->conf) : 0, size = before + strlen(item) + 2;
    char *longer = realloc(o->conf, size);
    if (!longer)
        run_fail(RUN_FAILED, "no memory");
    snprintf(longer + before, size - before, "%s%s", before ? "," : "", item);
    o->conf = longer;
}

static int take_item(void *option, const char *name, const char *value, struct item_source source) {
    const char *renamed = conf_key_renamed(name); /* the library warns of its use */
    const struct conf_key *key = conf_key_find(renamed ? renamed : name);
    (void)source;
    if (!key)
        run_fail(RUN_FAILED, "%s: unknown key '%s'; mpgpu-gmp(7) lists them", (char *)option, name);
    if (!conf_key_set(key, &conf, value))
        run_fail(RUN_FAILED, "%s: bad value '%s' for key '%s': it takes %s", (char *)option, value,
                 name, key->help);
    return 0;
}

/* Reads an option from the MPGPU_CONF of the environment.  Ignores errors, because the library
 * warns about them. */
static int take_given(void *option, const char *name, const char *value,
                      struct item_source source) {
    const struct conf_key *key = conf_key_find(name);
    (void)option, (void)source;
    if (key)
        conf_key_set(key, &conf, value);
    return 0;
}

/* Returns the absolute path of a file, because the program may change the current folder. */
static const char *absolute_path(const char *option, const char *path) {
    static char full[PATH_MAX];
    char folder[PATH_MAX] = "";
    if (*path != '/' && !getcwd(folder, sizeof folder))
        run_fail(RUN_FAILED, "%s: the current folder is not known", option);
    const char *gap = *folder ? "/" : "";
    if ((size_t)snprintf(full, sizeof full, "%s%s%s", folder, gap, path) >= sizeof full)
        run_fail(RUN_FAILED, "%s: the path '%s' is too long", option, path);
    return full;
}

/* Fails unless the file can be written, whose name the user gave as `given`.  Does not open a FIFO:
 * closing it would end its reader before there is a report. */
static void check_writable(const char *option, const char *path, const char *given) {
    struct stat status;
    bool is_fifo = stat(path, &status) == 0 && S_ISFIFO(status.st_mode);
    int file =
        is_fifo ? -1 : open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
    if (is_fifo ? access(path, W_OK) != 0 : file < 0)
        run_fail(RUN_FAILED, "%s: '%s' cannot be written: %s", option, given, strerror(errno));
    if (file >= 0)
        close(file);
}

/* Fails if the value would not come out of MPGPU_CONF as it is: items end at commas, and blanks
 * around them are ignored. */
static void check_value(const char *option, const char *value) {
    static const char blanks[] = " \t\r\n";
    if (strchr(value, ','))
        run_fail(RUN_FAILED, "%s: a value cannot hold a comma: '%s'", option, value);
    if (strchr(blanks, value[0]) || strchr(blanks, value[strlen(value) - 1]))
        run_fail(RUN_FAILED, "%s: a value cannot begin or end with a blank: '%s'", option, value);
}

static void set(struct run_options *o, const struct option *option, const char *value) {
    char keys[32], *rest = keys, *key;
    static char item[PATH_MAX + sizeof keys];
    snprintf(keys, sizeof keys, "%s", option->keys);
    const bool is_file = strcmp(keys, "stats_file") == 0;
    const char *given = value;
    if (is_file)
        value = absolute_path(option->name, value);
    check_value(option->name, value);
    if (is_file)
        check_writable(option->name, value, given);
    while ((key = strsep(&rest, " "))) {
        const struct conf_key *known = conf_key_find(key);
        if (!conf_key_set(known, &conf, value))
            run_fail(RUN_FAILED, "%s: bad value '%s': it takes %s", option->name, value,
                     known->help);
        snprintf(item, sizeof item, "%s:%s", key, value);
        run_options_append(o, item);
    }
}

static void add(struct run_options *o, const struct option *option, const char *value) {
    if (items_of_string(value, option->name, take_item, (void *)option->name) > 0)
        exit(RUN_FAILED); /* the parser has printed the reason */
    run_options_append(o, value);
}

static _Noreturn void print(const char *text) {
    fputs(text, stdout);
    exit(output_end("mpgpu-run", 0, RUN_FAILED));
}

static void apply(struct run_options *o, const struct option *option, const char *value) {
    switch (option->act) {
    case SET:
        set(o, option, value);
        break;
    case ADD:
        add(o, option, value);
        break;
    case SERVE:
        o->serves = true;
        break;
    case REPLACE:
        o->replaces = true;
        break;
    case SPARE_CHILDREN:
        o->spares_children = true;
        break;
    case REQUIRE_DEVICE:
        o->needs_device = true;
        break;
    case PROFILE:
        free((void *)o->page);
        o->page = strdup(absolute_path(option->name, value));
        check_writable(option->name, o->page, value);
        break;
    case ESTIMATE:
        o->times = value;
        break;
    case SHOW_HELP:
        print(usage);
    case SHOW_VERSION:
        print("mpgpu-run (mpgpu-gmp) " PACKAGE_VERSION "\n");
    }
}

/* Returns the option that a word names, up to '='.  Exits if there is none. */
static const struct option *find(const char *word) {
    size_t length = strcspn(word, "=");
    for (size_t i = 0; i < sizeof all_options / sizeof *all_options; i++)
        if (strlen(all_options[i].name) == length && memcmp(all_options[i].name, word, length) == 0)
            return &all_options[i];
    run_fail(RUN_FAILED, "unknown option %s (mpgpu-run --help lists them)", word);
}

/* Reads the option `argv[0]`.  Returns the number of words that it uses. */
static int read_option(struct run_options *o, char **argv) {
    const struct option *option = find(argv[0]);
    const char *equals = strchr(argv[0], '='), *value = equals ? equals + 1 : NULL;
    int words = 1;
    if (value && option->takes == NONE)
        run_fail(RUN_FAILED, "%s takes no value", option->name);
    if (!value && option->takes == ALWAYS) {
        value = argv[1];
        words = 2;
    }
    if (!value)
        value = option->value;
    if (option->takes != NONE && !(value && *value))
        run_fail(RUN_FAILED, "%s needs a value", option->name);
    apply(o, option, value);
    return words;
}

int run_options_read(char **argv, struct run_options *o) {
    int at = 1;
    const char *given = getenv("MPGPU_CONF");
    *o = (struct run_options){.conf = NULL};
    if (given && *given)
        run_options_append(o, given);
    if (given && strstr(given, "stats"))
        items_of_string(given, "MPGPU_CONF", take_given, NULL);
    while (argv[at] && argv[at][0] == '-' && strcmp(argv[at], "--") != 0)
        at += read_option(o, argv + at);
    at += argv[at] && strcmp(argv[at], "--") == 0;
    if (!argv[at]) {
        run_say("no program given");
        fputs(usage, stderr);
        exit(RUN_FAILED);
    }
    o->reports = conf.stats != STATS_OFF || *conf.stats_file || o->page || o->times;
    return at;
}
