/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Copies the variables of a call, and frees the copies. */
#define _GNU_SOURCE 1
#include "tests/contract/variable.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/contract/blocks.h"

static size_t bytes_of(size_t limbs) {
    return limbs * sizeof(mp_limb_t);
}

int variable_parts(enum variable_kind kind) {
    return kind == VARIABLE_Z ? 1 : kind == VARIABLE_Q ? 2 : 0;
}

static mpz_ptr part_of(enum variable_kind kind, const void *p, int part) {
    mpq_srcptr q = p;
    return kind == VARIABLE_Z ? (mpz_ptr)p : (mpz_ptr)(part ? mpq_denref(q) : mpq_numref(q));
}

mpz_ptr variable_part(const struct variable *x, int part) {
    return part_of(x->kind, x->p, part);
}

static size_t size_of(enum variable_kind kind) {
    return kind == VARIABLE_Z   ? sizeof(__mpz_struct)
           : kind == VARIABLE_Q ? sizeof(__mpq_struct)
                                : sizeof(__mpf_struct);
}

/* ---- operands */

static size_t limbs_in(enum variable_kind kind, const void *p) {
    size_t n = kind == VARIABLE_F ? (size_t)abs(((mpf_srcptr)p)->_mp_size) : 0;
    for (int i = 0; i < variable_parts(kind); i++)
        n += mpz_size(part_of(kind, p, i));
    return n;
}

static mp_ptr put(mp_ptr *to, mp_srcptr limbs, size_t n) {
    mp_ptr at = *to;
    if (n)
        memcpy(at, limbs, bytes_of(n));
    *to += n;
    return at;
}

void variable_freeze(struct variable *x, enum variable_kind kind, const void *original) {
    size_t head = (size_of(kind) + 15) & ~(size_t)15;
    *x = (struct variable){.kind = kind};
    x->frozen_bytes = head + bytes_of(limbs_in(kind, original) + 1);
    x->frozen =
        mmap(NULL, x->frozen_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    x->p = x->frozen;
    memcpy(x->p, original, size_of(kind));
    mp_ptr to = (mp_ptr)((char *)x->frozen + head);
    for (int i = 0; i < variable_parts(kind); i++) {
        mpz_ptr z = variable_part(x, i);
        z->_mp_d = put(&to, z->_mp_d, mpz_size(z));
        z->_mp_alloc = (int)mpz_size(z);
    }
    if (kind == VARIABLE_F)
        ((mpf_ptr)x->p)->_mp_d =
            put(&to, ((mpf_ptr)x->p)->_mp_d, (size_t)abs(((mpf_ptr)x->p)->_mp_size));
    mprotect(x->frozen, x->frozen_bytes, PROT_READ);
}

/* ---- results */

static void copy_part(struct variable *x, int part, mpz_srcptr original, size_t room) {
    static mp_limb_t none;
    mpz_ptr z = variable_part(x, part);
    size_t n = mpz_size(original);
    room = room < n ? n : room;
    z->_mp_d = room ? blocks_allocate(bytes_of(room)) : &none;
    z->_mp_alloc = (int)room;
    z->_mp_size = original->_mp_size;
    if (n)
        memcpy(z->_mp_d, original->_mp_d, bytes_of(n));
    x->given[part] = z->_mp_d;
    x->given_room[part] = room;
}

/* Copies an mpf.  Its structure has no field for the number of allocated limbs.  That number is one
 * more than the precision in limbs, or the size in limbs if the precision was lowered. */
static void copy_float(struct variable *x, mpf_srcptr original) {
    mpf_ptr f = &x->own.f;
    size_t n = (size_t)abs(original->_mp_size), most = (size_t)original->_mp_prec + 1;
    *f = *original;
    x->given_room[0] = n > most ? n : most;
    x->given[0] = f->_mp_d = blocks_allocate(bytes_of(x->given_room[0]));
    memcpy(f->_mp_d, original->_mp_d, bytes_of(n));
}

void variable_copy(struct variable *x, enum variable_kind kind, const void *original,
                   const size_t *room) {
    variable_new(x, kind);
    for (int i = 0; i < variable_parts(kind); i++)
        copy_part(x, i, part_of(kind, original, i), room[i]);
    if (kind == VARIABLE_F)
        copy_float(x, original);
}

void variable_new(struct variable *x, enum variable_kind kind) {
    *x = (struct variable){.kind = kind, .is_result = true};
    memset(&x->own, 0xa5, sizeof x->own);
    x->p = &x->own;
}

bool variable_stays(const struct variable *x, int part) {
    mpz_srcptr z = variable_part(x, part);
    return z->_mp_d == x->given[part] && (size_t)z->_mp_alloc == x->given_room[part];
}

static void release(mp_ptr p, size_t limbs) {
    if (limbs)
        blocks_release(p, bytes_of(limbs));
}

void variable_free(struct variable *x) {
    if (x->frozen)
        munmap(x->frozen, x->frozen_bytes);
    else if (x->kind == VARIABLE_F)
        release(x->own.f._mp_d,
                x->given_room[0] ? x->given_room[0] : (size_t)x->own.f._mp_prec + 1);
    else
        for (int i = 0; i < variable_parts(x->kind); i++)
            release(variable_part(x, i)->_mp_d, (size_t)variable_part(x, i)->_mp_alloc);
}

/* ---- values */

static mp_ptr limbs_of(const struct variable *x, int part, int *size) {
    mpf_srcptr f = x->p;
    *size = x->kind == VARIABLE_F ? f->_mp_size : variable_part(x, part)->_mp_size;
    return x->kind == VARIABLE_F ? f->_mp_d : variable_part(x, part)->_mp_d;
}

static mp_exp_t exponent_of(const struct variable *x) {
    return x->kind == VARIABLE_F && x->own.f._mp_size ? x->own.f._mp_exp : 0;
}

void variable_get(struct variable_value *v, const struct variable *x) {
    *v = (struct variable_value){.parts = x->kind == VARIABLE_Q ? 2 : 1};
    v->exponent = exponent_of(x);
    for (int i = 0; i < v->parts; i++) {
        mp_srcptr limbs = limbs_of(x, i, &v->size[i]);
        size_t bytes = bytes_of((size_t)abs(v->size[i]));
        v->limbs[i] = malloc(bytes + 1);
        memcpy(v->limbs[i], limbs, bytes);
    }
}

bool variable_same(const struct variable_value *v, const struct variable *x) {
    for (int i = 0; i < v->parts; i++) {
        int size;
        mp_srcptr limbs = limbs_of(x, i, &size);
        if (size != v->size[i] || memcmp(limbs, v->limbs[i], bytes_of((size_t)abs(size))) != 0)
            return false;
    }
    return exponent_of(x) == v->exponent;
}

void variable_forget(struct variable_value *v) {
    for (int i = 0; i < VARIABLE_PARTS; i++) {
        free(v->limbs[i]);
        v->limbs[i] = NULL;
    }
}
