/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests the library's own search for symbols in loaded objects, compared with the dynamic
 * linker's results. */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <gmp.h>
#include <string.h>

#include "lib/base/objects.h"
#include "lib/session/flint_found.h"
#include "tests/support/testing.h"

enum { NAMES = 6 };
static const char names[] =
    "__gmpz_mul\0getpid\0objects_tested\0no_such_symbol\0__gmpn_add_n\0memcpy";

int objects_tested(void) __attribute__((visibility("default"))); /* with -rdynamic */
int objects_tested(void) {
    return 7;
}

static const char *name_at(int i) {
    const char *name = names;
    for (; i > 0; i--)
        name += strlen(name) + 1;
    return name;
}

START_TEST(one_pass_finds_what_the_linker_finds) {
    void *found[NAMES];
    objects_find(NULL, NULL, names, NAMES, found);
    for (int i = 0; i < NAMES; i++)
        ck_assert_ptr_eq(found[i], dlsym(RTLD_DEFAULT, name_at(i)));
    ck_assert_ptr_nonnull(found[0]);
    ck_assert_ptr_nonnull(found[2]);
    ck_assert_ptr_null(found[3]);
    ck_assert_ptr_nonnull(found[5]);
}
END_TEST

START_TEST(one_by_one_is_the_same) {
    void *found[NAMES];
    objects_find(NULL, NULL, names, NAMES, found);
    for (int i = 0; i < NAMES; i++)
        ck_assert_ptr_eq(found[i], objects_next(NULL, name_at(i)));
}
END_TEST

START_TEST(only_behind_an_object) {
    void *found[NAMES];
    objects_find((void *)objects_tested, NULL, names, NAMES, found);
    ck_assert_ptr_null(found[2]);
    ck_assert_ptr_nonnull(found[0]);
    objects_find(found[0], NULL, names, NAMES, found);
    ck_assert_ptr_null(found[0]);
}
END_TEST

START_TEST(an_object_is_skipped) {
    void *all[NAMES], *found[NAMES];
    objects_find(NULL, NULL, names, NAMES, all);
    objects_find(NULL, objects_info(all[0]).object, names, NAMES, found);
    ck_assert_ptr_null(found[0]);
    ck_assert_ptr_null(found[4]);
    ck_assert_ptr_eq(found[1], all[1]);
    ck_assert_ptr_eq(found[2], all[2]);
}
END_TEST

/* FLINT has the intercepted function from version 2.5 on. */
START_TEST(versions_of_flint) {
    static const struct {
        char text[8];
        bool is_known;
    } all[] = {{"2.4.5", false}, {"2.5", true},    {"2.5.2", true}, {"2.9.0", true},
               {"3.0.0", true},  {"3.12.1", true}, {"1.6", false},  {"4.0.0", false},
               {"", false},      {"2", false},     {"20.5", false}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        ck_assert_msg(flint_found_at(all[i].text).is_known == all[i].is_known, "%s", all[i].text);
}
END_TEST

int main(void) {
    mpz_t gmp; /* uses GMP, so that the linker does not drop libgmp */
    mpz_init(gmp);
    mpz_mul(gmp, gmp, gmp);
    mpz_clear(gmp);
    return testing_main("objects", 4,
                        TESTS(ONCE(one_pass_finds_what_the_linker_finds),
                              ONCE(one_by_one_is_the_same), ONCE(only_behind_an_object),
                              ONCE(an_object_is_skipped), ONCE(versions_of_flint)));
}
