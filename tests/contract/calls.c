/* SPDX-License-Identifier: LGPL-3.0-or-later
 * This test program defines functions with GMP's names, which the linker finds before the library's
 * functions.  Each first repeats the call on copies of its variables (contract.h), and then calls
 * the library.  Calls from inside libgmp or the library are not repeated.
 * Functions with a variable number of arguments are omitted; their variants with a va_list are
 * included. */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <string.h>

#include "lib/gmp/symbols.h"
#include "tests/contract/contract.h"
#include "tests/support/checked_memory.h"

/* clang warns because gmp.h declares some of these functions inline. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wstatic-in-inline"
#endif

#define EACH_1(f, a) f(a)
#define EACH_2(f, a, ...) f(a), EACH_1(f, __VA_ARGS__)
#define EACH_3(f, a, ...) f(a), EACH_2(f, __VA_ARGS__)
#define EACH_4(f, a, ...) f(a), EACH_3(f, __VA_ARGS__)
#define EACH_5(f, a, ...) f(a), EACH_4(f, __VA_ARGS__)
#define EACH_6(f, a, ...) f(a), EACH_5(f, __VA_ARGS__)
#define EACH_7(f, a, ...) f(a), EACH_6(f, __VA_ARGS__)
#define EACH_OF(_1, _2, _3, _4, _5, _6, _7, each, ...) each
#define EACH(f, ...)                                                                               \
    EACH_OF(__VA_ARGS__, EACH_7, EACH_6, EACH_5, EACH_4, EACH_3, EACH_2, EACH_1, )(f, __VA_ARGS__)
#define UNPACK(...) __VA_ARGS__

#define KIND(x)                                                                                    \
    _Generic((x), mpz_ptr                                                                          \
             : VARIABLE_Z, mpz_srcptr                                                              \
             : VARIABLE_Z, mpq_ptr                                                                 \
             : VARIABLE_Q, mpq_srcptr                                                              \
             : VARIABLE_Q, mpf_ptr                                                                 \
             : VARIABLE_F, mpf_srcptr                                                              \
             : VARIABLE_F, FILE *                                                                  \
             : VARIABLE_STREAM, default                                                            \
             : VARIABLE_NONE)
#define IS_RESULT(x) _Generic((x), mpz_ptr : true, mpq_ptr : true, mpf_ptr : true, default : false)
#define ARGUMENT(x)                                                                                \
    { &(x), KIND(x), IS_RESULT(x) }

enum {
#define FUNCTION(symbol, type, parameters, arguments) FUNCTION_##symbol,
#include "lib/gmp/functions.def"
#undef FUNCTION
    FUNCTIONS
};

static struct reference ours, gmp;
static unsigned long calls[FUNCTIONS];
/* is_inside: calls are not repeated now, because a function of this program is itself calling GMP
 * or the library */
static bool is_open, is_inside;

/* The memory requests of each function in the current case: by GMP's call and by the library's
 * call.  Whichever of the two calls comes second compares the requests. */
static struct {
    struct blocks_asked gmps, ours;
    bool has_gmps, has_ours;
} asked_by[FUNCTIONS];

/* ---- memory functions for the reference GMP: they count blocks, and call that GMP's default
 * functions */

static void *(*plain_allocate)(size_t bytes);
static void *(*plain_reallocate)(void *p, size_t old, size_t bytes);
static void (*plain_release)(void *p, size_t bytes);

static void *count_allocate(size_t bytes) {
    blocks_note(bytes);
    return plain_allocate(bytes);
}

static void *count_reallocate(void *p, size_t old, size_t bytes) {
    blocks_forget(old);
    blocks_note(bytes);
    return plain_reallocate(p, old, bytes);
}

static void count_release(void *p, size_t bytes) {
    blocks_forget(bytes);
    plain_release(p, bytes);
}

#define VARIADIC___gmp_printf ~, SKIP
#define VARIADIC___gmp_fprintf ~, SKIP
#define VARIADIC___gmp_sprintf ~, SKIP
#define VARIADIC___gmp_snprintf ~, SKIP
#define VARIADIC___gmp_asprintf ~, SKIP
#define VARIADIC___gmp_obstack_printf ~, SKIP
#define VARIADIC___gmp_scanf ~, SKIP
#define VARIADIC___gmp_fscanf ~, SKIP
#define VARIADIC___gmp_sscanf ~, SKIP
#define SECOND(a, b, ...) b
#define CHOOSE(...) SECOND(__VA_ARGS__, )
#define SKIP(symbol, type, parameters, arguments)

/* Declares a variable that starts the counters now and calls end(&number) at the end of the
 * scope. */
#define UNTIL_END(function, end)                                                                   \
    const int number __attribute__((cleanup(end), unused)) = start(function)

static int start(int function) {
    blocks_start();
    return function;
}

static void compare(int function);

static void stop_gmp(const int *function) {
    asked_by[*function].gmps = blocks_stop();
    asked_by[*function].has_gmps = true;
    compare(*function);
}

#define COUNT(symbol, type, parameters, arguments)                                                 \
    static type count_##symbol parameters {                                                        \
        UNTIL_END(FUNCTION_##symbol, stop_gmp);                                                    \
        return gmp.symbol arguments;                                                               \
    }
#define FUNCTION(symbol, type, parameters, arguments)                                              \
    CHOOSE(VARIADIC_##symbol, COUNT)(symbol, type, parameters, arguments)
#include "lib/gmp/functions.def"
#undef FUNCTION

/* ---- functions of this program that have the names of GMP's functions */

static const char *name_of(int function) {
    static const char *const names[] = {
#define FUNCTION(symbol, type, parameters, arguments) #symbol,
#include "lib/gmp/functions.def"
#undef FUNCTION
    };
    return symbols_public(names[function]);
}

static void compare(int function) {
    if (!asked_by[function].has_gmps || !asked_by[function].has_ours)
        return;
    contract_compare(name_of(function), asked_by[function].ours, asked_by[function].gmps);
    asked_by[function].has_ours = false;
    calls[function]++;
}

/* Ends a call of the library whose results cannot be copied, so that it was made only once.
 * Compares its memory requests with those of GMP's call. */
static void stop_ours(const int *function) {
    asked_by[*function].ours = blocks_stop();
    asked_by[*function].has_ours = true;
    is_inside = false;
    compare(*function);
}

static void stop_passing(const int *function) {
    (void)function;
    is_inside = false;
}

static void use(void *(*allocate)(size_t), void *(*reallocate)(void *, size_t, size_t),
                void (*release)(void *, size_t)) {
    gmp.mp_set_memory_functions(allocate, reallocate, release);
}

/* Chooses how the call is repeated next; returns false after the last repetition.  If GMP's
 * function is next, GMP gets the same checked memory functions as the library. */
static bool repeat(struct contract *c) {
    bool goes_on = contract_next(c);
    if (goes_on && !c->is_ours)
        use(blocks_allocate, blocks_reallocate, blocks_release);
    else
        use(count_allocate, count_reallocate, count_release);
    return goes_on;
}

/* Begins the repetitions of a call.  Returns false if its results cannot be copied; the call is
 * then made once, and only its memory requests are counted. */
static bool begin(struct contract *c, int function, const struct contract_argument *argument,
                  int arguments) {
    is_inside = true;
    contract_begin(c, name_of(function), argument, arguments);
    calls[function] += c->has_results;
    return c->has_results;
}

#define WRAP(symbol, type, parameters, arguments)                                                  \
    type symbol parameters {                                                                       \
        const struct contract_argument argument_[] = {EACH(ARGUMENT, UNPACK arguments)};           \
        struct contract call_;                                                                     \
        if (is_inside || !is_open)                                                                 \
            return ours.symbol arguments;                                                          \
        if (!begin(&call_, FUNCTION_##symbol, argument_, sizeof argument_ / sizeof *argument_)) {  \
            UNTIL_END(FUNCTION_##symbol, stop_ours);                                               \
            return ours.symbol arguments;                                                          \
        }                                                                                          \
        while (repeat(&call_))                                                                     \
            if (call_.is_ours)                                                                     \
                ours.symbol arguments;                                                             \
            else                                                                                   \
                gmp.symbol arguments;                                                              \
        UNTIL_END(FUNCTION_##symbol, stop_passing);                                                \
        return ours.symbol arguments;                                                              \
    }
#define FUNCTION(symbol, type, parameters, arguments)                                              \
    CHOOSE(VARIADIC_##symbol, WRAP)(symbol, type, parameters, arguments)
#include "lib/gmp/functions.def"
#undef FUNCTION

/* ---- */

void calls_forget(void) {
    memset(asked_by, 0, sizeof asked_by);
}

unsigned long calls_of(int function) {
    return calls[function];
}

/* Finds the library's functions, which come after this program's in the search order. */
static bool find_ours(void) {
    bool good = true;
    void *address;
#define FUNCTION(symbol, type, parameters, arguments)                                              \
    good &= (address = dlsym(RTLD_NEXT, #symbol)) != NULL;                                         \
    memcpy(&ours.symbol, &address, sizeof address);
#include "lib/gmp/functions.def"
#undef FUNCTION
    return good;
}

bool calls_open(const struct reference *reference, struct reference *counted) {
    gmp = *counted = *reference;
    if (!find_ours())
        return false;
#define SET(symbol, type, parameters, arguments) counted->symbol = count_##symbol;
#define FUNCTION(symbol, type, parameters, arguments)                                              \
    CHOOSE(VARIADIC_##symbol, SET)(symbol, type, parameters, arguments)
#include "lib/gmp/functions.def"
#undef FUNCTION
    checked_memory_caller = contract_current;
    gmp.mp_get_memory_functions(&plain_allocate, &plain_reallocate, &plain_release);
    use(count_allocate, count_reallocate, count_release);
    ours.mp_set_memory_functions(blocks_allocate, blocks_reallocate, blocks_release);
    is_open = true;
    return true;
}
