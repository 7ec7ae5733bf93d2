/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests the sources of options: files and the environment, and which of them a set-user-ID
 * program reads. Each test has a folder of its own. */
#include <stdarg.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "tests/support/capture.h"
#include "tests/support/testing.h"

static char folder[64];

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

static void make_folder(void) {
    /* gives the test's files no write permission for others, because the library ignores files that
     * others can write */
    umask(022);
    strcpy(folder, "/tmp/mpgpu-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void remove_folder(void) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

/* Checks that a file sets its options, and that options which it does not set keep their values. */
START_TEST(test_file) {
    char path[128];
    struct mpgpu_conf conf = mpgpu_conf;
    snprintf(path, sizeof path, "%s/x.conf", folder);
    ck_assert_int_eq(conf_parse_file(&conf, path), 0);
    write_file(path,
               "# a comment\n\nmul: 10  # limbs\n  sqr:20\r\ndevice:a, b\nbad:1\nadd:x\nlog:2");
    capture_begin();
    ck_assert_int_eq(conf_parse_file(&conf, path), 2);
    const char *warnings = capture_end();
    ck_assert_int_eq(count_lines(warnings), 2);
    ck_assert_contains(warnings, "x.conf:6: unknown key \"bad\"");
    ck_assert_contains(warnings, "x.conf:7: bad value \"x\" for key \"add\"");
    ck_assert_uint_eq(conf.mul, 10);
    ck_assert_uint_eq(conf.sqr, 20);
    ck_assert_str_eq(conf.device, "a, b");
    ck_assert_int_eq(conf.log, 2);
    ck_assert_int_eq(conf.source[CONF_KEY_log].line, 8);
}
END_TEST

/* Checks that the options file at `path` (it may set mul:10) is ignored, with a warning that gives
 * the reason `why`. */
static void expect_refused(const char *path, const char *why) {
    struct mpgpu_conf conf = mpgpu_conf;
    char warning[256];
    capture_begin();
    ck_assert_int_eq(conf_parse_file(&conf, path), 1);
    const char *text = capture_end();
    snprintf(warning, sizeof warning, "mpgpu: options in %s do not count: %s\n", path, why);
    ck_assert_str_eq(text, warning);
    ck_assert_uint_eq(conf.mul, mpgpu_conf.mul);
}

/* Checks that no part of a file counts that cannot be read as a whole. */
START_TEST(test_unreadable_file) {
    static const char zero[] = "mul:10\n\0sqr:20\n";
    char path[128], loop[128];
    snprintf(path, sizeof path, "%s/x.conf", folder);
    snprintf(loop, sizeof loop, "%s/loop.conf", folder);
    ck_assert_int_eq(symlink("loop.conf", loop), 0);
    expect_refused(loop, "Too many levels of symbolic links");
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(zero, 1, sizeof zero - 1, file), sizeof zero - 1);
    ck_assert_int_eq(fclose(file), 0);
    expect_refused(path, "it has a zero byte");
    write_file(path, "mul:10\n");
    ck_assert_int_eq(chmod(path, 0), 0);
    if (geteuid() == 0)
        puts("skipped: a file without read permission, which root can read");
    else
        expect_refused(path, "Permission denied");
    ck_assert_int_eq(chmod(path, 0600), 0);
    ck_assert_int_eq(truncate(path, 1 << 25), 0);
    expect_refused(path, "too large");
}
END_TEST

START_TEST(test_foreign_file) {
    char path[128], link[128];
    struct mpgpu_conf conf = mpgpu_conf;
    snprintf(path, sizeof path, "%s/x.conf", folder);
    snprintf(link, sizeof link, "%s/link.conf", folder);
    write_file(path, "mul:10\n");
    ck_assert_int_eq(symlink(path, link), 0);
    ck_assert_int_eq(conf_parse_file(&conf, link), 0);
    ck_assert_uint_eq(conf.mul, 10);
    ck_assert_int_eq(chmod(path, 0666), 0);
    expect_refused(path, "others can write it");
    expect_refused(link, "others can write it");
    ck_assert_int_eq(chmod(path, 0644), 0);
    if (geteuid() != 0)
        puts("skipped: a file of another user's, which only root can make");
    else if (chown(path, 65534, (gid_t)-1) == 0)
        expect_refused(path, "it is another user's");
}
END_TEST

/* Checks that a named pipe, a folder and a device file are refused, and that opening them does
 * not wait. */
START_TEST(test_odd_file) {
    char path[128];
    snprintf(path, sizeof path, "%s/x.conf", folder);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    expect_refused(path, "not a plain file");
    expect_refused(folder, "not a plain file");
    expect_refused("/dev/null", "not a plain file");
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
    conf_init();
    conf_print(print_line);
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
    conf_init();
    ck_assert_uint_eq(mpgpu_conf.sqr, 30);
}
END_TEST

START_TEST(test_relative_folders_do_not_count) {
    setenv("XDG_CONFIG_HOME", "relative", 1);
    setenv("XDG_CACHE_HOME", "relative", 1);
    unsetenv("HOME");
    unsetenv("MPGPU_CONF");
    conf_init();
    ck_assert_str_eq(mpgpu_conf.cache, "");
    ck_assert_str_eq(mpgpu_conf.profile, "");
}
END_TEST

START_TEST(test_confirm) {
    setenv("XDG_CONFIG_HOME", folder, 1);
    setenv("MPGPU_CONF", "confirm:true,mul:never", 1);
    capture_begin();
    conf_init();
    const char *text = capture_end();
    ck_assert_int_eq(count_lines(text), CONF_KEYS);
    ck_assert_contains(text, "mpgpu: mul:never (MPGPU_CONF)\n");
}
END_TEST

/* Copies this test program to `path`. The copy belongs to another user and has the set-user-ID
 * bit. */
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
        testing_skip("set-user-ID, which only root can test");
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
        testing_skip("set-user-ID, which does not work in /tmp or without LD_LIBRARY_PATH here");
        return;
    }
    ck_assert_int_eq(status, 0);
    ck_assert_int_eq(lines, CONF_KEYS + 1);
}
END_TEST

static int print_options(void) {
    if (getauxval(AT_SECURE))
        puts("secure");
    conf_init();
    conf_print(print_line);
    fputs(printed, stdout);
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--print") == 0)
        return print_options();
    testing_set_up = make_folder;
    testing_tear_down = remove_folder;
    return testing_main("conf_sources", 60,
                        TESTS(ONCE(test_file), ONCE(test_unreadable_file), ONCE(test_foreign_file),
                              ONCE(test_odd_file), ONCE(test_priority),
                              ONCE(test_relative_folders_do_not_count), ONCE(test_confirm),
                              ONCE(test_set_user_id)));
}
