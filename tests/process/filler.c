/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A plug-in that needs 64 bytes of static thread-local storage. test_static_tls.sh loads copies
 * of it until none is left. */
#define EXPORT __attribute__((visibility("default")))
EXPORT void plugin_work(void);

static _Thread_local volatile char block[64] __attribute__((tls_model("initial-exec")));

void plugin_work(void) {
    block[0] = 1;
}
