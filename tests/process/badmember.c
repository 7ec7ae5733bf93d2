/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Runs mpgpu-serve as a member of a group of servers. After a few right answers, the variable
 * MPGPU_TEST_MEMBER decides what happens to each answer with data: `spoils` changes a bit,
 * `shortens` cuts the answer, `hangs` sends none. */
#include "config.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "tools/serve/group/group_net.h"

enum { GOOD = 5 };

void __real_group_net_answer(uint64_t link, uint64_t number, void *payload, size_t bytes);
void __wrap_group_net_answer(uint64_t link, uint64_t number, void *payload, size_t bytes);

void __wrap_group_net_answer(uint64_t link, uint64_t number, void *payload, size_t bytes) {
    static atomic_int answers;
    const char *what = getenv("MPGPU_TEST_MEMBER");
    if (what && payload && atomic_fetch_add(&answers, 1) >= GOOD) {
        if (strcmp(what, "spoils") == 0)
            ((unsigned char *)payload)[bytes - 1] ^= 1;
        else if (strcmp(what, "shortens") == 0)
            bytes -= sizeof(uint64_t);
        else
            return;
    }
    __real_group_net_answer(link, number, payload, bytes);
}
