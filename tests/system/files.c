/* files.c - where df may write and read: pipes, links and files of others are refused, signals of a write do not
 * end the program, new files are for their owner only; whatever is wrong with a file is one message, and changes
 * nothing else */
#define _DEFAULT_SOURCE /* chown, fork, mkfifo, setenv, symlink */
#define DF_IMPLEMENTATION
#include "df.h"
#include "child.h"
#include "contents.h"
#include "work.h"
#include "../gpu/scratch.h"
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

static char folder[SCRATCH], path[SCRATCH + 40], other[SCRATCH + 40];
static const char *const variable[] = { "DF_TRACE", "DF_TRACE", "DF_GRAPH", "DF_GRAPH", "DF_STATS",
                                        "DF_SCHEDULE=record:" };
static const char *const ending[] = { "json", "html", "txt", "dot", "txt", "rec" };
enum { WRITTEN = 6 };

static const char *in(char *name, const char *file, const char *end)
{
    snprintf(name, sizeof path, "%s/%s.%s", folder, file, end);
    return name;
}

static int works(void *unused)
{
    (void)unused;
    for (int i = 0; i < 50; i++) CHECK(work_right());
    return 7; /* the exit status is the program's own */
}

/* name: a variable, perhaps with the beginning of its value */
static struct child with(const char *name, const char *value, int (*fn)(void *), void *arg)
{
    size_t n = strcspn(name, "=");
    char variable_name[20] = "", all[2 * SCRATCH + 20];
    const char *env[] = { variable_name, all, "DF_WORKERS", "2", NULL };
    CHECK(n < sizeof variable_name);
    memcpy(variable_name, name, n);
    snprintf(all, sizeof all, "%s%s", name[n] ? name + n + 1 : "", value);
    return child_run(fn, arg, env, 60);
}
/* why: NULL: nothing is said. */
static void says(const char *name, const char *value, const char *why)
{
    struct child c = with(name, value, works, NULL);
    if (!why) CHECK_CHILD(c, c.status == 7 && c.lines == 0);
    else CHECK_CHILD(c, c.status == 7 && c.lines == 1 && strstr(c.err, name) && strstr(c.err, value) &&
                            strstr(c.err, why));
}

static unsigned mode_of(const char *file)
{
    struct stat s;
    return stat(file, &s) ? 0 : (unsigned)s.st_mode & 0777;
}

static void modes(int v)
{
    mode_t mask = umask(0);
    in(path, "new", ending[v]);
    says(variable[v], path, NULL);
    CHECK(mode_of(path) == 0600);
    CHECK(!chmod(path, 0640));
    says(variable[v], path, NULL);
    CHECK(mode_of(path) == 0640 && *contents(path));
    CHECK(!remove(path));
    umask(mask);
}

/* A pipe without a reader and with one: it is no regular file. */
static void fifos(int v)
{
    int reader;
    in(path, "fifo", ending[v]);
    CHECK(!mkfifo(path, 0600));
    says(variable[v], path, "neither a regular file nor a terminal");
    CHECK((reader = open(path, O_RDONLY | O_NONBLOCK)) >= 0);
    says(variable[v], path, "neither a regular file nor a terminal");
    close(reader);
    CHECK(!remove(path));
}

/* In a folder that another user can write to: because of its mode, or because it belongs to nobody. */
static void links(int v, mode_t mode, uid_t user)
{
    char inside[2 * SCRATCH], file[2 * SCRATCH];
    snprintf(inside, sizeof inside, "%s/open", folder);
    snprintf(file, sizeof file, "%s/link.%s", inside, ending[v]);
    in(other, "target", ending[v]);
    CHECK(!mkdir(inside, 0700) && !chmod(inside, mode) && !chown(inside, user, (gid_t)-1));
    CHECK(!symlink(other, file)); /* to nothing */
    says(variable[v], file, "symbolic link");
    CHECK(access(other, F_OK));
    close(open(other, O_WRONLY | O_CREAT, 0600));
    says(variable[v], file, "symbolic link");
    CHECK(!*contents(other));
    CHECK(!remove(file) && !link(other, file)); /* a second name for it */
    says(variable[v], file, "second name");
    CHECK(!*contents(other) && !remove(file));
    CHECK(!symlink(folder, file)); /* a folder on the way */
    snprintf(file, sizeof file, "%s/link.%s/target.%s", inside, ending[v], ending[v]);
    says(variable[v], file, "symbolic link");
    CHECK(!*contents(other));
    snprintf(file, sizeof file, "%s/link.%s", inside, ending[v]);
    CHECK(!remove(file));
    says(variable[v], file, NULL);
    CHECK(*contents(file) && !remove(file));
    CHECK(!chown(inside, geteuid(), (gid_t)-1) && !chmod(inside, 0755));
    CHECK(!symlink(other, file)); /* a folder of the user's: links are the user's */
    says(variable[v], file, NULL);
    CHECK(*contents(other) && !remove(file) && !remove(other) && !rmdir(inside));
}

static int short_of_room(void *bytes)
{
    struct rlimit most = { *(rlim_t *)bytes, *(rlim_t *)bytes };
    CHECK(!setrlimit(RLIMIT_FSIZE, &most));
    return works(NULL);
}
/* The limit on the size of files; with a handler and blocked it stays the program's. */
static int short_and_blocked(void *bytes)
{
    sigset_t s;
    CHECK(!sigemptyset(&s) && !sigaddset(&s, SIGXFSZ) && !sigprocmask(SIG_BLOCK, &s, NULL));
    raise(SIGXFSZ);
    short_of_room(bytes);
    df_stop();
    CHECK(!sigpending(&s) && sigismember(&s, SIGXFSZ) == 1);
    return 7;
}
static void limits(int v)
{
    rlim_t bytes[] = { 0, 10, 300 };
    struct child c;
    in(path, "limit", ending[v]);
    for (int i = 0; i < 3; i++) {
        c = with(variable[v], path, i == 1 ? short_and_blocked : short_of_room, &bytes[i]);
        CHECK_CHILD(c, c.status == 7 && c.lines == 1 && strstr(c.err, "cannot be written: ")); /* stderr is a pipe */
    }
    CHECK(!remove(path));
}

/* df writes to standard output, which has no reader. */
static int into_nothing(void *unused)
{
    int fd[2];
    CHECK(!pipe(fd) && dup2(fd[1], 1) == 1 && !close(fd[0]) && !close(fd[1]));
    return works(unused);
}
static void no_reader(void)
{
    static const char *const name[] = { "DF_GRAPH", "-.txt", "DF_GRAPH", "-.dot", "DF_STATS", "-.txt",
                                        "DF_SCHEDULE=record:", "/dev/stdout", NULL };
    for (int i = 0; name[i]; i += 2) {
        struct child c = with(name[i], name[i + 1], into_nothing, NULL);
        CHECK_CHILD(c, c.status == 7 && c.lines == 1 && strstr(c.err, name[i]));
    }
}

/* What the program writes to a closed file does not get into one of df. */
static int closed(void *unused)
{
    int status;
    close(0), close(1), close(2);
    status = works(unused);
    fprintf(stderr, "not for the file\n");
    df_stop();
    return status;
}

int main(void)
{
    const uid_t self = geteuid(), nobody = 65534;
    struct child c;
    CHECK(mkdtemp(scratch(folder, "df_open")) != NULL);
    for (int v = 0; v < WRITTEN; v++) {
        modes(v);
        fifos(v);
        links(v, 01777, self);
        limits(v);
    }
    links(0, 0775, self);
    if (!self) links(0, 0755, nobody); /* only root can give a folder away */
    no_reader();
    in(path, "fifo", "rec");
    CHECK(!mkfifo(path, 0600));
    says("DF_SCHEDULE=replay:", path, "cannot be read: it is not a regular file");
    CHECK(!remove(path));
    says("DF_SCHEDULE=replay:", "/dev/zero", "cannot be read: it is not a regular file");
    says("DF_SCHEDULE=replay:", folder, "cannot be read: it is not a regular file");
    says("DF_SCHEDULE=record:", folder, "cannot be written: ");
    says("DF_SCHEDULE=record:", "/dev/null", NULL);
    in(path, "closed", "json");
    c = with("DF_TRACE", path, closed, NULL);
    CHECK_CHILD(c, c.status == 7);
    CHECK(*contents(path) && !strstr(text, "not for the file") && !remove(path));
    CHECK(!rmdir(folder));
    return 0;
}
