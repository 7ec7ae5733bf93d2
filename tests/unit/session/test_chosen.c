/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests lists of devices in the option `device`. Each device of the list must be used once, in the
 * order of the list. */
#include <stdio.h>

#include "lib/base/conf.h"
#include "lib/session/chosen.h"
#include "tests/support/testing.h"

/* ---- a mock backend with two devices: device 0 is a GPU, device 1 a CPU */

static int enumerate(struct gpu_caps *caps, int max) {
    ck_assert_int_ge(max, 2);
    caps[0] = (struct gpu_caps){.name = "graphics"};
    caps[1] = (struct gpu_caps){.name = "cores", .is_cpu = true};
    return 2;
}

static const struct gpu_backend both = {.name = "both", .enumerate = enumerate};
const struct gpu_backend *const gpu_backends[] = {&both, NULL};

/* ---- */

static const struct {
    const char *list;
    unsigned count;
    int index[2];
} lists[] = {{"0+1", 2, {0, 1}}, {"1+0", 2, {1, 0}}, {"cores+graphics", 2, {1, 0}},
             {"0+0", 1, {0}},    {"none+1", 1, {1}}, {"graphics+0+cores", 2, {0, 1}},
             {"all", 1, {0}}};
enum { LISTS = sizeof lists / sizeof *lists };

START_TEST(devices_of_a_list) {
    struct gpu_device found[4];
    snprintf(mpgpu_conf.backend, sizeof mpgpu_conf.backend, "both");
    snprintf(mpgpu_conf.device, sizeof mpgpu_conf.device, "%s", lists[_i].list);
    ck_assert_uint_eq(chosen_find(found, 4), lists[_i].count);
    for (unsigned k = 0; k < lists[_i].count; k++)
        ck_assert_int_eq(found[k].index, lists[_i].index[k]);
}
END_TEST

int main(void) {
    return testing_main("chosen", 4, TESTS(LOOP(devices_of_a_list, LISTS)));
}
