/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Checks how the teams of a warp copy numbers to and from local memory
 * (kernels/modular/divide_team.h). Words have 4 bits, warps 4 work-items, groups two warps.
 * variant: -DTEAM=1 -DLANE=2
 * variant: -DTEAM=1 -DLANE=4
 * variant: -DTEAM=2 -DLANE=2
 * variant: -DTEAM=2 -DLANE=4
 * variant: -DTEAM=4 -DLANE=2
 * variant: -DTEAM=4 -DLANE=4 */
#define WORD 4
#define LOG_WORD 2
#define DIGIT_WIDTH 3
#define MODULAR_WORDS (LANE * TEAM)
#include "tests/proofs/items.h"
#include "tests/proofs/narrow.h"

#include "tests/proofs/items_warp.h"

#include "kernels/modular/lanes.h"
#include "kernels/modular/divide.h"
#include "kernels/modular/divide_team.h"
#include "tests/proofs/enumerate.h"

enum { ITEMS = 8, MOST = 4096 };
/* A longer number would need indices of more than 4 bits. */
#define MOST_WORDS (2 * MODULAR_WORDS < 8 ? 2 * MODULAR_WORDS : 8)
static u32 box[DIVIDE_THREADS / TEAM * ROW_STEP], memory[MOST], was[MOST];
static u64 first, count, step;
static u32 words, used, *own[ITEMS];
static struct rows of_rows[ITEMS];

static void find(void) {
    of_rows[item] = rows_of(box, first, count, team_of(LOCAL_ID, (u32)(MODULAR_WORDS)));
}
static void load(void) {
    find();
    own[item] = rows_load(of_rows[item], memory, step, words);
}
static void store(void) {
    find();
    rows_meet();
    rows_store(of_rows[item], memory, step, words, used);
}
static void meet(void) {
    box[item] = (u32)item;
    rows_meet();
    own[item] = box + (unsigned)box[(item + 1) % ITEMS];
}

/* Returns the number, in the launch, of the team of work-item k. */
static number team_number(unsigned k) {
    return (number)the_group * (DIVIDE_THREADS / TEAM) + k / TEAM;
}

#define EACH_SHAPE                                                                                 \
    for (the_group = 0; the_group < 2; the_group++)                                                \
        for (first = 0; first < 3; first++)                                                        \
            for (count = 0; count <= 2 * ITEMS / TEAM; count++)

int main(void) {
    begin("divide_team.h:rows_of");
    EACH_SHAPE {
        items_run(ITEMS, find);
        EACH(unsigned, k, 0, ITEMS) {
            struct rows w = of_rows[k];
            number begin = team_number(k / 4 * 4), there = 0;
            EACH(number, j, begin, begin + 4 / TEAM) there += j < count;
            CHECK(w.box == box + k / 4 * (4 / TEAM) * ROW_STEP &&
                      w.own == box + k / TEAM * ROW_STEP && w.first == first + begin &&
                      w.there == there,
                  k, first, count);
        }
    }
    end();
    begin("divide_team.h:rows_meet");
    items_run(ITEMS, meet);
    EACH(unsigned, k, 0, ITEMS) CHECK(own[k] == box + (k + 1) % ITEMS, k, 0, 0);
    end();
    begin("divide_team.h:rows_load");
    EACH(unsigned, i, 0, MOST) memory[i] = (u32)(i * 0x9e3779b1u >> 20);
    EACH_SHAPE for (words = 0; words <= MOST_WORDS; words += 2) EACH(number, more, 0, 2) {
        if (count <= (number)the_group * DIVIDE_THREADS / TEAM + (ITEMS > 4 ? 4 / TEAM : 0))
            continue; /* each warp must have at least one number */
        step = (number)words + 2 * more;
        items_run(ITEMS, load);
        EACH(unsigned, k, 0, ITEMS) {
            number last = (number)of_rows[k].first + (number)of_rows[k].there - 1,
                   n = first + team_number(k);
            EACH(unsigned, i, 0, words)
            CHECK(own[k] == of_rows[k].own && own[k][i] == memory[(n < last ? n : last) * step + i],
                  k, i, words);
        }
    }
    end();
    begin("divide_team.h:rows_result");
    items_run(ITEMS, find);
    EACH(unsigned, k, 0, ITEMS)
    CHECK(rows_result(of_rows[k], memory, 3) == of_rows[k].own, k, 0, 0);
    end();
    begin("divide_team.h:rows_store");
    EACH(unsigned, i, 0, MOST) was[i] = (u32)(i * 0x9e3779b1u >> 20);
    EACH_SHAPE for (words = 0; words <= MOST_WORDS; words += 2) for (used = 0; used <= words;
                                                                     used++) {
        step = words;
        EACH(unsigned, i, 0, MOST / 8) memory[i] = was[i];
        EACH(unsigned, i, 0, DIVIDE_THREADS / TEAM * ROW_STEP)
        box[i] = (u32)(i * 0x85ebca77u >> 20);
        items_run(ITEMS, store);
        EACH(unsigned, i, 0, MOST / 8) {
            number n = words ? i / (unsigned)words : MOST,
                   from = first + (number)the_group * (DIVIDE_THREADS / TEAM),
                   at = words ? i % (unsigned)words : 0;
            int is_stored = n >= from && n < from + DIVIDE_THREADS / TEAM && n < first + count;
            CHECK(memory[i] == (!is_stored  ? was[i]
                                : at < used ? box[(n - from) * ROW_STEP + at]
                                            : (u32)0),
                  i, words, used);
        }
    }
    end();
    return 0;
}
