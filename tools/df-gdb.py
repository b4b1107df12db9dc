"""df-gdb.py - what a program that uses df is doing, in gdb: of a running process or of a core file, compiled with -g

    (gdb) source tools/df-gdb.py
    (gdb) df workers          each worker: its thread, what it runs, whether it sleeps, what it has
    (gdb) df tasks [MOST]     ready tasks: on the stacks of workers, in their deques, in queues
    (gdb) df waits            what each thread waits for, and where; tasks that wait for tokens, inputs and streams
    (gdb) df scopes           blocks and bodies of each worker, with the number of tasks that are not done

Nothing is called in the program. What the compiler has optimised away is left out. See docs/stall.md.
"""
import os
import re
import gdb

FLOW, PUBLIC = 2, 1                                                  # marks in entries of stacks (impl/work/types.h)
PARK = ['', 'asleep, has nothing to do', 'asleep, waits', 'asleep, a spare']
KIND = ['thread', 'block', 'body', 'stolen future']
# Functions of df that wait, as the program calls them: the name of the call, and the variable with
# the object.
WAITS = {
    'dfi_wait_here': ('df_wait', None), 'df_wait': ('df_wait', None), 'dfi_wait_result_here': ('df_wait_result', None),
    'df_wait_result': ('df_wait_result', None), 'dfi_wait_on_here': ('df_wait_on', None), 'df_wait_on': ('df_wait_on', None),
    'dfi_wait_token': ('df_wait_token', 't'), 'dfi_mutex_lock_here': ('df_mutex_lock', 'm'), 'df_mutex_lock': ('df_mutex_lock', 'm'),
    'dfi_yield_here': ('df_yield_blocking', None), 'df_yield_blocking': ('df_yield_blocking', None), 'dfi_tm_retry': ('df_retry', None),
    'dfi_sync_slow': ('df_sync', 'f'), 'dfi_sync_checked': ('df_sync', 'f'), 'dfi_scope_leave': ('the end of a block', None),
    'dfi_throttle': ('df_submit, as df_config.window is full', None), 'dfi_throttle_streams': ('df_submit, as df_config.window is full', None),
    'dfi_predicate_wait': ('df_speculate', None), 'dfi_engine_wait': ('a wait for a device', None), 'dfi_team_close': ('a loop or pipe', None),
    'dfi_pipe_own': ('df_pipe', None), 'df_stop': ('df_stop', None), 'dfi_detach': ('the end of its thread', None),
}


def number(v):
    return int(v.cast(gdb.lookup_type('unsigned long'))) if v.type.strip_typedefs().code == gdb.TYPE_CODE_PTR else int(v)


def text(v):
    """A C string, or None."""
    try:
        return v.string() if number(v) else None
    except gdb.error:
        return None


def record(name):
    return gdb.lookup_type('struct ' + name)


def variable(name, prefix=''):
    """A variable of df. To gdb its name ends with the version (impl/base/names.h): the first copy of df that it finds."""
    if variable.ending is None:
        found = re.search(r'\bdfi_pool(__\w+)?;', gdb.execute('info variables -q ^dfi_pool', to_string=True))
        if not found:
            raise gdb.GdbError('this program has no df, or not been compiled with -g')
        variable.ending = found.group(1) or ''
    return gdb.parse_and_eval(prefix + name + variable.ending)


variable.ending = None


def function(frame):
    """The name of the frame's function, without the version."""
    return re.sub(r'__\d+_\d+_\d+(_\w+)?$', '', frame.name() or '')


def pool():
    return variable('dfi_pool')


def workers():
    p = pool()
    return [p['slot'][i].dereference() for i in range(int(p['n_slots'])) if int(p['slot'][i].dereference()['attached'])]


def each_thread():
    """Selects one thread after the other; at the end that which was selected."""
    before = gdb.selected_thread()
    try:
        for t in sorted(gdb.selected_inferior().threads(), key=lambda t: t.num):
            t.switch()
            yield t
    finally:
        if before and before.is_valid():
            before.switch()


def frames():
    """The frames of the selected thread, the newest first."""
    f = gdb.newest_frame()
    while f:
        yield f
        try:
            f = f.older()
        except gdb.error:
            return


def worker_of_thread():
    """Address of the worker of the selected thread, or 0."""
    try:
        own = number(variable('dfi_self'))
        return 0 if own == number(variable('dfi_nobody', '&')) else own
    except gdb.error: # no thread-local variables: libthread_db is missing; then from a frame
        pass
    for f in frames():
        if function(f) in ('dfi_help_until', 'dfi_flow_run', 'dfi_wait_until', 'dfi_helper', 'dfi_spare'):
            try:
                return number(f.read_var('w'))
            except (gdb.error, ValueError):
                continue
    return 0


def threads():
    """Thread number and its id for locks, by address of the worker."""
    found = {}
    for t in each_thread():
        w = worker_of_thread()
        if not w:
            continue
        try:
            ident = number(variable('dfi_self', '&'))
        except gdb.error:
            ident = 0
        found[w] = (t.num, t.ptid[1] or t.ptid[2], ident)
    return found


def address(w):
    return number(w.address)


def room(record, of, kind):
    """What an upper floor has behind a record (impl/modules.h), which is given by its address; or None. of: the function
    that gives its address."""
    try:
        at = number(record) + int(gdb.parse_and_eval(of + '_room'))
        return gdb.Value(at).cast(gdb.lookup_type('struct ' + kind).pointer()).dereference()
    except gdb.error:
        return None


def special(t):
    return int(t['task']['mem']['special']) == 1


def task_text(t):
    """t: struct dfi_flow"""
    name = text(t['extra']['name']) if special(t) else None
    site = text(t['extra']['site']) if special(t) else None
    tokens = special(t) and room(t['extra'], 'dfi_tokens_of', 'dfi_tokens')
    kind = 'node' if tokens and int(tokens['inputs']) else 'task'
    return '%s %s%s' % (kind, name or text(t['type']['name']), ' (%s)' % site if site else '')


def flow_at(value):
    return gdb.Value(value).cast(record('dfi_flow').pointer()).dereference()


def future_at(value):
    return gdb.Value(value).cast(record('dfi_future').pointer()).dereference()


def entry_text(value):
    value &= ~PUBLIC
    return task_text(flow_at(value & ~FLOW)) if value & FLOW else 'spawned %s' % text(future_at(value)['type']['name'])


def private_entries(w):
    """Ready tasks and futures that only this worker knows, the oldest first."""
    found = [number(w['stack'][i]) for i in range(int(w['split']), int(w['head']))]
    futures, f = [], number(w['hot']['top'])
    while f:
        futures.append(f)
        f = number(future_at(f)['link'])
    return [e for e in found if e] + futures[::-1]


def public_entries(w):
    top, bottom = int(w['top']), int(w['bottom'])
    if bottom <= top:
        return []
    ring = w['ring'].dereference()
    item = ring['item'][0].address
    return [number(item[i & number(ring['mask'])]['entry']) for i in range(top, bottom)]


def tasks_of(w):
    return room(w.address, 'dfi_tasks_of', 'dfi_flow_worker')


def queue_entries(q):
    """Tasks of a pairing heap, in no order."""
    found, todo = [], [q['best']]
    while todo:
        x = todo.pop()
        if number(x):
            found.append(task_text(x['task'].dereference()))
            todo += [x['sibling'], x['child']]
    return found


def scopes(w):
    s = w['scope']
    while number(s):
        yield s.dereference()
        s = s['outer']


def cancelled(s):
    errors = room(s.address, 'dfi_errors_in', 'dfi_scope_errors')
    return errors and int(errors['cancelled'])


def scope_text(s):
    kind, site = KIND[int(s['kind'])], text(s['site'])
    if number(s['task']):
        return 'body of ' + task_text(s['task'].dereference())
    return '%s%s' % (kind, ' of ' + site if site else '')


def unfinished(s):
    n = int(s['pending'])
    if int(s['open']):
        n += int(s['submitted']) - int(s['done'])
    return n & ~(1 << 29) # DFI_ENDED


def running(w):
    """What it runs, the newest first."""
    found = []
    if number(w['task']):
        found.append(task_text(w['task'].dereference()))
    for s in scopes(w):
        if number(s['task']):
            found.append(task_text(s['task'].dereference()))
        elif number(s['saved_task']):
            found.append(task_text(s['saved_task'].dereference()))
    return [t for i, t in enumerate(found) if i == 0 or t != found[i - 1]]


def worker_name(w):
    n, index = int(pool()['n_workers']), int(w['index'])
    return '%s %d' % ('worker' if index < n else 'spare worker' if int(w['helper']) else 'thread', index)


def inside(frame):
    """Is it code of df, or of the C library, and not of the program?"""
    place, name = frame.find_sal(), function(frame)
    file = os.path.basename(place.symtab.filename) if place.symtab else ''
    library = os.path.basename(gdb.solib_name(frame.pc()) or '')
    return (not place.symtab or file.startswith('dfi_') or name.startswith(('dfi_', 'df_', '__', 'pthread_')) or '_dfi_' in name or
            library.startswith(('libc.', 'libc-', 'libpthread', 'ld-', 'ld.', 'libtsan', 'libasan')))


def wait_of_thread():
    """What the selected thread waits for: words, file and line, the object, or None."""
    found = None
    for f in frames():
        name = function(f)
        if found is None and name in WAITS:
            found = [WAITS[name][0], '', None]
        if found and not found[1] and name in WAITS and WAITS[name][0] == found[0]:
            try:
                found[1] = text(f.read_var('site')) or ''
            except (gdb.error, ValueError):
                pass
        if found and found[2] is None and name in WAITS and WAITS[name][0] == found[0] and WAITS[name][1]:
            try:
                v = f.read_var(WAITS[name][1])
                found[2] = v.dereference() if not v.is_optimized_out and number(v) else None
            except (gdb.error, ValueError):
                pass
        if found and not inside(f):
            place = f.find_sal()
            found[1] = found[1] or '%s:%d' % (place.symtab.filename, place.line)
            return found
        if not found and not inside(f):
            return None # the program's own code runs
    return found


def signals_text(t):
    need, promised = int(t['dfi_need']), int(t['dfi_promised'])
    return 'the token of %s: %d signals missing, %d promised by tasks' % (text(t['dfi_site']), need, max(0, min(need, promised)))


def uses(u):
    while number(u):
        yield u.dereference()
        u = u['next']


def held_text(h):
    """What a task waits for besides other tasks. h: struct dfi_on_hold"""
    found = []
    for u in uses(h['after']):
        if number(u['token']) and int(u['token']['dfi_need']) > 0:
            found.append(signals_text(u['token'].dereference()))
    x = room(h['of'], 'dfi_tokens_of', 'dfi_tokens')
    if x and int(x['inputs']):
        names, given = text(x['inputs'].dereference()['names']).split(), int(x['given'])
        missing = [t for i, t in enumerate(names) if not given >> i & 1]
        if missing:
            found.append('its inputs ' + ', '.join(missing))
    windows = room(h['of'], 'dfi_windows_of', 'dfi_windows')
    v = windows['first'] if windows else 0
    while number(v):
        if int(v['waits']):
            c = v['stream'].dereference()
            if number(v['reader']):
                found.append('%d elements in the stream of %s' % (int(v['need']) - int(c['push']['done']), text(c['site'])))
            else:
                found.append('free places in the stream of %s' % text(c['site']))
        v = v['of_task']
    return found


class Df(gdb.Command):
    """df workers | tasks [MOST] | waits | scopes: what a program that uses df is doing."""

    def __init__(self):
        super().__init__('df', gdb.COMMAND_STATUS, gdb.COMPLETE_NONE, True)


class Workers(gdb.Command):
    """Each worker: its thread, what it runs, whether it sleeps, what it has."""

    def __init__(self):
        super().__init__('df workers', gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        where = threads()
        for w in workers():
            t = where.get(address(w))
            line = '%s: %s' % (worker_name(w), 'thread %d (LWP %d)' % t[:2] if t else 'no thread here')
            does = running(w)
            line += ', runs ' + does[0] if does else ''
            line += ', ' + PARK[int(w['park'])] if int(w['park']) else ''
            ready = len(private_entries(w)) + len(public_entries(w)) + int(tasks_of(w)['pinned']['count'])
            print(line + (', ready tasks: %d' % ready if ready else ''))
            for outer in does[1:]:
                print('    nested in ' + outer)


class Tasks(gdb.Command):
    """Ready tasks. The argument is how many of each place to show; 20 if there is none."""

    def __init__(self):
        super().__init__('df tasks', gdb.COMMAND_STATUS)

    def show(self, title, found):
        if found:
            print('%s: %d' % (title, len(found)))
        for t in found[:self.most]:
            print('    ' + t)
        if len(found) > self.most:
            print('    and %d more' % (len(found) - self.most))

    def invoke(self, argument, from_tty):
        self.most = int(gdb.parse_and_eval(argument)) if argument else 20
        for w in workers():
            name = worker_name(w)
            self.show('on the stack of ' + name, [entry_text(e) for e in private_entries(w)])
            self.show('in the deque of ' + name, [entry_text(e) for e in public_entries(w)])
            self.show('only for ' + name, queue_entries(tasks_of(w)['pinned']))
        self.show('in the queue', queue_entries(variable('dfi_flow_pool')['queue']))


class Waits(gdb.Command):
    """What each thread waits for, and where; tasks that wait for tokens, inputs and streams."""

    def __init__(self):
        super().__init__('df waits', gdb.COMMAND_STATUS)

    def object_text(self, what, found, where, names):
        if what == 'df_wait_token':
            return ' for ' + signals_text(found)
        if what == 'df_sync':
            return ' for the spawned %s' % text(found['type']['name'])
        holder, site = number(found['dfi_owner']), text(found['dfi_site'])
        holds = [names[w] for w in where if where[w][2] == holder and w in names]
        return ' for a lock%s%s' % (' held by ' + holds[0] if holds else '', ', taken at ' + site if site else '')

    def invoke(self, argument, from_tty):
        where = threads()
        all_workers = workers()
        names = {address(w): worker_name(w) for w in all_workers}
        for t in each_thread():
            w = worker_of_thread()
            found = wait_of_thread() if w else None
            if not found:
                continue
            what, site, thing = found
            line = '%s: %s%s' % (names.get(w, 'thread %d' % t.num), what, ' at ' + site if site else '')
            try:
                line += self.object_text(what, thing, where, names) if thing is not None else ''
            except gdb.error:
                pass
            print(line)
        for w in all_workers:
            h = room(w.address, 'dfi_holds_of', 'dfi_holds')['first']
            while number(h):
                if number(h['of']):
                    for what in held_text(h.dereference()):
                        print('%s waits for %s' % (task_text(h['of']['task'].dereference()), what))
                h = h['next']


class Scopes(gdb.Command):
    """Blocks and bodies of each worker, with the number of tasks that are not done."""

    def __init__(self):
        super().__init__('df scopes', gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        for w in workers():
            print(worker_name(w))
            for s in scopes(w):
                print('    %s: %d tasks not done%s' %
                      (scope_text(s), unfinished(s), ', cancelled' if cancelled(s) else ''))


Df(), Workers(), Tasks(), Waits(), Scopes()
