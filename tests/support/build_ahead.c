/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Builds the GPU programs that most tests use, each once, before the tests run, with one process
 * for each CPU.  Otherwise tests that begin at the same time would build the same programs.  Also,
 * a test's end would interrupt the builds of its helper processes.  For a CPU, this builds programs
 * in two forms: for CPUs and for GPUs. */
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

/* Builds the backend's programs in all forms.  Returns the number of forms that were not built. */
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
