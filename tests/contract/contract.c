/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Compares GMP's function with the intercepted function.  These properties must hold:
 *
 * 1. If more limbs are allocated for a result than it needs, it is written in place if GMP does so:
 *    neither the address of its limbs nor the allocation changes.
 * 2. The same holds for the smallest allocation at which GMP does not reallocate.  It is tested
 *    for each part of each result separately.
 * 3. If no limbs are allocated, a result gets at most the allocation that GMP gives it.
 * 4. The number of blocks that are requested from the program's memory functions, the largest
 *    block, and the most memory that is allocated at once are at most GMP's.
 * 5. Blocks are reallocated and freed with the sizes that were requested, and nothing is written
 *    behind their ends.
 * 6. Operands are never written: they are in read-only memory. */
#include "tests/contract/contract.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* AMPLE: extra limbs that suffice for the result of every function.  MOST_EXTRA: the search for the
 * smallest sufficient allocation tries at most this many extra limbs. */
enum { AMPLE = 20000, MOST_EXTRA = 24 };

enum step { START, ROOMY_GMP, ROOMY_OURS, EMPTY_GMP, EMPTY_OURS, LEAST_GMP, LEAST_OURS, END };

static const char *current = "";
static unsigned long failures;

const char *contract_current(void) {
    return current;
}

unsigned long contract_failures(void) {
    return failures;
}

static void fail(const char *function, const char *format, ...) {
    va_list list;
    va_start(list, format);
    fprintf(stderr, "contract: %s: ", function);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
    failures++;
}

static void compare_one(const char *function, const char *what, size_t ours, size_t gmps) {
    if (ours > gmps)
        fail(function, "%s: %zu, GMP %zu", what, ours, gmps);
}

void contract_compare(const char *function, struct blocks_asked ours, struct blocks_asked gmps) {
    compare_one(function, "blocks asked for", ours.calls, gmps.calls);
    compare_one(function, "bytes of the largest block", ours.largest, gmps.largest);
    compare_one(function, "bytes of all blocks", ours.peak, gmps.peak);
}

/* ---- arguments */

static void *get(const struct contract *c, int i) {
    void *p;
    memcpy(&p, c->argument[i].parameter, sizeof p);
    return p;
}

static void set(const struct contract *c, int i, void *p) {
    memcpy(c->argument[i].parameter, &p, sizeof p);
}

static bool is_variable(const struct contract *c, int i) {
    return c->argument[i].kind >= VARIABLE_Z && c->original[i];
}

/* Returns the number of the first argument that is the same variable as argument i: i itself if no
 * earlier argument is. */
static int first_of(const struct contract *c, int i) {
    int first = 0;
    while (!is_variable(c, first) || c->original[first] != c->original[i])
        first++;
    return first;
}

/* Returns true if the variable of argument i is also passed as a result. */
static bool is_result(const struct contract *c, int i) {
    for (int k = 0; k < c->arguments; k++)
        if (is_variable(c, k) && c->original[k] == c->original[i] && c->argument[k].is_result)
            return true;
    return false;
}

/* Returns the argument number of the next result behind argument i; -1 if there is none.  Start
 * with i = -1. */
static int next_result(const struct contract *c, int i) {
    for (i++; i < c->arguments; i++)
        if (is_variable(c, i) && first_of(c, i) == i && is_result(c, i))
            return i;
    return -1;
}

/* ---- copies */

/* Sets room[k] to the number of limbs to allocate for part k of result i.  The parts of all
 * results have numbers from 0; `before` is the number of the first part of result i. */
static void rooms(const struct contract *c, int i, int before, size_t *room) {
    for (int k = 0; k < variable_parts(c->argument[i].kind); k++) {
        size_t n = c->step == ROOMY_GMP ? 0 : (size_t)abs(c->right[i].size[k]);
        bool is_least = c->step >= LEAST_GMP && before + k == c->part;
        room[k] = c->step == EMPTY_GMP || c->step == EMPTY_OURS ? 0
                  : is_least                                    ? n + c->extra
                                                                : n + AMPLE;
    }
}

static void copy_result(struct contract *c, int i, int before) {
    size_t room[VARIABLE_PARTS];
    rooms(c, i, before, room);
    if (c->are_new)
        variable_new(&c->copy[i], c->argument[i].kind);
    else
        variable_copy(&c->copy[i], c->argument[i].kind, c->original[i], room);
}

static void make_copies(struct contract *c) {
    int before = 0;
    for (int i = 0; i < c->arguments; i++) {
        if (!is_variable(c, i))
            continue;
        int first = first_of(c, i);
        if (first == i && is_result(c, i)) {
            copy_result(c, i, before);
            before += variable_parts(c->argument[i].kind);
        } else if (first == i)
            variable_freeze(&c->copy[i], c->argument[i].kind, c->original[i]);
        set(c, i, c->copy[first].p);
    }
    blocks_start();
}

static void free_copies(struct contract *c) {
    for (int i = 0; i < c->arguments; i++) {
        if (is_variable(c, i) && first_of(c, i) == i)
            variable_free(&c->copy[i]);
        if (is_variable(c, i))
            set(c, i, c->original[i]);
    }
}

/* ---- verdicts */

static void keep_right(struct contract *c) {
    for (int i = -1; (i = next_result(c, i)) >= 0;)
        if (!c->right[i].parts)
            variable_get(&c->right[i], &c->copy[i]);
}

static void check_values(struct contract *c) {
    for (int i = -1; (i = next_result(c, i)) >= 0;)
        if (!variable_same(&c->right[i], &c->copy[i]))
            fail(c->function, "argument %d has another value than GMP's", i);
}

/* Calls `check` for each part of each result, and numbers these parts from 0. */
static void each_part(struct contract *c,
                      void (*check)(struct contract *c, const struct variable *x, int part,
                                    int number)) {
    int number = 0;
    for (int i = -1; (i = next_result(c, i)) >= 0;)
        for (int k = 0; k < variable_parts(c->argument[i].kind); k++)
            check(c, &c->copy[i], k, number++);
}

/* Checks that a result which GMP writes in place is also written in place by the library. */
static void check_stays(struct contract *c, const struct variable *x, int part, int number) {
    mpz_srcptr z = variable_part(x, part);
    if (c->gmps_stays[number] && !variable_stays(x, part))
        fail(c->function, "result %d of %zu limbs moved: room %zu, now %d (%s)", number,
             mpz_size(z), x->given_room[part], z->_mp_alloc,
             c->step == LEAST_OURS && number == c->part ? "as little as GMP needs" : "ample");
}

static void keep_room(struct contract *c, const struct variable *x, int part, int number) {
    c->gmps_room[number] = (size_t)variable_part(x, part)->_mp_alloc;
}

static void check_room(struct contract *c, const struct variable *x, int part, int number) {
    mpz_srcptr z = variable_part(x, part);
    size_t most =
        c->gmps_room[number] > x->given_room[part] ? c->gmps_room[number] : x->given_room[part];
    if ((size_t)z->_mp_alloc > most)
        fail(c->function, "result %d of %zu limbs has room for %d, GMP's %zu", number, mpz_size(z),
             z->_mp_alloc, most);
}

static void look_at_part(struct contract *c, const struct variable *x, int part, int number) {
    c->gmps_stays[number] = variable_stays(x, part);
}

static int count_parts(const struct contract *c) {
    int parts = 0;
    for (int i = -1; (i = next_result(c, i)) >= 0;)
        parts += variable_parts(c->argument[i].kind);
    return parts;
}

/* Chooses what follows a call in which part c->part of the results had few limbs.  If GMP has
 * reallocated this part, GMP repeats the call with one limb more.  Otherwise the library makes
 * the call with the same limbs, and then the next part is tested. */
static int next_least(struct contract *c) {
    bool stays = c->gmps_stays[c->part];
    if (c->step == LEAST_GMP && !stays && c->extra < MOST_EXTRA) {
        c->extra++;
        return LEAST_GMP;
    }
    if (c->step == LEAST_GMP && stays)
        return LEAST_OURS;
    c->extra = 0;
    return ++c->part < count_parts(c) ? LEAST_GMP : END;
}

static void judge_ours(struct contract *c, struct blocks_asked ours) {
    check_values(c);
    if (c->step != LEAST_OURS)
        contract_compare(c->function, ours, c->gmps);
    each_part(c, c->step == EMPTY_OURS ? check_room : check_stays);
}

static void judge(struct contract *c) {
    struct blocks_asked asked = blocks_stop();
    if (c->is_ours) {
        judge_ours(c, asked);
        return;
    }
    keep_right(c);
    c->gmps = asked;
    each_part(c, c->step == EMPTY_GMP ? keep_room : look_at_part);
}

static int next_step(struct contract *c) {
    if (c->step == START)
        return !c->has_results ? END : c->are_new ? EMPTY_GMP : ROOMY_GMP;
    if (c->step >= LEAST_GMP)
        return next_least(c);
    if (c->step == EMPTY_OURS)
        return c->are_new || count_parts(c) == 0 ? END : LEAST_GMP;
    return c->step + 1;
}

static void end(struct contract *c) {
    for (int i = 0; i < c->arguments; i++)
        variable_forget(&c->right[i]);
    current = "";
}

void contract_begin(struct contract *c, const char *function,
                    const struct contract_argument *argument, int arguments) {
    memset(c, 0, sizeof *c);
    current = c->function = function;
    c->argument = argument;
    c->arguments = arguments;
    c->are_new = strstr(function, "_init_") != NULL;
    bool has_stream = strstr(function, "scanf") != NULL;
    for (int i = 0; i < arguments; i++) {
        if (argument[i].kind >= VARIABLE_Z)
            c->original[i] = get(c, i);
        c->has_results |= argument[i].is_result;
        has_stream |= argument[i].kind == VARIABLE_STREAM;
    }
    c->has_results &= !has_stream; /* a stream cannot be read twice */
}

bool contract_next(struct contract *c) {
    if (c->step != START) {
        judge(c);
        free_copies(c);
    }
    c->step = next_step(c);
    if (c->step == END) {
        end(c);
        return false;
    }
    c->is_ours = c->step == ROOMY_OURS || c->step == EMPTY_OURS || c->step == LEAST_OURS;
    make_copies(c);
    return true;
}
