/* _df.c - tasks of df from Python: the part in C of the package df
 *
 * A task holds a reference to its function and its arguments, and runs with the GIL. It is submitted with .always, so
 * that its body is called even if it is skipped, and drops them.
 *
 * A task whose function is C code holds the buffers of its arrays, and runs without the GIL, so it cannot drop them. It
 * puts itself into the list `ended` instead, which the next submission or wait takes as a whole.
 *
 * The GIL. df_call keeps it, which is right as long as df_call does not wait: with well fewer unfinished tasks than
 * df_config.window. (To release it in each call costs several times as much as a call if a worker waits for it.) With
 * half as many a submission first waits for older tasks, without the GIL: each STEP-th one writes a byte of `steps`. A
 * worker has one thread state from its first task on, so that taking the GIL makes none. Tasks declared with gil=True
 * also commute on one byte: df runs one of them at a time, and no worker waits for the GIL that another one holds. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdatomic.h>
#include <stdlib.h>

#define DF_IMPLEMENTATION
#include "df.h"

enum { MODES = 32, FEW = 16, PLANES = 64, WINDOW = 2048, STEP = 256, STEPS = 3, INT = 254, FLOAT = 255 };

static long unfinished;         /* tasks; protected by the GIL */
static int by_schedule;         /* DF_SCHEDULE is set: df_call may wait for any task */
static PyObject *errors;        /* a dict: code of df_fail -> exception */
static int next_error = 1;
static char one_at_a_time;      /* the byte of tasks that keep the GIL */
static unsigned submissions;    /* protected by the GIL */
static char steps[STEPS];       /* the byte of each STEP-th task */
static PyObject *cancelled_error;

/* --- functions ----------------------------------------------------------------------------------------------- */

typedef struct {
    PyObject_HEAD
    vectorcallfunc call;
    PyObject *fn, *names;       /* names: a tuple of the names of the parameters */
    PyObject *dict;
    const char *name;           /* never freed: df keeps its address */
    df_body *body;              /* C code; NULL: the function is one of Python */
    int gil, n, arrays;         /* n parameters; with C code, so many of them are arrays */
    unsigned char modes[MODES]; /* of the parameters; 0: by value; INT, FLOAT: by value, of C code */
} Function;

/* --- a task: what a df_call copies is a pointer to this ----------------------------------------------------------- */

typedef struct Future {
    PyObject_HEAD
    df_handle *handle;
    PyObject *result, *error;   /* both NULL: not done, or cancelled */
} Future;
static PyTypeObject Future_type;

typedef struct {
    Function *f;
    Future *future;             /* or NULL */
    PyObject *kwnames;          /* or NULL */
    Py_ssize_t n;               /* positional arguments */
    Py_ssize_t all;             /* with the others */
    PyObject *args[1];
} Task;

static void failed(Future *future)
{
    PyObject *type, *error, *trace, *code;
    const char *text = NULL;
    char said[120];
    int number = next_error;
    next_error = next_error == 0x3fffffff ? 1 : next_error + 1;
    PyErr_Fetch(&type, &error, &trace);
    PyErr_NormalizeException(&type, &error, &trace);
    if (trace && error) PyException_SetTraceback(error, trace);
    if (error) {
        PyObject *s = PyObject_Repr(error);
        if (s) text = PyUnicode_AsUTF8(s);
        snprintf(said, sizeof said, "%s", text ? text : "an exception");
        Py_XDECREF(s);
        PyErr_Clear();
        if ((code = PyLong_FromLong(number)) != NULL) {
            if (PyDict_SetItem(errors, code, error)) PyErr_Clear();
            Py_DECREF(code);
        }
        if (future) future->error = Py_NewRef(error);
    } else snprintf(said, sizeof said, "an exception");
    Py_XDECREF(type), Py_XDECREF(error), Py_XDECREF(trace);
    (df_fail)(number, said);
}

static void task_free(Task *t)
{
    Py_ssize_t i;
    for (i = 0; i < t->all; i++) Py_DECREF(t->args[i]);
    Py_DECREF(t->f);
    Py_XDECREF(t->kwnames);
    Py_XDECREF(t->future);
    PyMem_RawFree(t);
}

static void task_body(void *arg, void *const *p)
{
    Task *t = *(Task **)arg;
    PyGILState_STATE gil = PyGILState_Ensure();
    (void)p;
    if (!(df_cancelled)()) {
        PyObject *r = PyObject_Vectorcall(t->f->fn, t->args, (size_t)t->n, t->kwnames);
        if (!r) failed(t->future);
        else if (t->future) t->future->result = r;
        else Py_DECREF(r);
    }
    unfinished--;
    task_free(t);
    PyGILState_Release(gil);
}

/* --- a task of C code: what df_call copies is a pointer to this -------------------------------------------------- */

typedef union { int64_t i; double f; } Value;
typedef struct Code {
    struct Code *next;          /* in the list of ended tasks */
    Function *f;
    Future *future;             /* or NULL */
    int ran, arrays;
    Value values[MODES];        /* the parameters that are no arrays */
    void *p[MODES];             /* the first element of each array */
    Py_buffer views[1];
} Code;
static _Atomic(Code *) ended;   /* release in code_body, acquire in free_ended: the records */

static void code_free(Code *c)
{
    int i;
    for (i = 0; i < c->arrays; i++) PyBuffer_Release(&c->views[i]);
    if (c->future && c->ran) c->future->result = Py_NewRef(Py_None);
    Py_XDECREF(c->future);
    Py_DECREF(c->f);
    PyMem_RawFree(c);
}

static void free_ended(void)
{
    Code *c = atomic_load_explicit(&ended, memory_order_relaxed), *next;
    if (c)
        for (c = atomic_exchange_explicit(&ended, NULL, memory_order_acquire); c; c = next) {
            next = c->next, unfinished--;
            code_free(c);
        }
}

static void code_body(void *arg, void *const *p)
{
    Code *c = *(Code **)arg;
    (void)p;
    if (!(df_cancelled)()) c->f->body(c->values, c->p), c->ran = 1;
    c->next = atomic_load_explicit(&ended, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&ended, &c->next, c, memory_order_release, memory_order_relaxed)) {}
}

/* --- threads ------------------------------------------------------------------------------------------------- */

static _Thread_local PyThreadState *own_state;
static void worker_starts(void *arg, int worker)
{
    (void)arg, (void)worker;
    if (PyGILState_GetThisThreadState()) return; /* a thread of the program */
    PyGILState_Ensure();
    own_state = PyEval_SaveThread();
}
static void worker_stops(void *arg, int worker)
{
    (void)arg, (void)worker;
    if (!own_state) return;
    PyEval_RestoreThread(own_state);
    own_state = NULL;
    PyGILState_Release(PyGILState_UNLOCKED);
}

static int started;
static int start(const df_config *given)
{
    df_config c = *given;
    df_result r;
    c.window = WINDOW, c.worker_start = worker_starts, c.worker_stop = worker_stops;
    Py_BEGIN_ALLOW_THREADS
    r = df_start(&c);
    Py_END_ALLOW_THREADS
    if (r != DF_OK && r != DF_ERROR_STARTED) {
        PyErr_SetString(r == DF_ERROR_MEMORY ? PyExc_MemoryError : PyExc_RuntimeError, (df_error_text)(r));
        return -1;
    }
    if (r == DF_ERROR_STARTED && started) {
        PyErr_SetString(PyExc_RuntimeError, "df runs already: call df.start before the first task, or after df.stop");
        return -1;
    }
    by_schedule = getenv("DF_SCHEDULE") != NULL;
    started = 1;
    return 0;
}

/* --- regions -------------------------------------------------------------------------------------------------- */

typedef struct {
    df_region few[FEW], *all;
    int n, room;
} Regions;

static int add_region(Regions *r, const char *p, size_t bytes, size_t rows, size_t distance, unsigned mode)
{
    df_region *x;
    if (r->n == r->room) {
        int room = 2 * r->room;
        df_region *more = r->all == r->few ? PyMem_RawMalloc((size_t)room * sizeof *more)
                                           : PyMem_RawRealloc(r->all, (size_t)room * sizeof *more);
        if (!more) {
            PyErr_NoMemory();
            return -1;
        }
        if (r->all == r->few) memcpy(more, r->few, sizeof r->few);
        r->all = more, r->room = room;
    }
    x = &r->all[r->n++];
    x->p = p, x->bytes = bytes, x->rows = rows, x->distance = distance, x->mode = mode, x->op = NULL;
    return 0;
}

/* The bytes of a view: rows at one distance, along its longest dimension. A view with more dimensions than that is a
 * region for each of its planes, or, with more than PLANES of these, all memory between its first byte and its last. */
static int add_view(Regions *r, const Py_buffer *v, unsigned mode)
{
    struct { size_t stride, n; } d[64], rows;
    const char *p = v->buf, *plane;
    size_t row = (size_t)v->itemsize, planes = 1, span = 0, i, k, most, at[64] = { 0 };
    int n = 0, j;
    if (!v->strides) return v->len ? add_region(r, p, (size_t)v->len, 1, 0, mode) : 0;
    for (j = 0; j < v->ndim; j++) {
        Py_ssize_t stride = v->strides[j], length = v->shape[j];
        if (length == 0) return 0;
        if (length == 1 || stride == 0) continue;
        if (stride < 0) p += stride * (length - 1), stride = -stride;
        for (k = (size_t)n++; k && d[k - 1].stride > (size_t)stride; k--) d[k] = d[k - 1];
        d[k].stride = (size_t)stride, d[k].n = (size_t)length;
    }
    for (j = 0; j < n && d[j].stride <= row; j++) row += d[j].stride * (d[j].n - 1);
    if (j == n) return add_region(r, p, row, 1, 0, mode);
    for (most = (size_t)j, k = most + 1; k < (size_t)n; k++)
        if (d[k].n > d[most].n) most = k;
    rows = d[most], d[most] = d[j], d[j] = rows;
    i = (size_t)j + 1; /* the dimensions beyond rows at a distance */
    for (k = i; k < (size_t)n; k++) {
        if (planes <= PLANES) planes *= d[k].n;
        span += d[k].stride * (d[k].n - 1);
    }
    if (planes > PLANES) return add_region(r, p, span + d[j].stride * (d[j].n - 1) + row, 1, 0, mode);
    for (;;) {
        for (plane = p, k = i; k < (size_t)n; k++) plane += at[k] * d[k].stride;
        if (add_region(r, plane, row, d[j].n, d[j].stride, mode)) return -1;
        for (k = i; k < (size_t)n && ++at[k] == d[k].n; k++) at[k] = 0;
        if (k == (size_t)n) return 0;
    }
}

static int get_buffer(PyObject *x, Py_buffer *v, unsigned mode)
{
    return PyObject_GetBuffer(x, v, mode == DF_IN ? PyBUF_STRIDED_RO : PyBUF_STRIDED);
}

static int add_access(Regions *r, PyObject *x, unsigned mode)
{
    Py_buffer v;
    int bad;
    if (get_buffer(x, &v, mode)) return -1;
    bad = add_view(r, &v, mode);
    PyBuffer_Release(&v);
    return bad;
}

/* --- submission ----------------------------------------------------------------------------------------------- */

/* The regions that stand for no argument of f. */
static int add_hidden(Regions *r, const Function *f)
{
    if (++submissions % STEP == 0 && add_region(r, &steps[submissions / STEP % STEPS], 1, 1, 0, DF_OUT)) return -1;
    return f->gil ? add_region(r, &one_at_a_time, 1, 1, 0, DF_COMMUTE) : 0;
}

/* Waits for tasks of the running code that it submitted some steps ago, the oldest first, while too many are
 * unfinished. */
static void make_room(void)
{
    unsigned newest = submissions / STEP, k;
    for (k = 1; k < STEPS && unfinished >= WINDOW / 2; k++) {
        Py_BEGIN_ALLOW_THREADS
        (df_wait_on)(&steps[(newest + k) % STEPS], 1);
        Py_END_ALLOW_THREADS
        free_ended();
    }
}

/* Both records begin their task with a pointer to themselves, and free themselves. */
static df_result call(Function *f, Future *future, df_body *body, void *record, const Regions *r)
{
    df_result code;
    df_opts o;
    memset(&o, 0, sizeof o);
    o.name = f->name, o.always = 1, o.handle = future ? future->handle : NULL;
    make_room();
    /* a quarter less: workers may have ended more tasks here than df has counted */
    if (++unfinished < WINDOW - WINDOW / 4 && !by_schedule)
        code = (df_call)(&o, body, &record, sizeof record, r->all, r->n);
    else {
        Py_BEGIN_ALLOW_THREADS
        code = (df_call)(&o, body, &record, sizeof record, r->all, r->n);
        Py_END_ALLOW_THREADS
    }
    if (code != DF_OK) {
        unfinished--;
        PyErr_SetString(code == DF_ERROR_MEMORY ? PyExc_MemoryError : PyExc_RuntimeError, (df_error_text)(code));
    }
    return code;
}

static Py_ssize_t parameter(const Function *f, PyObject *name)
{
    Py_ssize_t k = 0;
    while (k < f->n && PyUnicode_Compare(PyTuple_GET_ITEM(f->names, k), name) != 0) k++;
    return k;
}

static int submit_python(Function *f, Future *future, PyObject *const *args, Py_ssize_t n, PyObject *kwnames,
                         Regions *r)
{
    Py_ssize_t named = kwnames ? PyTuple_GET_SIZE(kwnames) : 0, i, k;
    Task *t;
    for (i = 0; i < n && i < f->n; i++)
        if (f->modes[i] && add_access(r, args[i], f->modes[i])) return -1;
    for (i = 0; i < named; i++)
        if ((k = parameter(f, PyTuple_GET_ITEM(kwnames, i))) < f->n && f->modes[k] &&
            add_access(r, args[n + i], f->modes[k])) return -1;
    if (add_hidden(r, f)) return -1;
    if (!(t = PyMem_RawMalloc(sizeof *t + (size_t)(n + named) * sizeof t->args[0]))) {
        PyErr_NoMemory();
        return -1;
    }
    t->f = (Function *)Py_NewRef(f), t->future = future, t->kwnames = kwnames, t->n = n, t->all = n + named;
    Py_XINCREF(future), Py_XINCREF(kwnames);
    for (i = 0; i < t->all; i++) t->args[i] = Py_NewRef(args[i]);
    if (call(f, future, task_body, t, r) == DF_OK) return 0;
    task_free(t);
    return -1;
}

static int bad_argument(const Function *f, Py_ssize_t k, const char *what)
{
    PyErr_Format(PyExc_TypeError, "%s: %s %U", f->name, what, PyTuple_GET_ITEM(f->names, k));
    return -1;
}

/* The arguments of C code, in the order of its parameters. */
static int order(const Function *f, PyObject *const *args, Py_ssize_t n, PyObject *kwnames, PyObject **given)
{
    Py_ssize_t named = kwnames ? PyTuple_GET_SIZE(kwnames) : 0, i, k;
    if (n > f->n) {
        PyErr_Format(PyExc_TypeError, "%s takes %d arguments, not %zd", f->name, f->n, n);
        return -1;
    }
    for (k = 0; k < f->n; k++) given[k] = k < n ? args[k] : NULL;
    for (i = 0; i < named; i++) {
        if ((k = parameter(f, PyTuple_GET_ITEM(kwnames, i))) == f->n) {
            PyErr_Format(PyExc_TypeError, "%s has no parameter %U", f->name, PyTuple_GET_ITEM(kwnames, i));
            return -1;
        }
        if (given[k]) return bad_argument(f, k, "two arguments for");
        given[k] = args[n + i];
    }
    for (k = 0; k < f->n; k++)
        if (!given[k]) return bad_argument(f, k, "no argument for");
    return 0;
}

static int submit_code(Function *f, Future *future, PyObject *const *args, Py_ssize_t n, PyObject *kwnames, Regions *r)
{
    PyObject *given[MODES];
    int k, bad = 0;
    Value *v;
    Code *c;
    if (order(f, args, n, kwnames, given)) return -1;
    if (!(c = PyMem_RawMalloc(sizeof *c + (size_t)f->arrays * sizeof c->views[0]))) {
        PyErr_NoMemory();
        return -1;
    }
    c->f = (Function *)Py_NewRef(f), c->future = NULL, c->ran = c->arrays = 0, v = c->values;
    for (k = 0; k < f->n && !bad; k++)
        if (f->modes[k] == INT) v->i = PyLong_AsLongLong(given[k]), v++, bad = v[-1].i == -1 && PyErr_Occurred();
        else if (f->modes[k] == FLOAT) v->f = PyFloat_AsDouble(given[k]), v++, bad = v[-1].f == -1 && PyErr_Occurred();
        else if (!(bad = get_buffer(given[k], &c->views[c->arrays], f->modes[k]))) {
            c->p[c->arrays] = c->views[c->arrays].buf;
            bad = add_view(r, &c->views[c->arrays++], f->modes[k]);
        }
    if (!bad) bad = add_hidden(r, f);
    if (!bad) {
        c->future = (Future *)Py_XNewRef(future);
        if (call(f, future, code_body, c, r) == DF_OK) return 0;
    }
    code_free(c);
    return -1;
}

static int submit(Function *f, Future *future, PyObject *const *args, Py_ssize_t n, PyObject *kwnames)
{
    Regions r;
    int bad;
    if (!started && start(DF_CONFIG(.window = 0))) return -1;
    free_ended();
    r.all = r.few, r.n = 0, r.room = FEW;
    bad = f->body ? submit_code(f, future, args, n, kwnames, &r) : submit_python(f, future, args, n, kwnames, &r);
    if (r.all != r.few) PyMem_RawFree(r.all);
    return bad;
}

/* --- functions and futures as objects of Python ----------------------------------------------------------------- */

static PyObject *Function_call(PyObject *self, PyObject *const *args, size_t n, PyObject *kwnames)
{
    return submit((Function *)self, NULL, args, PyVectorcall_NARGS(n), kwnames) ? NULL : Py_NewRef(Py_None);
}

static PyObject *Function_future(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kwnames)
{
    static const df_handle none = DF_HANDLE;
    Future *f = PyObject_GC_New(Future, &Future_type);
    if (!f) return NULL;
    f->result = f->error = NULL;
    f->handle = PyMem_RawMalloc(sizeof *f->handle);
    if (f->handle) *f->handle = none;
    else PyErr_NoMemory();
    PyObject_GC_Track(f);
    if (!f->handle || submit((Function *)self, f, args, n, kwnames)) {
        PyMem_RawFree(f->handle), f->handle = NULL;
        Py_CLEAR(f);
    }
    return (PyObject *)f;
}

static int Function_traverse(Function *f, visitproc visit, void *arg)
{
    Py_VISIT(f->fn);
    Py_VISIT(f->dict);
    return 0;
}
static int Function_clear(Function *f)
{
    Py_CLEAR(f->fn);
    Py_CLEAR(f->dict);
    return 0;
}
static void Function_dealloc(Function *f)
{
    PyObject_GC_UnTrack(f);
    Function_clear(f);
    Py_XDECREF(f->names);
    PyObject_GC_Del(f);
}

/* Function(fn, name, names of the parameters, modes of the parameters, gil, address of C code or 0) */
static PyObject *Function_new(PyTypeObject *type, PyObject *args, PyObject *kw)
{
    PyObject *fn, *names;
    const char *name;
    unsigned long long body;
    Py_buffer modes;
    int gil, k;
    Function *f;
    (void)kw;
    if (!PyArg_ParseTuple(args, "OsO!y*pK", &fn, &name, &PyTuple_Type, &names, &modes, &gil, &body)) return NULL;
    if (modes.len > MODES) PyErr_Format(PyExc_ValueError, "%s: a task has at most %d parameters", name, MODES);
    else if ((f = PyObject_GC_New(Function, type)) != NULL) {
        size_t length = strlen(name) + 1;
        char *own = PyMem_RawMalloc(length);
        f->call = Function_call, f->fn = Py_NewRef(fn), f->names = Py_NewRef(names), f->dict = PyDict_New();
        f->name = own ? memcpy(own, name, length) : "task";
        f->body = (df_body *)(uintptr_t)body, f->gil = gil, f->n = (int)modes.len, f->arrays = 0;
        memcpy(f->modes, modes.buf, (size_t)modes.len);
        for (k = 0; k < f->n; k++) f->arrays += f->modes[k] != INT && f->modes[k] != FLOAT;
        PyBuffer_Release(&modes);
        PyObject_GC_Track(f);
        return (PyObject *)f;
    }
    PyBuffer_Release(&modes);
    return NULL;
}

static PyMethodDef Function_methods[] = {
    { "future", (PyCFunction)(void (*)(void))Function_future, METH_FASTCALL | METH_KEYWORDS,
      "Submits the task as the call does, and returns a Future." },
    { NULL, NULL, 0, NULL }
};
static PyGetSetDef Function_fields[] = {
    { "__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL },
    { NULL, NULL, NULL, NULL, NULL }
};
static PyTypeObject Function_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "df.Function", .tp_basicsize = sizeof(Function), .tp_doc = "A function whose calls are tasks.",
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL, .tp_new = Function_new,
    .tp_dealloc = (destructor)Function_dealloc, .tp_traverse = (traverseproc)Function_traverse,
    .tp_clear = (inquiry)Function_clear, .tp_call = PyVectorcall_Call, .tp_methods = Function_methods,
    .tp_vectorcall_offset = offsetof(Function, call), .tp_dictoffset = offsetof(Function, dict),
    .tp_getset = Function_fields
};

/* Handles that df still uses, of futures that nothing refers to. */
typedef struct Left { df_handle *handle; struct Left *next; } Left;
static Left *left;
static void free_left(void)
{
    Left **at = &left;
    while (*at) {
        Left *l = *at;
        if (df_done(l->handle)) *at = l->next, PyMem_RawFree(l->handle), PyMem_RawFree(l);
        else at = &l->next;
    }
}
static void Future_dealloc(Future *f)
{
    Left *l;
    PyObject_GC_UnTrack(f);
    if (f->handle && df_done(f->handle)) PyMem_RawFree(f->handle);
    else if (f->handle && (l = PyMem_RawMalloc(sizeof *l)) != NULL) l->handle = f->handle, l->next = left, left = l;
    Py_XDECREF(f->result), Py_XDECREF(f->error);
    PyObject_GC_Del(f);
}
static int Future_traverse(Future *f, visitproc visit, void *arg)
{
    Py_VISIT(f->result);
    Py_VISIT(f->error);
    return 0;
}
static int Future_clear(Future *f)
{
    Py_CLEAR(f->result);
    Py_CLEAR(f->error);
    return 0;
}
static PyObject *Future_result(Future *f, PyObject *none)
{
    (void)none;
    if (!f->result && !f->error) {
        Py_BEGIN_ALLOW_THREADS
        df_wait_task(f->handle);
        Py_END_ALLOW_THREADS
        free_ended();
    }
    if (f->result) return Py_NewRef(f->result);
    if (f->error) PyErr_SetObject((PyObject *)Py_TYPE(f->error), f->error);
    else PyErr_SetString(cancelled_error, "the task was cancelled, or skipped after a failure");
    return NULL;
}
static PyObject *Future_done(Future *f, PyObject *none)
{
    (void)none;
    return PyBool_FromLong(f->result || f->error || df_done(f->handle));
}
static PyMethodDef Future_methods[] = {
    { "result", (PyCFunction)Future_result, METH_NOARGS,
      "Waits for the task, and returns its result or raises its exception; CancelledError if it did not run." },
    { "done", (PyCFunction)Future_done, METH_NOARGS, "Has the task ended?" },
    { NULL, NULL, 0, NULL }
};
static PyTypeObject Future_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "df.Future", .tp_basicsize = sizeof(Future), .tp_doc = "The result of a task.",
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, .tp_dealloc = (destructor)Future_dealloc,
    .tp_traverse = (traverseproc)Future_traverse, .tp_clear = (inquiry)Future_clear, .tp_methods = Future_methods
};

/* --- the module ----------------------------------------------------------------------------------------------- */

static PyObject *m_wait(PyObject *self, PyObject *none)
{
    df_result r;
    PyObject *code, *error = NULL;
    (void)self, (void)none;
    if (!started) Py_RETURN_NONE; /* a construct would start df without the settings of start() */
    Py_BEGIN_ALLOW_THREADS
    r = df_wait_result();
    Py_END_ALLOW_THREADS
    free_ended();
    if (left) free_left();
    if (r == DF_OK) Py_RETURN_NONE;
    if ((code = PyLong_FromLong(r)) != NULL) {
        error = Py_XNewRef(PyDict_GetItemWithError(errors, code));
        Py_DECREF(code);
    }
    if (!unfinished) PyDict_Clear(errors); /* those that came after the first one of their scope */
    if (error) PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    else if (!PyErr_Occurred())
        PyErr_SetString(r == DF_ERROR_CANCELLED ? cancelled_error : r == DF_ERROR_MEMORY ? PyExc_MemoryError
                        : PyExc_RuntimeError, (df_error_text)(r));
    Py_XDECREF(error);
    return NULL;
}

static PyObject *m_start(PyObject *self, PyObject *args, PyObject *kw)
{
    static char *words[] = { "workers", "cpuset", "trace", "stats", "graph", "stall", NULL };
    df_config c;
    (void)self;
    memset(&c, 0, sizeof c);
    if (!PyArg_ParseTupleAndKeywords(args, kw, "|i$zzzzd", words, &c.workers, &c.cpuset, &c.trace, &c.stats, &c.graph,
                                     &c.stall) || start(&c)) return NULL;
    Py_RETURN_NONE;
}

static PyObject *m_stop(PyObject *self, PyObject *none)
{
    (void)self, (void)none;
    Py_BEGIN_ALLOW_THREADS
    df_stop();
    Py_END_ALLOW_THREADS
    free_ended();
    if (left) free_left();
    started = 0;
    Py_RETURN_NONE;
}
/* In the child of a fork, which has no tasks and no workers. */
static PyObject *m_forked(PyObject *self, PyObject *none)
{
    (void)self, (void)none;
    free_ended();
    started = 0, unfinished = 0;
    Py_RETURN_NONE;
}
static PyObject *m_cancel(PyObject *self, PyObject *none)
{
    (void)self, (void)none;
    if (started) df_cancel();
    Py_RETURN_NONE;
}
static PyObject *m_cancelled(PyObject *self, PyObject *none)
{
    (void)self, (void)none;
    return PyBool_FromLong(df_cancelled());
}
static PyObject *m_workers(PyObject *self, PyObject *none)
{
    (void)self, (void)none;
    return !started && start(DF_CONFIG(.window = 0)) ? NULL : PyLong_FromLong(df_workers());
}
static PyObject *m_worker(PyObject *self, PyObject *none)
{
    (void)self, (void)none;
    return PyLong_FromLong(df_worker());
}

/* For tests: the regions of a view, (offset, bytes, rows, distance). */
static PyObject *m_regions(PyObject *self, PyObject *x)
{
    Regions r;
    Py_buffer v;
    PyObject *list = NULL;
    int i;
    (void)self;
    if (PyObject_GetBuffer(x, &v, PyBUF_STRIDED_RO)) return NULL;
    r.all = r.few, r.n = 0, r.room = FEW;
    if (!add_view(&r, &v, DF_IN) && (list = PyList_New(0)) != NULL)
        for (i = 0; i < r.n; i++) {
            PyObject *t = Py_BuildValue("(nnnn)", (const char *)r.all[i].p - (const char *)v.buf, r.all[i].bytes,
                                        r.all[i].rows, r.all[i].distance);
            if (!t || PyList_Append(list, t)) {
                Py_CLEAR(list);
                i = r.n;
            }
            Py_XDECREF(t);
        }
    if (r.all != r.few) PyMem_RawFree(r.all);
    PyBuffer_Release(&v);
    return list;
}

static PyMethodDef methods[] = {
    { "wait", m_wait, METH_NOARGS,
      "Waits for all tasks of the caller, and raises what the first one that failed raised." },
    { "start", (PyCFunction)(void (*)(void))m_start, METH_VARARGS | METH_KEYWORDS,
      "start(workers=0, *, cpuset=None, trace=None, stats=None, graph=None, stall=0)\n--\n\n"
      "Starts df with settings, before the first task; 0 and None: the defaults." },
    { "stop", m_stop, METH_NOARGS, "Waits for all tasks, and ends the workers. The next task starts them again." },
    { "cancel", m_cancel, METH_NOARGS, "Cancels the tasks of the caller's scope that have not begun." },
    { "cancelled", m_cancelled, METH_NOARGS, "Is the running task cancelled?" },
    { "workers", m_workers, METH_NOARGS, "The number of workers." },
    { "worker", m_worker, METH_NOARGS, "The number of the worker that runs this." },
    { "_forked", m_forked, METH_NOARGS, NULL },
    { "_regions", m_regions, METH_O, NULL },
    { NULL, NULL, 0, NULL }
};
static struct PyModuleDef module = { PyModuleDef_HEAD_INIT, "_df", NULL, -1, methods, NULL, NULL, NULL, NULL };

PyMODINIT_FUNC PyInit__df(void)
{
    PyObject *m = PyModule_Create(&module);
    if (!m || PyType_Ready(&Function_type) || PyType_Ready(&Future_type) || !(errors = PyDict_New()) ||
        !(cancelled_error = PyErr_NewException("df.CancelledError", NULL, NULL)) ||
        PyModule_AddObjectRef(m, "Function", (PyObject *)&Function_type) ||
        PyModule_AddObjectRef(m, "Future", (PyObject *)&Future_type) ||
        PyModule_AddObjectRef(m, "CancelledError", cancelled_error) ||
        PyModule_AddIntConstant(m, "IN", DF_IN) || PyModule_AddIntConstant(m, "INOUT", DF_INOUT) ||
        PyModule_AddIntConstant(m, "COMMUTE", DF_COMMUTE) ||
        PyModule_AddIntConstant(m, "CONCURRENT", DF_CONCURRENT) || PyModule_AddIntConstant(m, "INT", INT) ||
        PyModule_AddIntConstant(m, "FLOAT", FLOAT)) {
        Py_XDECREF(m);
        return NULL;
    }
    return m;
}
