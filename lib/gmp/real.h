/* SPDX-License-Identifier: LGPL-3.0-or-later
 * GMP's own functions: those behind the intercepted ones, and others that the library calls
 * (lib/gmp/called.c). Code writes real.mpz_mul as usual: gmp.h's macros turn it into
 * real.__gmpz_mul. */
#ifndef MPGPU_REAL_H
#define MPGPU_REAL_H

#include <obstack.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h> /* must precede gmp.h, which otherwise omits functions with a FILE or va_list */

#include <gmp.h>

#include "lib/gmp/gmp_internal.h"

/* The type of gmp.h's argument for random states: an array until GMP 6.2, a pointer since GMP 6.3.
 */
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

/* The pointers to GMP's own functions; NULL until real_resolve. */
extern __attribute__((visibility("hidden"))) struct real real;

/* Finds GMP's functions in the next library in the program's search order; otherwise in a libgmp
 * that a plug-in has loaded for itself; otherwise in libgmp.so.10, which it loads. The library
 * stays loaded. The pointer of a missing function is set to a function that prints a message and
 * aborts. Any thread may call it repeatedly; only the first call acts. If the program was started
 * with a libgmp, the functions were already found at its start, without dlsym and without
 * allocating memory. In a signal handler, finds them among the loaded objects, without memory, for
 * this call alone; if there are none, acts as outside. */
void real_resolve(void);

/* Logs the names of the functions that this libgmp lacks. */
void real_log_missing(void);

/* Returns true if real_resolve has found GMP's functions. */
bool real_is_resolved(void);

/* Returns true if the libgmp in which real_resolve found the functions is the only libgmp loaded.
 */
bool real_is_alone(void);

/* Returns how many shared objects the process has ever loaded. */
unsigned long long real_loads(void);

/* Returns true if libgmp is in the global scope of the dynamic linker. Then every caller would find
 * it if this library were missing. */
bool real_is_in_scope(void);

/* Returns true if the address is in this library. */
bool real_is_ours(const void *address);

/* Returns the handle of the first loaded object for which is_wanted returns true, or NULL; the
 * caller closes it. Skips the program itself. */
void *real_objects(bool (*is_wanted)(void *object, void *context), void *context);

/* Returns the symbol that a caller would find without this library. `caller` is an address in the
 * caller's object. Returns NULL if a libgmp is in the global scope, or if no libgmp of this object
 * is found. */
void *real_of(const void *caller, const char *symbol);

/* Returns the symbol that an object, given by its handle, would find without this library; NULL if
 * there is none. May set the text of dlerror. */
void *real_behind(void *object, const char *symbol);

/* Keeps the object that contains the address loaded until the process ends. */
void real_keep_loaded(const void *address);

/* Clears dlerror's text, so that the program does not see failed lookups of this library. */
void real_forget_error(void);

#endif
