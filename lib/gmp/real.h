/* SPDX-License-Identifier: LGPL-3.0-or-later
 * GMP's own functions: those behind the intercepted ones, and others that the library
 * calls (lib/gmp/called.c).  gmp.h's names work here too: real.mpz_mul is a macro's way
 * of writing real.__gmpz_mul. */
#ifndef MPGPU_REAL_H
#define MPGPU_REAL_H

#include <obstack.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h> /* before gmp.h, which otherwise leaves out what takes a FILE, a list or an obstack */

#include <gmp.h>

#include "lib/gmp/gmp_internal.h"

/* As gmp.h declares the argument: an array until GMP 6.2, a pointer since GMP 6.3. */
#if __GNU_MP_RELEASE >= 60300
typedef gmp_randstate_ptr real_randstate;
#else
typedef gmp_randstate_t real_randstate;
#endif

struct real {
#define FUNCTION(symbol, type, parameters, arguments) type(*symbol) parameters;
#include "lib/gmp/functions.def"
#undef FUNCTION
#define CALLED(symbol, type, parameters, arguments) type(*symbol) parameters;
#define CALLED_VOID(symbol, parameters, arguments) void(*symbol) parameters;
#include "lib/gmp/called.def"
#undef CALLED
#undef CALLED_VOID
};

/* NULL pointers until real_resolve. */
extern __attribute__((visibility("hidden"))) struct real real;

/* Find them all: in the next library in the program's own order that has them; else in
 * one that is loaded out of that order, as a plug-in with its own libgmp loads it; else
 * in libgmp.so.10.  The library stays loaded from then on.  A function that is nowhere
 * gets a stand-in that says so and aborts, as the dynamic linker would have done with
 * the program: there is no right result to return.  Any thread, any number of times: the first
 * call does it.  Where the program has a libgmp from its beginning they have been found then,
 * without dlsym and without memory. */
void real_resolve(void);

/* Name in the log the functions that this libgmp does not have. */
void real_log_missing(void);

/* Have they been found? */
bool real_is_resolved(void);

/* Is the libgmp that these are from the only one that is loaded? */
bool real_is_alone(void);

/* How many objects have ever been loaded. */
unsigned long long real_loads(void);

/* Would every caller find this libgmp without this library, as it is in the global scope? */
bool real_is_in_scope(void);

/* Is this a place in this library? */
bool real_is_ours(const void *address);

/* The first loaded object that is wanted: its handle, to be closed; or NULL.  The program itself is
 * not asked for. */
void *real_objects(bool (*is_wanted)(void *object, void *context), void *context);

/* What the object with the address `caller` finds under that name without this library, where each
 * brings a libgmp of its own; NULL if that is not known. */
void *real_of(const void *caller, const char *symbol);

/* What an object, given by its handle, finds under that name without this library; NULL for
 * nothing.  Sets dlerror's text. */
void *real_behind(void *object, const char *symbol);

/* The object with the address stays in memory until the process ends. */
void real_keep_loaded(const void *address);

/* dlerror tells the program nothing of what was looked for here in vain. */
void real_forget_error(void);

#endif
