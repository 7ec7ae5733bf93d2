/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Options: the parser alone, then files, environment and set-user-ID programs. */
#include "testing.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "capture.h"
#include "lib/conf.h"
#include "lib/conf_key.h"
#include "lib/log.h"

static struct mpgpu_conf conf; /* what a test parses into; the defaults at first */

static void reset(void) {
    conf = mpgpu_conf;
}

static const char *value_of(const char *name) {
    static char text[4200];
    const struct conf_key *key = conf_key_find(name);
    ck_assert_ptr_nonnull(key);
    conf_key_get(key, &conf, text, sizeof text);
    return text;
}

static const struct good {
    const char *key, *given, *got;
} goods[] = {
    {"backend", "auto", "auto"},
    {"backend", "cuda", "cuda"},
    {"backend", "opencl", "opencl"},
    {"backend", "none", "none"},
    {"device", "1", "1"},
    {"device", "NVIDIA H200", "NVIDIA H200"},
    {"device", "a:b", "a:b"},
    {"open", "wait", "wait"},
    {"open", "background", "background"},
    {"mul", "0", "0"},
    {"mul", "2000", "2000"},
    {"mul", "18446744073709551613", "18446744073709551613"},
    {"sqr", "never", "never"},
    {"sqr", "auto", "auto"},
    {"mulmod", "3000", "3000"},
    {"add", "007", "7"},
    {"watchdog", "0", "0"},
    {"watchdog", "120", "120"},
    {"watchdog", "0.25", "0.25"},
    {"lanes", "auto", "auto"},
    {"lanes", "3", "3"},
    {"algorithm", "ntt", "ntt"},
    {"algorithm", "ssa", "ssa"},
    {"algorithm", "block", "block"},
    {"verify", "off", "off"},
    {"verify", "device", "device"},
    {"verify", "residue", "residue"},
    {"verify", "full", "full"},
    {"stats", "text", "text"},
    {"stats", "json", "json"},
    {"log", "0", "0"},
    {"log", "3", "3"},
    {"confirm", "true", "true"},
    {"confirm", "false", "false"},
    {"cache", "/var/tmp/x y", "/var/tmp/x y"},
    {"profile", "/etc/x.profile", "/etc/x.profile"},
    {"memory", "0", "0"},
    {"memory", "1000", "1000"},
    {"memory", "2048", "2K"},
    {"memory", "512M", "512M"},
    {"memory", "3G", "3G"},
    {"memory", "16777215T", "16777215T"},
    {"memory", "18446744073709551615", "18446744073709551615"},
    {"pool", "off", "off"},
    {"pool", "auto", "auto"},
    {"pool", "0", "off"},
    {"pool", "512M", "512M"},
    {"pool", "18446744073709551614", "18446744073709551614"},
};
enum { GOODS = sizeof goods / sizeof *goods };

START_TEST(test_good) {
    const struct good *g = &goods[_i];
    char text[128];
    snprintf(text, sizeof text, "%s:%s", g->key, g->given);
    ck_assert_int_eq(mpgpu_conf_parse(&conf, text, "here"), 0);
    ck_assert_str_eq(value_of(g->key), g->got);
    int index = (int)(conf_key_find(g->key) - conf_keys);
    ck_assert_str_eq(conf.source[index].name, "here");
}
END_TEST

static const char *const bads[][2] = {
    {"backend", "vulkan"},
    {"backend", ""},
    {"backend", "cuda opencl"},
    {"device", ""},
    {"device", "0123456789012345678901234567890123456789012345678901234567890123456789"
               "01234567890123456789012345678901234567890123456789012345678"},
    {"open", "maybe"},
    {"open", "wai"},
    {"open", ""},
    {"mul", "-1"},
    {"mul", "+1"},
    {"mul", "1x"},
    {"mul", "0x10"},
    {"mul", "1.5"},
    {"mul", "1 000"},
    {"mul", ""},
    {"mul", "Never"},
    {"mul", "18446744073709551614"}, /* what means auto inside */
    {"mul", "18446744073709551615"},
    {"sqr", "18446744073709551616"},
    {"mulmod", "2^13"},
    {"add", "99999999999999999999999999"},
    {"watchdog", "never"},
    {"watchdog", "-1"},
    {"watchdog", ".5"},
    {"watchdog", "5."},
    {"watchdog", "1e3"},
    {"watchdog", "1.0000000001"},
    {"watchdog", "1000000001"},
    {"lanes", "5"},
    {"lanes", "0"},
    {"algorithm", "fft"},
    {"verify", "1"},
    {"stats", "xml"},
    {"log", "4"},
    {"log", "-1"},
    {"confirm", "yes"},
    {"cache", ""},
    {"profile", ""},
    {"memory", "1P"},
    {"memory", "1GB"},
    {"memory", "G"},
    {"memory", "16777216T"},
    {"memory", "-1M"},
    {"memory", "off"},
    {"pool", "on"},
    {"pool", "autoM"},
    {"pool", "1P"},
};
enum { BADS = sizeof bads / sizeof *bads };

START_TEST(test_bad) {
    char text[256], shown[128];
    struct mpgpu_conf before = conf;
    snprintf(text, sizeof text, "%s:%s", bads[_i][0], bads[_i][1]);
    capture_begin();
    ck_assert_int_eq(mpgpu_conf_parse(&conf, text, "MPGPU_CONF"), 1);
    const char *warning = capture_end();
    ck_assert_int_eq(count_lines(warning), 1);
    ck_assert_int_eq(strncmp(warning, "mpgpu: MPGPU_CONF: bad value \"", 30), 0);
    snprintf(shown, sizeof shown, "\"%.60s", bads[_i][1]);
    ck_assert_contains(warning, shown);
    snprintf(shown, sizeof shown, "for key \"%s\"", bads[_i][0]);
    ck_assert_contains(warning, shown);
    ck_assert_mem_eq(&conf, &before, sizeof conf);
}
END_TEST

START_TEST(test_every_key_is_tested) {
    for (int i = 0; i < CONF_KEYS; i++) {
        int good = 0, bad = 0;
        for (int j = 0; j < GOODS; j++)
            good += strcmp(goods[j].key, conf_keys[i].name) == 0;
        for (int j = 0; j < BADS; j++)
            bad += strcmp(bads[j][0], conf_keys[i].name) == 0;
        ck_assert_msg(good && bad, "%s", conf_keys[i].name);
    }
}
END_TEST

START_TEST(test_unknown) {
    capture_begin();
    ck_assert_int_eq(mpgpu_conf_parse(&conf, "mull:3", "MPGPU_CONF"), 1);
    ck_assert_int_eq(mpgpu_conf_parse(&conf, "MUL:3", "MPGPU_CONF"), 1);
    ck_assert_int_eq(mpgpu_conf_parse(&conf, ":3", "MPGPU_CONF"), 1);
    ck_assert_int_eq(mpgpu_conf_parse(&conf, "mul", "MPGPU_CONF"), 1);
    ck_assert_str_eq(capture_end(), "mpgpu: MPGPU_CONF: unknown key \"mull\"\n"
                                    "mpgpu: MPGPU_CONF: unknown key \"MUL\"\n"
                                    "mpgpu: MPGPU_CONF: unknown key \"\"\n"
                                    "mpgpu: MPGPU_CONF: no value for key \"mul\"\n");
}
END_TEST

START_TEST(test_list) {
    ck_assert_int_eq(mpgpu_conf_parse(&conf, "", "x"), 0);
    ck_assert_int_eq(mpgpu_conf_parse(&conf, ",, ,", "x"), 0);
    ck_assert_int_eq(mpgpu_conf_parse(&conf, " mul : 5 ,sqr:6,mul:7,", "x"), 0);
    ck_assert_str_eq(value_of("mul"), "7");
    ck_assert_str_eq(value_of("sqr"), "6");
    capture_begin();
    ck_assert_int_eq(mpgpu_conf_parse(&conf, "mul:8,bad:1,sqr:x,add:9", "x"), 2);
    ck_assert_int_eq(count_lines(capture_end()), 2);
    ck_assert_str_eq(value_of("mul"), "8");
    ck_assert_str_eq(value_of("sqr"), "6");
    ck_assert_str_eq(value_of("add"), "9");
}
END_TEST

START_TEST(test_warning_is_one_line) {
    capture_begin();
    ck_assert_int_eq(mpgpu_conf_parse(&conf, "mul:1\n2\x1b[31m", "MPGPU_CONF"), 1);
    const char *warning = capture_end();
    ck_assert_int_eq(count_lines(warning), 1);
    ck_assert_ptr_null(strchr(warning, 27));
}
END_TEST

START_TEST(test_messages_leave_errno) {
    close(STDERR_FILENO);
    errno = ERANGE;
    mpgpu_say("to nobody");
    ck_assert_int_eq(errno, ERANGE);
}
END_TEST

/* ---- files and the environment: a folder for each test */

static char folder[64];

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

static void make_folder(void) {
    reset();
    strcpy(folder, "/tmp/mpgpu-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void remove_folder(void) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

START_TEST(test_file) {
    char path[128];
    snprintf(path, sizeof path, "%s/x.conf", folder);
    ck_assert_int_eq(mpgpu_conf_parse_file(&conf, path), 0);
    write_file(path,
               "# a comment\n\nmul: 10  # limbs\n  sqr:20\r\ndevice:a, b\nbad:1\nadd:x\nlog:2");
    capture_begin();
    ck_assert_int_eq(mpgpu_conf_parse_file(&conf, path), 2);
    const char *warnings = capture_end();
    ck_assert_int_eq(count_lines(warnings), 2);
    ck_assert_contains(warnings, "x.conf:6: unknown key \"bad\"");
    ck_assert_contains(warnings, "x.conf:7: bad value \"x\" for key \"add\"");
    ck_assert_str_eq(value_of("mul"), "10");
    ck_assert_str_eq(value_of("sqr"), "20");
    ck_assert_str_eq(value_of("device"), "a, b");
    ck_assert_str_eq(value_of("log"), "2");
    ck_assert_int_eq(conf.source[CONF_KEY_log].line, 8);
}
END_TEST

static char printed[16384];

static void __attribute__((format(printf, 1, 2))) print_line(const char *format, ...) {
    va_list args;
    size_t at = strlen(printed);
    va_start(args, format);
    vsnprintf(printed + at, sizeof printed - at, format, args);
    va_end(args);
    strcat(printed, "\n");
}

START_TEST(test_priority) {
    char path[128], expected[256];
    snprintf(path, sizeof path, "%s/mpgpu-gmp", folder);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    strcat(path, "/mpgpu.conf");
    write_file(path, "mul:10\nsqr:20\nlog:1\n");
    setenv("XDG_CONFIG_HOME", folder, 1);
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", "/home/nobody", 1);
    setenv("MPGPU_CONF", "sqr:30", 1);
    mpgpu_conf_init();
    mpgpu_conf_print(print_line);
    snprintf(expected, sizeof expected,
             "mul:10 (%s:1)\nsqr:30 (MPGPU_CONF)\nmulmod:auto (default)\nadd:auto (default)\n",
             path);
    ck_assert_contains(printed, expected);
    ck_assert_contains(printed, "\ncache:/home/nobody/.cache/mpgpu-gmp (default)\n");
    snprintf(expected, sizeof expected, "\nprofile:%s/mpgpu-gmp (default)\n", folder);
    ck_assert_contains(printed, expected);
    ck_assert_int_eq(count_lines(printed), CONF_KEYS);
    ck_assert_int_eq(mpgpu_log_level, 1);
    setenv("MPGPU_CONF", "sqr:40", 1);
    mpgpu_conf_init();
    ck_assert_uint_eq(mpgpu_conf.sqr, 30);
}
END_TEST

START_TEST(test_relative_folders_do_not_count) {
    setenv("XDG_CONFIG_HOME", "relative", 1);
    setenv("XDG_CACHE_HOME", "relative", 1);
    unsetenv("HOME");
    unsetenv("MPGPU_CONF");
    mpgpu_conf_init();
    ck_assert_str_eq(mpgpu_conf.cache, "");
    ck_assert_str_eq(mpgpu_conf.profile, "");
}
END_TEST

START_TEST(test_confirm) {
    setenv("XDG_CONFIG_HOME", folder, 1);
    setenv("MPGPU_CONF", "confirm:true,mul:never", 1);
    capture_begin();
    mpgpu_conf_init();
    const char *text = capture_end();
    ck_assert_int_eq(count_lines(text), CONF_KEYS);
    ck_assert_contains(text, "mpgpu: mul:never (MPGPU_CONF)\n");
}
END_TEST

/* The program itself, as another user's set-user-ID program. */
static int copy_set_user_id(const char *path) {
    char command[1024];
    snprintf(command, sizeof command,
             "chmod 755 %s && cp /proc/%ld/exe %s && chown 65534 %s && chmod 4755 %s", folder,
             (long)getpid(), path, path, path);
    return system(command) == 0;
}

START_TEST(test_set_user_id) {
    char path[128], command[256], line[4200];
    int secure = 0, lines = 0;
    snprintf(path, sizeof path, "%s/test", folder);
    if (geteuid() != 0 || !copy_set_user_id(path)) {
        puts("skipped: set-user-ID, which only root can test");
        return;
    }
    setenv("MPGPU_CONF", "mul:5,log:3,nonsense", 1);
    snprintf(command, sizeof command, "%s --print 2>&1", path);
    FILE *pipe = popen(command, "r");
    while (fgets(line, sizeof line, pipe)) {
        secure |= strcmp(line, "secure\n") == 0;
        lines++;
        if (secure)
            ck_assert_msg(!strstr(line, "MPGPU_CONF") && strcmp(line, "mul:5") != 0, "%s", line);
        if (secure && strncmp(line, "cache:", 6) == 0)
            ck_assert_str_eq(line, "cache: (default)\n");
        if (secure && strncmp(line, "profile:", 8) == 0)
            ck_assert_str_eq(line, "profile: (default)\n");
        if (secure && strncmp(line, "backend:", 8) == 0)
            ck_assert_str_eq(line, "backend:none (default)\n");
    }
    int status = pclose(pipe);
    if (!secure) {
        puts("skipped: set-user-ID, which does not work in /tmp or without LD_LIBRARY_PATH here");
        return;
    }
    ck_assert_int_eq(status, 0);
    ck_assert_int_eq(lines, CONF_KEYS + 1);
}
END_TEST

static int print_options(void) {
    if (getauxval(AT_SECURE))
        puts("secure");
    mpgpu_conf_init();
    mpgpu_conf_print(print_line);
    fputs(printed, stdout);
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--print") == 0)
        return print_options();
    Suite *suite = suite_create("conf");
    TCase *parser = tcase_create("parser");
    tcase_add_checked_fixture(parser, reset, NULL);
    tcase_add_loop_test(parser, test_good, 0, GOODS);
    tcase_add_loop_test(parser, test_bad, 0, BADS);
    tcase_add_test(parser, test_every_key_is_tested);
    tcase_add_test(parser, test_unknown);
    tcase_add_test(parser, test_list);
    tcase_add_test(parser, test_warning_is_one_line);
    tcase_add_test(parser, test_messages_leave_errno);
    suite_add_tcase(suite, parser);
    TCase *sources = tcase_create("sources");
    tcase_add_checked_fixture(sources, make_folder, remove_folder);
    tcase_add_test(sources, test_file);
    tcase_add_test(sources, test_priority);
    tcase_add_test(sources, test_relative_folders_do_not_count);
    tcase_add_test(sources, test_confirm);
    tcase_add_test(sources, test_set_user_id);
    suite_add_tcase(suite, sources);
    return testing_run(suite);
}
