/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A look at a batch's numbers by the device's thread. */
#include "lib/operate/batches/look_run.h"

#include "lib/session/session.h"

struct request {
    gpu_mem v;
    uint64_t count;
    uint32_t words;
    struct euclid_found found;
};

static enum gpu_status look_there(struct context *s, void *context) {
    struct request *r = context;
    return euclid_look(s, r->v, r->count, r->words, &r->found);
}

enum outcome euclid_run_look(gpu_mem v, uint64_t count, uint32_t words,
                             struct euclid_found *found) {
    struct request r = {.v = v, .count = count, .words = words};
    enum outcome outcome = session_run(look_there, &r, sizeof r, 0);
    *found = r.found;
    return outcome;
}
