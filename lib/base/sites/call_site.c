/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds where the program calls GMP: by return addresses and, in Python, by the interpreter's
 * frames. */
#include "lib/base/sites/call_site.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unwind.h>

#include "lib/base/objects.h"

enum { FRAMES = 48 };

static struct object_info library, gmp, program;

static bool has(const struct object_info *place, uintptr_t address) {
    return address - place->from < place->to - place->from;
}

/* ---- the stack */

struct walk {
    struct call_site *site;
    int frames, found;
};

/* Adds a frame of the stack to the call site.  A frame costs 0.1 to 0.2 us, so the walk ends as
 * soon as no more frames are needed. */
static _Unwind_Reason_Code add_frame(struct _Unwind_Context *frame, void *context) {
    struct walk *w = context;
    const uintptr_t address = _Unwind_GetIP(frame);
    if (w->frames++ == FRAMES)
        return _URC_END_OF_STACK;
    if (w->found == 0 && (has(&library, address) || has(&gmp, address)))
        return _URC_NO_REASON;
    if (w->found < CALL_SITE_FRAMES)
        w->site->frame[w->found++] = address;
    if (!w->site->program && has(&program, address))
        w->site->program = address;
    return w->found == CALL_SITE_FRAMES && w->site->program ? _URC_END_OF_STACK : _URC_NO_REASON;
}

static void find_in_stack(struct call_site *site) {
    _Unwind_Backtrace(add_frame, &(struct walk){.site = site});
}

/* ---- Python's frames, by functions of its stable interface */

typedef struct object PyObject;

static struct {
    int (*Py_IsInitialized)(void);
    void (*Py_DecRef)(PyObject *);
    void *(*PyGILState_GetThisThreadState)(void);
    int (*PyGILState_Check)(void);
    int (*PyGILState_Ensure)(void);
    void (*PyGILState_Release)(int);
    PyObject *(*PyErr_Occurred)(void);
    void (*PyErr_Clear)(void);
    PyObject *(*PyEval_GetFrame)(void);
    PyObject *(*PyFrame_GetBack)(PyObject *);
    PyObject *(*PyFrame_GetCode)(PyObject *);
    int (*PyFrame_GetLineNumber)(PyObject *);
    PyObject *(*PyObject_GetAttrString)(PyObject *, const char *);
    const char *(*PyUnicode_AsUTF8)(PyObject *);
} python;
enum { PYTHON_FUNCTIONS = sizeof python / sizeof(void *) };

static const char python_names[] =
    "Py_IsInitialized\0Py_DecRef\0PyGILState_GetThisThreadState\0PyGILState_Check\0PyGILState_"
    "Ensure\0"
    "PyGILState_Release\0PyErr_Occurred\0PyErr_Clear\0PyEval_GetFrame\0PyFrame_GetBack\0"
    "PyFrame_GetCode\0PyFrame_GetLineNumber\0PyObject_GetAttrString\0PyUnicode_AsUTF8";
static bool has_python;

static void find_python(void) {
    void *found[PYTHON_FUNCTIONS];
    objects_find(NULL, NULL, python_names, PYTHON_FUNCTIONS, found);
    has_python = true;
    for (int i = 0; i < PYTHON_FUNCTIONS; i++)
        has_python &= found[i] != NULL;
    memcpy(&python, found, sizeof python);
}

/* Copies a text attribute of a code object; "" if there is none. */
static void copy_attribute(PyObject *code, const char *name, char *text, size_t size) {
    PyObject *value = python.PyObject_GetAttrString(code, name);
    const char *utf8 = value ? python.PyUnicode_AsUTF8(value) : NULL;
    snprintf(text, size, "%s", utf8 ? utf8 : "");
    if (!utf8)
        python.PyErr_Clear();
    if (value)
        python.Py_DecRef(value);
}

/* Returns true for a file of the Python module mpgpu. The call site is then the code that calls
 * this module. */
static bool is_of_module(const char *file) {
    const char *slash = strrchr(file, '/');
    return slash && slash - file >= 6 && memcmp(slash - 6, "/mpgpu", 6) == 0;
}

/* Writes a description of a frame to `line`, with only the end of a long path. Returns false for a
 * frame of the module mpgpu. */
static bool describe(PyObject *frame, char line[CALL_SITE_LINE]) {
    char file[1024], function[64];
    PyObject *code = python.PyFrame_GetCode(frame);
    copy_attribute(code, "co_filename", file, sizeof file);
    copy_attribute(code, "co_name", function, sizeof function);
    python.Py_DecRef(code);
    size_t length = strlen(file), room = CALL_SITE_LINE - sizeof function - 16;
    snprintf(line, CALL_SITE_LINE, "%s:%d %s", length > room ? file + length - room : file,
             python.PyFrame_GetLineNumber(frame), function);
    return !is_of_module(file);
}

static void walk_frames(char line[CALL_SITE_LINE]) {
    PyObject *frame = python.PyEval_GetFrame(), *owned = NULL;
    while (frame && !describe(frame, line)) {
        PyObject *back = python.PyFrame_GetBack(frame);
        if (owned)
            python.Py_DecRef(owned);
        frame = owned = back;
    }
    if (owned)
        python.Py_DecRef(owned);
}

/* Returns true if the thread has Python's lock (the GIL). Also returns true if the thread may wait
 * for the lock, and Python knows the thread. */
static bool may_look(bool may_wait) {
    return python.Py_IsInitialized() &&
           (python.PyGILState_Check() || (may_wait && python.PyGILState_GetThisThreadState()));
}

static void find_in_python(char line[CALL_SITE_LINE], bool may_wait) {
    if (!may_look(may_wait))
        return;
    int state = python.PyGILState_Ensure();
    if (!python.PyErr_Occurred())
        walk_frames(line);
    python.PyGILState_Release(state);
}

void call_site_init(void) {
    library = objects_info(&library);
    gmp = objects_info(objects_next(&library, "__gmpz_init"));
    program = objects_info((const void *)getauxval(AT_ENTRY));
    find_python();
}

void call_site_find(struct call_site *site, bool may_wait) {
    *site = (struct call_site){0};
    if (has_python)
        find_in_python(site->line, may_wait);
    if (!*site->line)
        find_in_stack(site);
}
