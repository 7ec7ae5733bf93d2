/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Functions of include/mpgpu.h that concern the whole library: version, device, number of calls
 * computed on devices. */
#include "config.h"

#include "compat/intercept/call.h"
#include "include/mpgpu.h"

EXPORT const char *mpgpu_version(void) {
    return PACKAGE_VERSION;
}

EXPORT int mpgpu_version_number(void) {
    return MPGPU_VERSION_NUMBER;
}

EXPORT int mpgpu_wait(void) {
    call_init();
    return session_wait() == OUTCOME_DONE;
}

EXPORT char *mpgpu_device(char *text, size_t size) {
    if (!text || size == 0)
        return NULL;
    call_init();
    session_describe(text, size);
    return text;
}

EXPORT unsigned long mpgpu_sent(void) {
    return call_sent();
}
