/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests profiles (files with a device's thresholds and speeds): their text, which profile the
 * library chooses for a device, and the estimate for an unknown device. */
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/base/profile.h"
#include "tests/support/capture.h"
#include "tests/support/testing.h"

static struct profile p;

static int parse(const char *text) {
    char *copy = strdup(text);
    profile_clear(&p);
    int warnings = profile_parse(copy, "here", &p);
    free(copy);
    return warnings;
}

START_TEST(values) {
    ck_assert_int_eq(parse("# x\n\nbackend: cuda # y\ndevice: NVIDIA H200\ncpu:no\nmul: 800\n"
                           "sqr:never\ndiv: 5\nfib: never\nalgorithm: 1 block\n"
                           "algorithm: 300\tntt\nmulmod_algorithm: 5 block\n"),
                     0);
    ck_assert_str_eq(p.backend, "cuda");
    ck_assert_str_eq(p.device, "NVIDIA H200");
    ck_assert_str_eq(p.vendor, "");
    ck_assert_int_eq(p.cpu, PROFILE_NO_CPU);
    ck_assert_uint_eq(profile_limbs(&p, PROFILE_mul), 800);
    ck_assert_uint_eq(profile_limbs(&p, PROFILE_sqr), MPGPU_NEVER);
    ck_assert_uint_eq(p.value[PROFILE_mulmod], MPGPU_UNSET);
    ck_assert_uint_eq(profile_limbs(&p, PROFILE_div), 4000);
    ck_assert_uint_eq(profile_limbs(&p, PROFILE_powm), 1600); /* twice, by default */
    ck_assert_uint_eq(profile_limbs(&p, PROFILE_pow), MPGPU_NEVER);
    ck_assert_uint_eq(profile_limbs(&p, PROFILE_fib), MPGPU_NEVER);
    ck_assert_int_eq(p.source[PROFILE_mul].line, 6);
    ck_assert_int_eq(profile_algorithm(&p, PROFILE_PRODUCTS, 0), ALGORITHM_AUTO);
    ck_assert_int_eq(profile_algorithm(&p, PROFILE_PRODUCTS, 299), ALGORITHM_BLOCK);
    ck_assert_int_eq(profile_algorithm(&p, PROFILE_PRODUCTS, 300), ALGORITHM_NTT);
    ck_assert_int_eq(profile_algorithm(&p, PROFILE_PRODUCTS, MPGPU_NEVER), ALGORITHM_NTT);
    ck_assert_int_eq(profile_algorithm(&p, PROFILE_MODULAR_PRODUCTS, 4), ALGORITHM_AUTO);
    ck_assert_int_eq(profile_algorithm(&p, PROFILE_MODULAR_PRODUCTS, 5), ALGORITHM_BLOCK);
    parse("algorithm: 300 ntt\n");
    ck_assert_int_eq(profile_algorithm(&p, PROFILE_MODULAR_PRODUCTS, 300), ALGORITHM_NTT);
}
END_TEST

START_TEST(times_have_bounds) {
    ck_assert_int_eq(parse("mul: 0\nsqr: 1\ndiv: 1\npow: 1844674407370955160\nfib: 100.0\n"), 0);
    ck_assert_uint_eq(profile_limbs(&p, PROFILE_div), 4);
    ck_assert_uint_eq(profile_limbs(&p, PROFILE_powm), 2);
    ck_assert_uint_eq(profile_limbs(&p, PROFILE_pow), 1844674407370955160u);
    ck_assert_uint_eq(profile_limbs(&p, PROFILE_fib), 100);
    parse("sqr: 2\npow: 1844674407370955160\n");
    ck_assert_uint_eq(profile_limbs(&p, PROFILE_pow), MPGPU_NEVER);
    parse("mul: 101\ndiv: 4.2\npowm: 0.9\nsqrt: 12.0\n");
    ck_assert_uint_eq(profile_limbs(&p, PROFILE_div), 425);
    ck_assert_uint_eq(profile_limbs(&p, PROFILE_powm), 91);
    ck_assert_uint_eq(profile_limbs(&p, PROFILE_sqrt), 1212);
}
END_TEST

static void check_near(enum profile_threshold kind, size_t limbs, double ns) {
    double got = (double)profile_gmp_ns(&p, kind, limbs);
    ck_assert_msg(got > ns * 0.998 && got < ns * 1.002, "%zu limbs: %g, not %g", limbs, got, ns);
}

/* Checks the times that are interpolated between known sizes. The time for n limbs is c n^e, with c
 * and e from the two nearest known sizes. Outside the known sizes, e is limited to the range from 1
 * to 2. */
START_TEST(times_of_gmp) {
    ck_assert_int_eq(parse("gmp_mul: 256 13700\ngmp_mul: 1024\t99600\ngmp_mul: 4096 687000\n"
                           "gmp_sqr: 100 1000\ngmp_sqr: 200 8000\ngmp_sqr: 400 8500\n"
                           "gmp_div: 1000 50000\n"),
                     0);
    ck_assert_uint_eq(profile_gmp_ns(&p, PROFILE_mul, 256), 13700);
    ck_assert_uint_eq(profile_gmp_ns(&p, PROFILE_mul, 1024), 99600);
    ck_assert_uint_eq(profile_gmp_ns(&p, PROFILE_mul, 4096), 687000);
    ck_assert_uint_eq(profile_gmp_ns(&p, PROFILE_mulmod, 1024), 49800);
    check_near(PROFILE_mul, 512, 36939.7); /* the geometric mean */
    check_near(PROFILE_mul, 2048, 261581);
    /* extrapolated by c n^e through the first two known sizes: 13700 * 13700 / 99600 */
    check_near(PROFILE_mul, 64, 1884.4);
    /* extrapolated by c n^e through the last two known sizes: 687000 * 687000 / 99600 */
    check_near(PROFILE_mul, 16384, 4738584);
    /* the exponent e is 3 between the first two known sizes; below the first size it is limited to
     * 2 */
    check_near(PROFILE_sqr, 50, 250);
    /* the exponent e is 0.09 between the last two known sizes; above the last size it is raised to
     * 1 */
    check_near(PROFILE_sqr, 800, 17000);
    check_near(PROFILE_div, 100, 5000); /* one step: 1 */
    check_near(PROFILE_div, 3000, 150000);
    ck_assert_uint_eq(profile_gmp_ns(&p, PROFILE_mul, 0), 0);
    ck_assert_uint_ge(profile_gmp_ns(&p, PROFILE_mul, SIZE_MAX), UINT64_C(1) << 62);
    ck_assert_uint_eq(profile_gmp_ns(&p, PROFILE_gcd, 1000), 0);
    parse("mul: 7\n");
    ck_assert_uint_eq(profile_gmp_ns(&p, PROFILE_mul, 1000), 0);
}
END_TEST

/* If the known times ascend, the interpolated times must ascend, too. */
START_TEST(times_of_gmp_ascend) {
    parse("gmp_mul: 60 700\ngmp_mul: 256 13700\ngmp_mul: 1048576 340000000\n");
    uint64_t before = 0;
    for (size_t limbs = 1; limbs < (size_t)1 << 40; limbs += 1 + limbs / 7) {
        uint64_t ns = profile_gmp_ns(&p, PROFILE_mul, limbs);
        ck_assert_uint_ge(ns, before - before / 1000);
        before = ns;
    }
}
END_TEST

static const char *const bads[][2] = {
    {"mul: 1x", "bad value \"1x\" for key \"mul\""},
    {"mul: -1", "bad value \"-1\""},
    {"mul", "no value for key \"mul\""},
    {"mule: 3", "unknown key \"mule\""},
    {"div: 0", "bad value \"0\" for key \"div\""},
    {"div: 0.0", "bad value \"0.0\" for key \"div\""},
    {"div: 4.", "bad value \"4.\""},
    {"div: .5", "bad value \".5\""},
    {"div: 4.25", "bad value \"4.25\""},
    {"div: 4.x", "bad value \"4.x\""},
    {"div: never.5", "bad value"},
    {"div: 18446744073709551613", "bad value"},
    {"mul: 4.2", "bad value \"4.2\""},
    {"cpu: maybe", "bad value \"maybe\" for key \"cpu\""},
    {"backend:", "bad value \"\" for key \"backend\""},
    {"backend: 1234567890123456", "for key \"backend\""},
    {"algorithm: 100", "for key \"algorithm\""},
    {"algorithm: 100 dft", "bad value \"100 dft\""},
    {"algorithm: never ntt", "bad value"},
    {"mulmod_algorithm: 7", "for key \"mulmod_algorithm\""},
    {"algorithm: auto ntt", "bad value"},
    {"gmp_mul: 100", "bad value \"100\" for key \"gmp_mul\""},
    {"gmp_mul: 100 0", "bad value \"100 0\""},
    {"gmp_sqr: 0 100", "bad value \"0 100\""},
    {"gmp_div: 100 fast", "bad value \"100 fast\" for key \"gmp_div\""},
    {"gmp_div: never 7", "bad value"},
    {"gmp_div: 7 never", "bad value"},
    {"gmp_div: 9223372036854775808 7", "bad value"},
    {"gmp_mul: 1 2 3", "bad value \"1 2 3\""},
    {"gmp_powm: 1 2", "unknown key \"gmp_powm\""},
    /* refused: the line before it already chooses an algorithm for the threshold 50 */
    {"algorithm: 50 ntt", "bad value \"50 ntt\""},
};
enum { BADS = sizeof bads / sizeof *bads };

START_TEST(bad_line) {
    char text[256];
    snprintf(text, sizeof text, "sqr: 7\nalgorithm: 50 block\n%s\nadd: 8\n", bads[_i][0]);
    capture_begin();
    ck_assert_int_eq(parse(text), 1);
    const char *warning = capture_end();
    ck_assert_int_eq(count_lines(warning), 1);
    ck_assert_contains(warning, "mpgpu: here:3: ");
    ck_assert_contains(warning, bads[_i][1]);
    ck_assert_uint_eq(p.value[PROFILE_sqr], 7);
    ck_assert_uint_eq(p.value[PROFILE_add], 8);
    ck_assert_uint_eq(p.value[PROFILE_mul], MPGPU_UNSET);
    ck_assert_int_eq(p.choice[PROFILE_PRODUCTS].steps, 1);
}
END_TEST

START_TEST(too_many_steps) {
    char text[4096] = "";
    for (int i = 1; i <= PROFILE_MOST_STEPS + 2; i++)
        sprintf(text + strlen(text), "algorithm: %d ntt\n", i);
    capture_begin();
    ck_assert_int_eq(parse(text), 2);
    capture_end();
    ck_assert_int_eq(p.choice[PROFILE_PRODUCTS].steps, PROFILE_MOST_STEPS);
}
END_TEST

START_TEST(written_and_parsed_again) {
    static const char all[] = "backend: cuda\ndevice: X\nvendor: Y\ncpu: no\nmul: 800\nsqr: never\n"
                              "div: 4.2\nalgorithm: 1 block\nalgorithm: 300 ntt\n"
                              "mulmod_algorithm: 5 ssa\nmulmod_other_algorithm: 6 fft\ngmp_mul: 64 "
                              "1900\ngmp_mul: 256 13700\n"
                              "gmp_sqr: 64 1300\ngmp_div: 64 5000\n";
    char *text = NULL;
    size_t size;
    parse(all);
    FILE *file = open_memstream(&text, &size);
    profile_write(file, &p);
    fclose(file);
    ck_assert_str_eq(text, all);
    free(text);
}
END_TEST

static char printed[4096];

static __attribute__((format(printf, 1, 2))) void print_line(const char *format, ...) {
    size_t used = strlen(printed);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(printed + used, sizeof printed - used - 1, format, arguments);
    va_end(arguments);
    strcat(printed, "\n");
}

START_TEST(printed_with_its_source) {
    parse("mul: 800\nsqr: never\ndiv: 5\ngmp_div: 64 5000\ngmp_div: 128 11000\n");
    profile_print(&p, print_line);
    ck_assert_str_eq(printed, "mul: 800 limbs (here:1)\nsqr: never (here:2)\n"
                              "div: 5 times mul, 4000 limbs (here:3)\n"
                              "gmp_div: 64 5000 ns (here)\ngmp_div: 128 11000 ns (here)\n");
}
END_TEST

/* ---- which profile a device gets */

static char folder[64];
static const struct gpu_caps h200 = {.name = "NVIDIA H200",
                                     .vendor = "NVIDIA",
                                     .compute_units = 132,
                                     .memory_bytes = UINT64_C(140) << 30};
static const struct gpu_caps other = {
    .name = "Some GPU", .vendor = "ACME", .compute_units = 64, .memory_bytes = UINT64_C(8) << 30};

static void write_file(const char *name, const char *text, mode_t mode) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
    ck_assert_int_eq(chmod(path, mode), 0);
}

static void make_folder(void) {
    strcpy(folder, "/tmp/mpgpu-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    strcpy(mpgpu_conf.profile, folder);
}

static void remove_folder(void) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

static void expect(enum profile_threshold which, size_t value, const char *source) {
    char text[512];
    items_describe(p.source[which], text, sizeof text);
    ck_assert_uint_eq(p.value[which], value);
    ck_assert_msg(strstr(text, source) != NULL, "%s, not %s", text, source);
}

START_TEST(the_more_precise_first) {
    write_file("a.profile", "backend: cuda\ndevice: h200\nmul: 11\nalgorithm: 5 ntt\n", 0644);
    write_file("b.profile", "mul: 12\nsqr: 13\n", 0600);
    write_file("c.profile", "device: H100\nadd: 14\n", 0644);
    write_file("d.conf", "add: 15\n", 0644);
    write_file("e.profile", "add: 16\n", 0666);
    mpgpu_conf.mulmod = 17;
    mpgpu_conf.source[CONF_KEY_mulmod].name = "MPGPU_CONF";
    profile_load();
    profile_choose("cuda", &h200, &p);
    expect(PROFILE_mul, 11, "a.profile:3");
    expect(PROFILE_sqr, 13, "b.profile:2");
    expect(PROFILE_mulmod, 17, "MPGPU_CONF");
    expect(PROFILE_add, p.value[PROFILE_add], "built-in cuda-h200");
    ck_assert_int_eq(profile_algorithm(&p, PROFILE_PRODUCTS, 5), ALGORITHM_NTT);
    for (int i = 0; i < PROFILE_THRESHOLDS; i++)
        ck_assert_uint_ne(p.value[i], MPGPU_UNSET);
    profile_choose("opencl", &h200, &p);
    expect(PROFILE_mul, 12, "b.profile:1");
    expect(PROFILE_add, p.value[PROFILE_add], "built-in opencl-h200");
    profile_smallest(0, &p);
    expect(PROFILE_mul, 11, "");
    expect(PROFILE_mulmod, 17, "MPGPU_CONF");
    expect(PROFILE_add, 14, "");
    /* a device without a profile uses the default profile */
    ck_assert_uint_le(p.value[PROFILE_div], 40);
}
END_TEST

/* GMP's times come from the user's profile, otherwise from the built-in one. The choice is made for
 * each function separately. */
START_TEST(times_of_gmp_by_profile) {
    write_file("a.profile", "device: h200\ngmp_mul: 100 12345\n", 0644);
    profile_load();
    profile_choose("cuda", &h200, &p);
    ck_assert_uint_eq(profile_gmp_ns(&p, PROFILE_mul, 100), 12345);
    ck_assert_int_eq(p.cost[PROFILE_GMP_MUL].steps, 1);
    ck_assert_str_eq(p.cost[PROFILE_GMP_SQR].source.name, "built-in cuda-h200");
    ck_assert_uint_gt(profile_gmp_ns(&p, PROFILE_sqr, 100), 0);
    profile_choose("opencl", &other, &p);
    ck_assert_uint_eq(profile_gmp_ns(&p, PROFILE_mul, 100), 0);
}
END_TEST

START_TEST(built_in) {
    struct gpu_caps caps = h200;
    profile_load();
    profile_choose("cuda", &h200, &p);
    expect(PROFILE_mul, p.value[PROFILE_mul], "built-in cuda-h200");
    strcpy(caps.name, "NVIDIA H100 80GB HBM3");
    profile_choose("opencl", &caps, &p);
    expect(PROFILE_batch, p.value[PROFILE_batch], "built-in opencl-h200");
    strcpy(caps.name, "NVIDIA X1");
    profile_choose("cuda", &caps, &p);
    expect(PROFILE_mul, p.value[PROFILE_mul], "built-in cuda-nvidia");
    ck_assert_uint_lt(p.value[PROFILE_batch], MPGPU_UNSET);
    profile_choose("opencl", &other, &p);
    expect(PROFILE_mul, p.value[PROFILE_mul], "guess");
    caps.is_cpu = 1;
    profile_choose("opencl", &caps, &p);
    expect(PROFILE_mul, p.value[PROFILE_mul], "built-in opencl-cpu");
}
END_TEST

/* Checks that all built-in profiles parse without a warning: a typing error in one would warn
 * every user. */
START_TEST(built_in_have_no_bad_line) {
    for (const struct profile_text *t = profile_texts; t->name; t++)
        ck_assert_int_eq(parse(t->text), 0);
}
END_TEST

/* Checks profile_texts_least, a table that the build makes: the smallest threshold of each function
 * in all built-in profiles. */
START_TEST(least_of_built_in) {
    for (int cpus = 0; cpus < 2; cpus++) {
        size_t least[PROFILE_THRESHOLDS];
        for (int i = 0; i < PROFILE_THRESHOLDS; i++)
            least[i] = MPGPU_UNSET;
        for (const struct profile_text *t = profile_texts; t->name; t++) {
            parse(t->text);
            for (int i = 0; i < PROFILE_THRESHOLDS; i++)
                if (p.value[i] != MPGPU_UNSET && !(cpus && p.cpu == PROFILE_NO_CPU) &&
                    (least[i] == MPGPU_UNSET || p.value[i] < least[i]))
                    least[i] = p.value[i];
        }
        for (int i = 0; i < PROFILE_THRESHOLDS; i++)
            ck_assert_uint_eq(profile_texts_least[cpus][i], least[i]);
    }
    ck_assert_uint_lt(profile_texts_least[0][PROFILE_mul], MPGPU_UNSET);
}
END_TEST

/* Checks profile_is_given: it returns true if the user has set a threshold other than `never`, by
 * an option or in a profile. A profile with the line "cpu: no" does not count. */
START_TEST(thresholds_that_are_given) {
    ck_assert(!profile_is_given());
    mpgpu_conf.sqr = MPGPU_NEVER;
    ck_assert(!profile_is_given());
    mpgpu_conf.sqr = 5;
    ck_assert(profile_is_given());
    mpgpu_conf.sqr = MPGPU_UNSET;
    write_file("gpu.profile", "cpu: no\nmul: 11\n", 0644);
    write_file("choice.profile", "algorithm: 5 ntt\n", 0644);
    profile_load();
    ck_assert(!profile_is_given());
    /* profile_choose reads the built-in profiles, but their thresholds must not count as set by the
     * user. */
    profile_choose("opencl", &other, &p);
    ck_assert(!profile_is_given());
    write_file("any.profile", "mul: 11\n", 0644);
    profile_load();
    ck_assert(profile_is_given());
}
END_TEST

START_TEST(products_alone) {
    profile_load();
    profile_choose("cuda", &h200, &p);
    size_t mul = p.value[PROFILE_mul], add = p.value[PROFILE_add];
    profile_keep_to_products(&p);
    ck_assert_uint_eq(profile_limbs(&p, PROFILE_mul), mul);
    ck_assert_uint_eq(profile_limbs(&p, PROFILE_add), add);
    for (int i = PROFILE_div; i <= PROFILE_set_str; i++)
        ck_assert_uint_eq(profile_limbs(&p, i), MPGPU_NEVER);
}
END_TEST

START_TEST(one_file) {
    snprintf(mpgpu_conf.profile, sizeof mpgpu_conf.profile, "%s/mine", folder);
    write_file("mine", "mul: 21\n", 0644);
    write_file("x.profile", "mul: 22\n", 0644);
    profile_load();
    profile_choose("opencl", &other, &p);
    expect(PROFILE_mul, 21, "/mine:1");
}
END_TEST

START_TEST(what_others_can_write_does_not_count) {
    write_file("x.profile", "mul: 22\n", 0664);
    mpgpu_log_level = LOG_WARNING;
    capture_begin();
    profile_load();
    ck_assert_contains(capture_end(), "x.profile is not used: others can write it");
    profile_choose("opencl", &other, &p);
    expect(PROFILE_mul, p.value[PROFILE_mul], "guess");
}
END_TEST

START_TEST(what_is_named_has_to_be_there) {
    snprintf(mpgpu_conf.profile, sizeof mpgpu_conf.profile, "%s/none", folder);
    capture_begin();
    profile_load();
    ck_assert_str_eq(capture_end(), "");
    mpgpu_conf.source[CONF_KEY_profile].name = "MPGPU_CONF";
    capture_begin();
    profile_load();
    ck_assert_contains(capture_end(), "/none is not used: No such file");
}
END_TEST

START_TEST(file_of_a_device) {
    char path[64];
    struct gpu_caps caps = {.name = "A (B)/../x 1.5 @2"};
    ck_assert_int_eq(profile_path("/f/g", "opencl", &caps, path, sizeof path), 1);
    ck_assert_str_eq(path, "/f/g/opencl-A--B--..-x-1.5--2.profile");
    ck_assert_int_eq(profile_path("/f/g", "opencl", &caps, path, 20), 0);
}
END_TEST

/* ---- the estimate */

static size_t guess(const char *backend, unsigned units) {
    struct gpu_caps caps = other;
    caps.compute_units = units;
    profile_model(backend, &caps, &p);
    ck_assert_uint_ge(p.value[PROFILE_sqr], p.value[PROFILE_mul]);
    ck_assert_uint_ge(p.value[PROFILE_mulmod], p.value[PROFILE_sqr]);
    ck_assert_uint_eq(p.value[PROFILE_add], MPGPU_NEVER);
    return p.value[PROFILE_mul];
}

START_TEST(model) {
    struct gpu_caps caps = other;
    for (unsigned units = 0; units < 300; units++) {
        ck_assert_uint_ge(guess("opencl", units), guess("opencl", units + 1));
        ck_assert_uint_ge(guess("opencl", units), guess("cuda", units));
        /* the guessed threshold must be cautious: at least 2000, although the real threshold of an
         * H200 is below 1000 */
        ck_assert_uint_ge(guess("cuda", units), 2000);
    }
    ck_assert_uint_le(guess("opencl", 24), 40000);
    caps.is_cpu = 1;
    profile_model("opencl", &caps, &p);
    ck_assert_uint_eq(p.value[PROFILE_mul], MPGPU_NEVER);
    caps.is_cpu = 0;
    caps.memory_bytes = 1 << 20;
    profile_model("opencl", &caps, &p);
    ck_assert_uint_eq(p.value[PROFILE_mul], MPGPU_NEVER);
}
END_TEST

int main(void) {
    testing_set_up = make_folder;
    testing_tear_down = remove_folder;
    return testing_main(
        "profile", 60,
        TESTS(ONCE(values), ONCE(times_have_bounds), LOOP(bad_line, BADS), ONCE(too_many_steps),
              ONCE(times_of_gmp), ONCE(times_of_gmp_ascend), ONCE(written_and_parsed_again),
              ONCE(printed_with_its_source), ONCE(built_in_have_no_bad_line),
              ONCE(least_of_built_in), ONCE(model), ONCE(file_of_a_device),
              ONCE(the_more_precise_first), ONCE(built_in), ONCE(times_of_gmp_by_profile),
              ONCE(thresholds_that_are_given), ONCE(products_alone), ONCE(one_file),
              ONCE(what_others_can_write_does_not_count), ONCE(what_is_named_has_to_be_there)));
}
