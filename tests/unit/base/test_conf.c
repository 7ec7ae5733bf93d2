/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests the parser of options, without the rest of the library. */
#include <errno.h>

#include "lib/base/conf.h"
#include "lib/base/conf_key.h"
#include "lib/base/log.h"
#include "tests/support/capture.h"
#include "tests/support/testing.h"

static struct mpgpu_conf conf; /* the result of parsing; it has the defaults at first */

static bool lacks_memory; /* true if strdup must fail */

char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);

char *__wrap_strdup(const char *text) {
    return lacks_memory ? NULL : __real_strdup(text);
}

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
    {"open", "now", "now"},
    {"mul", "0", "0"},
    {"mul", "2000", "2000"},
    {"mul", "18446744073709551613", "18446744073709551613"},
    {"sqr", "never", "never"},
    {"sqr", "auto", "auto"},
    {"mulmod", "3000", "3000"},
    {"add", "007", "7"},
    {"batch", "65536", "65536"},
    {"shard", "0", "0"},
    {"shard", "1048576", "1048576"},
    {"shard", "never", "never"},
    {"shard", "auto", "auto"},
    {"watchdog", "0", "0"},
    {"watchdog", "120", "120"},
    {"watchdog", "0.25", "0.25"},
    {"watchdog", "123456789.5", "123456789.5"},
    {"streams", "auto", "auto"},
    {"streams", "3", "3"},
    {"dispatch", "auto", "auto"},
    {"dispatch", "fixed", "fixed"},
    {"algorithm", "ntt", "ntt"},
    {"algorithm", "ssa", "ssa"},
    {"algorithm", "fft", "fft"},
    {"algorithm", "block", "block"},
    {"verify", "off", "off"},
    {"verify", "device", "device"},
    {"verify", "residue", "residue"},
    {"verify", "full", "full"},
    {"stats", "text", "text"},
    {"stats", "json", "json"},
    {"stats_file", "/tmp/a file", "/tmp/a file"},
    {"stats_sites", "/tmp/a folder", "/tmp/a folder"},
    {"log", "0", "0"},
    {"log", "3", "3"},
    {"confirm", "true", "true"},
    {"confirm", "false", "false"},
    {"clear", "true", "true"},
    {"clear", "false", "false"},
    {"cache", "/var/tmp/x y", "/var/tmp/x y"},
    {"profile", "/etc/x.profile", "/etc/x.profile"},
    {"server", "auto", "auto"},
    {"server", "off", "off"},
    {"server", "only", "only"},
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
    ck_assert_int_eq(conf_parse(&conf, text, "here"), 0);
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
    /* this value is reserved: the library stores it for the setting "auto" */
    {"mul", "18446744073709551614"},
    {"mul", "18446744073709551615"},
    {"sqr", "18446744073709551616"},
    {"mulmod", "2^13"},
    {"add", "99999999999999999999999999"},
    {"batch", "64K"},
    {"shard", "1M"},
    {"shard", "all"},
    {"watchdog", "never"},
    {"watchdog", "-1"},
    {"watchdog", ".5"},
    {"watchdog", "5."},
    {"watchdog", "1e3"},
    {"watchdog", "1.0000000001"},
    {"watchdog", "1000000001"},
    {"streams", "5"},
    {"streams", "0"},
    {"dispatch", "never"},
    {"algorithm", "dft"},
    {"verify", "1"},
    {"stats", "xml"},
    {"stats_file", ""},
    {"stats_sites", ""},
    {"log", "4"},
    {"log", "-1"},
    {"confirm", "yes"},
    {"clear", "1"},
    {"cache", ""},
    {"server", "on"},
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
    ck_assert_int_eq(conf_parse(&conf, text, "MPGPU_CONF"), 1);
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
    ck_assert_int_eq(conf_parse(&conf, "mull:3", "MPGPU_CONF"), 1);
    ck_assert_int_eq(conf_parse(&conf, "MUL:3", "MPGPU_CONF"), 1);
    ck_assert_int_eq(conf_parse(&conf, ":3", "MPGPU_CONF"), 1);
    ck_assert_int_eq(conf_parse(&conf, "mul", "MPGPU_CONF"), 1);
    ck_assert_str_eq(capture_end(), "mpgpu: MPGPU_CONF: unknown key \"mull\"\n"
                                    "mpgpu: MPGPU_CONF: unknown key \"MUL\"\n"
                                    "mpgpu: MPGPU_CONF: unknown key \"\"\n"
                                    "mpgpu: MPGPU_CONF: no value for key \"mul\"\n");
}
END_TEST

START_TEST(test_renamed) {
    capture_begin();
    ck_assert_int_eq(conf_parse(&conf, "lanes:3,shared:77", "MPGPU_CONF"), 0);
    ck_assert_str_eq(capture_end(), "mpgpu: MPGPU_CONF: key \"lanes\" is named \"streams\" now\n"
                                    "mpgpu: MPGPU_CONF: key \"shared\" is named \"shard\" now\n");
    ck_assert_str_eq(value_of("streams"), "3");
    ck_assert_str_eq(value_of("shard"), "77");
}
END_TEST

START_TEST(test_list) {
    ck_assert_int_eq(conf_parse(&conf, "", "x"), 0);
    ck_assert_int_eq(conf_parse(&conf, ",, ,", "x"), 0);
    ck_assert_int_eq(conf_parse(&conf, " mul : 5 ,sqr:6,mul:7,", "x"), 0);
    ck_assert_str_eq(value_of("mul"), "7");
    ck_assert_str_eq(value_of("sqr"), "6");
    capture_begin();
    ck_assert_int_eq(conf_parse(&conf, "mul:8,bad:1,sqr:x,add:9", "x"), 2);
    ck_assert_int_eq(count_lines(capture_end()), 2);
    ck_assert_str_eq(value_of("mul"), "8");
    ck_assert_str_eq(value_of("sqr"), "6");
    ck_assert_str_eq(value_of("add"), "9");
}
END_TEST

START_TEST(test_warning_is_one_line) {
    capture_begin();
    ck_assert_int_eq(conf_parse(&conf, "mul:1\n2\x1b[31m", "MPGPU_CONF"), 1);
    const char *warning = capture_end();
    ck_assert_int_eq(count_lines(warning), 1);
    ck_assert_ptr_null(strchr(warning, 27));
}
END_TEST

/* Without memory all options are ignored; a warning must say so. */
START_TEST(test_without_memory) {
    lacks_memory = true;
    capture_begin();
    ck_assert_int_eq(conf_parse(&conf, "mul:1", "MPGPU_CONF"), 1);
    ck_assert_str_eq(capture_end(), "mpgpu: MPGPU_CONF is ignored: no memory\n");
    ck_assert_str_eq(value_of("mul"), "auto");
}
END_TEST

START_TEST(test_messages_leave_errno) {
    close(STDERR_FILENO);
    errno = ERANGE;
    mpgpu_say("to nobody");
    ck_assert_int_eq(errno, ERANGE);
}
END_TEST

int main(void) {
    testing_set_up = reset;
    return testing_main("conf", 60,
                        TESTS(LOOP(test_good, GOODS), LOOP(test_bad, BADS),
                              ONCE(test_every_key_is_tested), ONCE(test_unknown),
                              ONCE(test_renamed), ONCE(test_list), ONCE(test_warning_is_one_line),
                              ONCE(test_without_memory), ONCE(test_messages_leave_errno)));
}
