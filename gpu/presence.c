/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Detects a GPU by the device files of kernel drivers. NVIDIA's library may create its device files
 * only at first use, but the files that describe its kernel driver exist before. Loading a driver's
 * library instead would cost at least 0.1 s, even on a machine without a GPU. */
#include "config.h"

#include <stdio.h>
#include <unistd.h>

#include "gpu/gpu.h"

/* minor numbers of DRM's render nodes, which give access to a GPU without its display */
enum { FIRST_RENDER = 128, LAST_RENDER = 143 };

bool gpu_may_exist(void) {
    static const char files[][sizeof "/proc/driver/nvidia/version"] = {
        "/proc/driver/nvidia/version",
        "/dev/nvidiactl",
        "/dev/nvidia0",
        "/dev/nvgpu",
        "/dev/nvhost-gpu",
        "/dev/nvmap",
        "/dev/dxg",
        "/dev/kfd",
        "/dev/kgsl-3d0",
        "/dev/mali0",
        "/dev/galcore",
        "/dev/pvr_sync",
        "/dev/xdna",
        "/dev/accel/accel0"};
    char name[32];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (access(files[i], F_OK) == 0)
            return true;
    for (int i = FIRST_RENDER; i <= LAST_RENDER; i++) {
        snprintf(name, sizeof name, "/dev/dri/renderD%d", i);
        if (access(name, F_OK) == 0)
            return true;
    }
    return false;
}
