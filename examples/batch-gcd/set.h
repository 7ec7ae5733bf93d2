/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A set of moduli in a file, against which new moduli are tested.  Its moduli are in groups of
 * SET_GROUP, in the order in which they were added.  The file has all moduli, and the product of
 * each full group.  Every function ends the program with a message if the file is bad. */
#ifndef BATCH_GCD_SET_H
#define BATCH_GCD_SET_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SET_GROUP = 1024, SET_RECORDS = 4 };

struct set_block {
    uint64_t offset, words, sum; /* of its numbers */
    size_t first, count;
};

struct set {
    const char *path;
    int fd;
    uint64_t length, state;
    size_t count; /* moduli */
    /* keys: blocks of moduli; product[g]: the block with the product of group g */
    struct set_block *keys, *product;
    size_t key_blocks, products;
    bool lacks_record[SET_RECORDS]; /* true if the record is damaged, or older than its copy */
};

/* Opens the file and reads its index.  If `is_locked`, waits until no other process adds, and keeps
 * all others from adding until set_close.  Otherwise other processes may add moduli, which the
 * caller does not see. */
struct set set_open(const char *path, bool is_locked);
void set_close(struct set *s);

/* Returns the number of groups, the last of which may be incomplete. */
size_t set_groups(const struct set *s);

/* Reads the moduli of a group.  The caller frees them by util_free_numbers.  Several threads may
 * call it. */
mpz_t *set_group(const struct set *s, size_t group, size_t *count);

/* Sets r to the product of a group.  Several threads may call it. */
void set_product(mpz_ptr r, const struct set *s, size_t group);

#endif
