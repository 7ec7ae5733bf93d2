/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Fuzz target: the input bytes replace the random choices of the differential test: the
 * intercepted function, its operands and their aliases. Each run compares one call with GMP's
 * own, on the first device that MPGPU_CONF allows. */
#include "config.h" /* must come first: enables system functions beyond C11 */

#include <unistd.h>

#include "include/mpgpu.h"
#include "tests/differential/differential.h"
#include "tests/fuzz/fuzz.h"

enum { MOST_LIMBS = 120, SENT_PERCENT = 90 };

static struct reference reference;
static unsigned long calls, eligible;

/* Checks at exit that the device has computed SENT_PERCENT per cent of the calls that are large
 * enough for it. Otherwise the target would only have compared GMP with itself. */
static void tell(void) {
    printf("%lu calls, %lu of %lu eligible ones computed by the device\n", calls, mpgpu_sent(),
           eligible);
    fflush(stdout);
    if (mpgpu_sent() * 100 < eligible * SENT_PERCENT)
        _exit(1);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    char conf[4096];
    const char *given = getenv("MPGPU_CONF");
    (void)argc;
    (void)argv;
    snprintf(conf, sizeof conf, DIFFERENTIAL_CONF "log:1,%s", given ? given : "");
    setenv("MPGPU_CONF", conf, 1);
    if (!reference_load(&reference)) {
        puts("skipped: no libgmp.so.10 for reference");
        exit(77);
    }
    if (!mpgpu_wait()) {
        puts("skipped: no device");
        exit(77);
    }
    atexit(tell);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct run run = {&reference, size, 1, MOST_LIMBS, 0, data, data + size};
    FUZZ_CHECK(differential_run(&run, NULL));
    calls++;
    eligible += run.eligible;
    return 0;
}
