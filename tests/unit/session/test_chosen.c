/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Lists of a backend's GPU and CPU, which works in a process of its own: only one of them is used.
 */
#include <stdio.h>

#include "lib/base/conf.h"
#include "lib/session/chosen.h"
#include "tests/support/testing.h"

/* ---- a backend of a GPU, device 0, and a CPU, device 1 */

static int enumerate(struct gpu_caps *caps, int max) {
    ck_assert_int_ge(max, 2);
    caps[0] = (struct gpu_caps){.name = "graphics"};
    caps[1] = (struct gpu_caps){.name = "cores", .is_cpu = true};
    return 2;
}

static const struct gpu_backend apart = {.name = "both", .enumerate = enumerate};
static const struct gpu_backend both = {.name = "both", .cpus = &apart, .enumerate = enumerate};
const struct gpu_backend *const gpu_backends[] = {&both, NULL};

/* ---- */

static const struct {
    const char *list;
    bool is_cpu; /* the device that is used */
} lists[] = {
    {"0+1", false}, {"1+0", true}, {"cores+graphics", true}, {"0+0", false}, {"all", false}};
enum { LISTS = sizeof lists / sizeof *lists };

START_TEST(one_of_a_list) {
    struct gpu_device found[4];
    snprintf(mpgpu_conf.backend, sizeof mpgpu_conf.backend, "both");
    snprintf(mpgpu_conf.device, sizeof mpgpu_conf.device, "%s", lists[_i].list);
    ck_assert_uint_eq(chosen_find(found, 4), 1);
    ck_assert_int_eq(found[0].caps.is_cpu, lists[_i].is_cpu);
    ck_assert_ptr_eq(found[0].backend, lists[_i].is_cpu ? &apart : &both);
}
END_TEST

int main(void) {
    return testing_main("chosen", 4, TESTS(LOOP(one_of_a_list, LISTS)));
}
