/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests when the library may open a device: only after GMP has spent some time in large calls. The
 * required time depends on the option `server` and on whether a server's socket exists. Each test
 * runs in a separate process. */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpu/gpu.h"
#include "lib/base/conf.h"
#include "lib/session/start/contact.h"
#include "tests/support/testing.h"

static const int64_t ms = 1000000;
static char runtime[] = "/tmp/mpgpu-test-contact.XXXXXX";

/* Sets the options, and sets XDG_RUNTIME_DIR to a new folder. If has_socket is true, creates a file
 * for a server's socket there. */
static void prepare(const char *conf, bool has_socket) {
    char path[200];
    ck_assert(mkdtemp(runtime) != NULL);
    setenv("XDG_RUNTIME_DIR", runtime, 1);
    setenv("MPGPU_CONF", conf, 1);
    conf_init();
    snprintf(path, sizeof path, "%s/mpgpu", runtime);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/mpgpu/serve-" PACKAGE_VERSION, runtime);
    if (has_socket)
        ck_assert_int_ge(open(path, O_CREAT | O_WRONLY, 0600), 0);
}

static void remove_folder(void) {
    char path[200];
    snprintf(path, sizeof path, "%s/mpgpu/serve-" PACKAGE_VERSION, runtime);
    unlink(path);
    snprintf(path, sizeof path, "%s/mpgpu", runtime);
    rmdir(path);
    rmdir(runtime);
}

/* Returns how many nanoseconds GMP must compute until the library may open a device. Measures this
 * in steps of 0.1 ms. */
static int64_t spend(void) {
    const int64_t step = ms / 10;
    int64_t spent = 0;
    ck_assert(!contact_is_allowed());
    do
        spent += step;
    while (!contact_add_time(step) && spent < 1000 * ms);
    ck_assert(contact_is_allowed());
    ck_assert(!contact_add_time(step)); /* once */
    return spent;
}

static const struct price {
    const char *conf;
    bool has_socket;
    int64_t ms;
} prices[] = {
    {"server:auto,open:background", false, 20},    {"server:auto,open:background", true, 3},
    {"server:off,open:background", false, 20},     {"server:off,open:background", true, 20},
    {"server:private,open:background", false, 20}, {"server:private,open:background", true, 20},
    {"server:only,open:background", false, 3},     {"server:only,open:background", true, 3},
};
enum { PRICES = sizeof prices / sizeof *prices };

START_TEST(by_time) {
    prepare(prices[_i].conf, prices[_i].has_socket);
    int64_t spent = spend();
    remove_folder();
    bool is_for_gpus = prices[_i].ms == 3 && mpgpu_conf.server == SERVER_AUTO;
    ck_assert_int_eq(spent / ms, is_for_gpus && !gpu_may_exist() ? 20 : prices[_i].ms);
}
END_TEST

/* contact_expect gets GMP's time for the coming call. It must allow a device only if this time and
 * the time spent before reach the required time. If it does not allow one, it must not add this
 * time. */
START_TEST(ahead) {
    prepare("server:off,open:background", false);
    remove_folder();
    for (int k = 0; k < 100; k++)
        ck_assert(!contact_expect(19 * ms));
    ck_assert(!contact_is_allowed());
    ck_assert(!contact_add_time(ms));
    ck_assert(contact_expect(19 * ms));
    ck_assert(contact_is_allowed());
}
END_TEST

START_TEST(at_once) {
    static const char *confs[] = {"open:now", "open:wait"};
    prepare(confs[_i], false);
    remove_folder();
    ck_assert(contact_is_allowed());
}
END_TEST

START_TEST(waived) {
    prepare("open:background", false);
    remove_folder();
    ck_assert(!contact_is_allowed());
    contact_allow();
    ck_assert(contact_is_allowed());
}
END_TEST

/* In a child of fork, GMP must again compute for some time before a device may be opened. Only a
 * server's device is possible there, so the required time is 3 ms. */
START_TEST(in_a_child) {
    prepare("server:auto,open:background", false);
    remove_folder();
    contact_allow();
    contact_reset();
    ck_assert_int_eq(spend() / ms, 3);
}
END_TEST

int main(void) {
    return testing_main("contact", 4,
                        TESTS(LOOP(by_time, PRICES), ONCE(ahead), LOOP(at_once, 2), ONCE(waived),
                              ONCE(in_a_child)));
}
