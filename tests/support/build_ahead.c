/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Before the tests: builds the programs that most tests use, each once, with one process for each
 * CPU.  Otherwise tests that begin at the same time would build the same programs, and each
 * process's helpers would end with it during a build.  For a CPU there are two forms: programs for
 * CPUs and programs for GPUs.
 */
#include "config.h"

#include "tests/support/devices.h"
#include "tools/build_kernels.h"

static void build_in_child(const struct gpu_backend *backend, bool of_gpus) {
    char conf[64];
    snprintf(conf, sizeof conf, "backend:%s,watchdog:600", backend->name);
    setenv("MPGPU_CONF", conf, 1);
    if (of_gpus)
        gpu_use_kernels_of_gpus();
    _exit(build_kernels());
}

/* The number of forms that were not built. */
static int build(const struct gpu_backend *backend) {
    int failed = 0, status, forms = has_cpu_first(backend) ? 2 : 1;
    for (int form = 0; form < forms; form++) {
        pid_t child = fork();
        if (child == 0)
            build_in_child(backend, form == 1);
        if (waitpid(child, &status, 0) != child || status != 0)
            failed++;
    }
    return failed;
}

int main(void) {
    int with_devices = 0, failed = 0;
    for (const struct gpu_backend *const *b = gpu_backends; *b; b++) {
        if (devices_of(*b) == 0)
            continue;
        with_devices++;
        failed += build(*b);
    }
    if (with_devices == 0)
        puts("skipped: no device");
    return failed > 0 ? EXIT_FAILURE : with_devices == 0 ? 77 : EXIT_SUCCESS;
}
