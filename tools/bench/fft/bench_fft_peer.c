/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Which other library's transforms stand beside ours. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "tools/bench/fft/bench_fft.h"

/* To this many values in all FFTW measures its plans; above, it estimates. */
static const uint64_t measured_values = UINT64_C(1) << 20;

const struct bench_peer *bench_fft_peer(const struct bench_fft *f, const struct gpu_device *dev) {
    if (dev->caps.is_cpu)
        return f->plan.n * f->batch <= measured_values ? &bench_fftw_measure : &bench_fftw_estimate;
    return strncmp(dev->caps.vendor, "NVIDIA", 6) == 0 ? &bench_cufft : NULL;
}

void *bench_library(const char *const *libraries) {
    for (int i = 0; libraries[i]; i++) {
        void *library = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
        if (library)
            return library;
    }
    printf("no %s on this machine\n", libraries[0]);
    return NULL;
}

bool bench_symbols(void *library, const char *const *names, void **symbols, int count) {
    for (int i = 0; i < count; i++) {
        symbols[i] = dlsym(library, names[i]);
        if (!symbols[i]) {
            printf("no function %s on this machine\n", names[i]);
            return false;
        }
    }
    return true;
}
