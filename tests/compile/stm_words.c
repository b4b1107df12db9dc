/* Every word of df_stm.h, every scalar type, blocks left and rolled back in every way; valid C11 and C++11.
 *
 * Compiled by tests/compile/run in every language and at every level of optimisation; run once per compiler: prints
 * nothing and returns 0 when the memory was right. One thread; tests with several are in tests/unit. */
#define DF_IMPLEMENTATION
#include "../../df_stm.h"

#if defined(__cplusplus)
#include <cstddef>
#endif
#include <string.h>

struct tree { struct tree *left, *right; long number; };
enum colour { RED, GREEN };
typedef struct { double re, im; char name[11]; } object;
#if defined(__cplusplus)
typedef bool truth;
#else
typedef _Bool truth;
#endif

static int wrong; /* line of the first check that failed */
#define CHECK(c) do { if (!(c) && !wrong) wrong = __LINE__; } while (0)

/* --- reading and writing: every type, through every kind of pointer; in a block, outside, rolled back ------ */

#define SCALAR(T, name, a, b)                                                                \
    static T name[3] = { a, a, a }; /* neighbours in one word stay as they are */            \
    static void try_##name(void)                                                             \
    {                                                                                        \
        T *p = &name[1];                                                                     \
        T const *c = p;                                                                      \
        T volatile *v = p;                                                                   \
        T const volatile *cv = p;                                                            \
        T got[4];                                                                            \
        DF_ATOMIC {                                                                          \
            got[0] = df_tm_read(c);                                                          \
            df_tm_write(p, b);                                                               \
            got[1] = df_tm_read(v);                                                          \
            got[2] = df_tm_read(p);                                                          \
        }                                                                                    \
        got[3] = df_tm_read(cv);                                                             \
        CHECK(got[0] == (a) && got[1] == (b) && got[2] == (b) && got[3] == (b));             \
        CHECK(name[0] == (a) && name[1] == (b) && name[2] == (a));                           \
        DF_ATOMIC {                                                                          \
            df_tm_write(v, a);                                                               \
            df_abort();                                                                      \
        }                                                                                    \
        CHECK(name[1] == (b));                                                               \
    }
SCALAR(truth, of_truth, 0, 1)
SCALAR(char, of_char, 'a', 'b')
SCALAR(signed char, of_schar, -1, -128)
SCALAR(unsigned char, of_uchar, 1, 255)
SCALAR(short, of_short, -1, -32768)
SCALAR(unsigned short, of_ushort, 1, 65535)
SCALAR(int, of_int, -1, -0x7fffffff)
SCALAR(unsigned, of_unsigned, 1, ~0u)
SCALAR(long, of_long, -1, -0x7fffffffL)
SCALAR(unsigned long, of_ulong, 1, ~0ul)
SCALAR(long long, of_llong, -1, -0x7fffffffffffffffll)
SCALAR(unsigned long long, of_ullong, 1, ~0ull)
SCALAR(float, of_float, 1.5f, -2.5f)
SCALAR(double, of_double, 1.5, -1e300)
SCALAR(size_t, of_size, 1, ~(size_t)0)
SCALAR(int64_t, of_int64, -1, -0x7fffffffffffffff)
SCALAR(uint8_t, of_uint8, 1, 255)
SCALAR(wchar_t, of_wchar, L'a', L'b')
SCALAR(enum colour, of_enum, RED, GREEN)

static struct tree leaf = { NULL, NULL, 3 }, root = { &leaf, NULL, 9 };
static int cell = 5, *cell_at = &cell;
SCALAR(void *, of_void_pointer, &cell, &root)
SCALAR(const void *, of_const_void_pointer, &cell, &root)
SCALAR(char *, of_char_pointer, NULL, (char *)&root)
SCALAR(const char *, of_string, of_char, NULL)
SCALAR(volatile int *, of_volatile, &cell, NULL)
SCALAR(struct tree *, of_tree, &leaf, &root)
SCALAR(const struct tree *, of_const_tree, &leaf, &root)
SCALAR(int **, of_pointer_pointer, &cell_at, NULL)

/* What is written is converted as by an assignment; a result has its type. */
static void conversions(void)
{
    char c;
    short s;
    long l;
    double d;
    float f;
    truth t;
    const void *v = NULL;
    struct tree *p = &root, **pp = &p, *q = NULL;
    const struct tree *cp = NULL;
    DF_ATOMIC {
        df_tm_write(&c, 'x');
        df_tm_write(&s, df_tm_read(&c));
        df_tm_write(&l, df_tm_read(&s) + 1);
        df_tm_write(&d, 3);
        df_tm_write(&f, 2);
        df_tm_write(&t, 1);
        df_tm_write(&v, pp);
        df_tm_write(&cp, p);
        df_tm_write(&q, NULL);
        df_tm_write(&q, 0);
        df_tm_write(&q, df_tm_read(&df_tm_read(pp)->left));
        df_tm_write(&df_tm_read(&q)->number, df_tm_read(&df_tm_read(pp)->left->number) + 1);
    }
    CHECK(c == 'x' && s == 'x' && l == 'x' + 1 && d > 2.5 && d < 3.5 && f > 1.5f && f < 2.5f && t && v == pp &&
          cp == p);
    CHECK(q == &leaf && leaf.number == 4);
    CHECK(sizeof df_tm_read(&c) == sizeof c && sizeof df_tm_read(&d) == sizeof d && df_tm_read(&p)->left == q);
}

static void bytes(void)
{
    static object a = { 1, 2, "0123456789" }, b;
    static char text[] = "0123456789abcdef";
    object x, y;
    memset(&x, 0, sizeof x);
    x.re = 5;
    DF_ATOMIC {
        df_tm_read_bytes(&y, &a, sizeof y);
        df_tm_copy(&b, &a, sizeof b);
        df_tm_write_bytes(&a, &x, sizeof a);
        df_tm_copy(text + 1, text, 9);       /* forwards and backwards, over itself */
        df_tm_copy(text + 10, text + 11, 5);
        df_tm_copy(text, text, 0);
    }
    CHECK(y.im > 1.5 && strcmp(y.name, "0123456789") == 0 && b.im > 1.5 && strcmp(b.name, "0123456789") == 0);
    CHECK(a.re > 4.5 && a.im < 0.5 && a.name[0] == 0 && strcmp(text, "0012345678bcdeff") == 0);
    df_tm_copy(&a, &b, sizeof a);
    df_tm_write_bytes(text, "x", 1);
    df_tm_read_bytes(&y, &a, sizeof y);
    CHECK(y.re < 1.5 && text[0] == 'x');
}

/* --- blocks -------------------------------------------------------------------------------------------- */

static long account[2] = { 1000, 0 };
static int found, tried;

static void move(long n)
{
    DF_ATOMIC {
        df_tm_write(&account[0], df_tm_read(&account[0]) - n);
        df_tm_write(&account[1], df_tm_read(&account[1]) + n);
    }
}

/* Left in every way, they have an effect. */
static int left_by_return(void)
{
    DF_ATOMIC {
        df_tm_write(&found, 1);
        if (df_tm_read(&found)) return 7;
    }
    return 8;
}
static void left(void)
{
    int i, n = 0;
    CHECK(left_by_return() == 7 && found == 1);
    for (i = 0; i < 3; i++)
        DF_ATOMIC {
            df_tm_write(&found, df_tm_read(&found) + 1);
            if (i == 1) continue; /* of the block */
            df_tm_write(&found, df_tm_read(&found) + 10);
            if (i == 2) break;
            df_tm_write(&found, df_tm_read(&found) + 100);
        }
    CHECK(found == 1 + 111 + 1 + 11 && i == 3);
    DF_ATOMIC {
        DF_ATOMIC {
            df_tm_write(&found, 5);
            goto out;
        }
        df_tm_write(&found, 6);
    }
    n = 1;
out:
    CHECK(found == 5 && n == 0);
    DF_ATOMIC df_tm_write(&found, 9); /* without braces */
    if (found == 9) DF_ATOMIC df_tm_write(&found, 10);
    CHECK(found == 10);
    DF_ATOMIC { /* the body may have loops of its own */
        for (i = 0; i < 10; i++) {
            if (i == 3) continue;
            if (i == 6) break;
            df_tm_write(&found, df_tm_read(&found) + 1);
        }
        switch (df_tm_read(&found)) {
        case 15: df_tm_write(&found, 20); break;
        default: df_tm_write(&found, 30);
        }
    }
    CHECK(found == 20);
}

static void pairs(void)
{
    df_tm_block outer, inner;
    found = 1;
    if (df_tm_begin(&outer)) {
        if (df_tm_begin(&inner)) {
            df_tm_write(&found, 2);
            df_tm_end(&inner);
        }
        DF_ATOMIC_CLOSED {
            df_tm_write(&found, 3);
            df_abort();
        }
        CHECK(df_tm_read(&found) == 2);
        df_tm_end(&outer);
    }
    CHECK(found == 2);
    if (df_tm_begin(&outer)) {
        df_tm_write(&found, 4);
        df_abort();
        df_tm_end(&outer);
    }
    CHECK(found == 2);
}

static void alternatives(void)
{
    volatile int ran = 0;
    DF_ATOMIC {
        df_tm_write(&found, 1);
        df_tm_write(&tried, 1);
        if (df_tm_read(&found)) df_retry();
        ran = -1;
    } DF_OR_ELSE {
        CHECK(df_tm_read(&found) == 20 && df_tm_read(&tried) == 0);
        df_tm_write(&tried, 2);
        df_retry();
    } DF_OR_ELSE {
        df_tm_write(&found, 3);
        ran = ran + 1;
    } DF_OR_ELSE {
        ran = -2;
    }
    CHECK(ran == 1 && found == 3 && tried == 0);
    DF_ATOMIC if (df_tm_read(&found) == 3) df_retry(); else ran = -3;
    DF_OR_ELSE df_tm_write(&found, 4);
    CHECK(ran == 1 && found == 4);
    DF_ATOMIC { /* the alternative is that of the block around */
        df_tm_write(&found, 5);
        DF_ATOMIC {
            df_tm_write(&tried, 1);
            df_retry();
        } DF_OR_ELSE {
            df_tm_write(&tried, 2);
            if (df_tm_read(&found) == 5) df_retry();
        }
        ran = -4;
    } DF_OR_ELSE {
        DF_ATOMIC_CLOSED {
            df_tm_write(&tried, 5);
            df_retry();
        } DF_OR_ELSE {
            df_tm_write(&tried, df_tm_read(&tried) + 6);
        }
    }
    CHECK(ran == 1 && found == 4 && tried == 6);
}

static void nested(void)
{
    DF_ATOMIC {
        df_tm_write(&found, 1);
        DF_ATOMIC_CLOSED {
            df_tm_write(&found, 2);
            df_tm_write(&tried, 2);
            df_abort(); /* leaves the inner one */
        }
        df_tm_write(&found, df_tm_read(&found) + 10);
        DF_ATOMIC_CLOSED {
            df_tm_write(&tried, 7);
            DF_ATOMIC {
                df_tm_write(&tried, df_tm_read(&tried) + 1);
            }
        }
    }
    CHECK(found == 11 && tried == 8);
    DF_ATOMIC {
        df_tm_write(&found, 1);
        DF_ATOMIC {
            df_tm_write(&tried, 2);
            df_abort(); /* leaves both, unless nested blocks are closed anyway */
        }
        CHECK(DF_STM_CLOSED);
    }
    CHECK(found == (DF_STM_CLOSED ? 1 : 11) && tried == 8);
}

static void set_to_five(void *p) { df_tm_write((int *)p, 5); }
static void set_and_abort(void *p)
{
    df_tm_write((int *)p, 6);
    df_abort();
}
static void give_up(void *p)
{
    DF_ATOMIC {
        if (df_tm_read((int *)p) == 5) df_retry();
    } DF_OR_ELSE {
        df_tm_write((int *)p, 7);
    }
}

static void add_commits(void *sum, const char *site, const df_stm_counters *c)
{
    CHECK(strstr(site, "stm_words.c:") != NULL);
    *(uint64_t *)sum += c->commits;
}

static void the_rest(void)
{
    volatile int runs = 0;
    uint64_t commits = 0;
    df_stm_counters before, after;
    CHECK(df_stm_stats(&before) == DF_OK);
    CHECK(df_atomically(set_to_five, &found) == DF_OK && found == 5);
    CHECK(df_atomically(set_and_abort, &found) == DF_ERROR_ABORTED && found == 5);
    CHECK(df_atomically(give_up, &found) == DF_OK && found == 7);
    DF_ATOMIC {
        df_tm_write(&found, df_tm_read(&found) + 1);
        runs = runs + 1;
        if (runs < 3) df_restart();
    }
    CHECK(runs == 3 && found == 8);
    runs = 0;
    DF_ATOMIC {
        df_tm_write(&found, df_tm_read(&found) + 1);
        df_tm_validate();
        df_irrevocable();
        runs = runs + 1;
        df_tm_write(&found, df_tm_read(&found) + 1);
    }
    CHECK(runs == 1 && found == 10);
    DF_ATOMIC CHECK(df_tm_read(&found) == 10);
    df_tm_quiesce();
    CHECK(df_stm_stats(&after) == DF_OK);
    CHECK(after.commits - before.commits == 5 && after.read_only - before.read_only == 1);
    CHECK(after.by_user - before.by_user == 3 && after.alone - before.alone == 1 && after.retries == before.retries);
    CHECK(after.locked + after.too_new + after.changed == 0 && after.gave_way == 0);
    CHECK(df_stm_sites(add_commits, &commits) == DF_OK);
#if !defined(DF_SERIAL) && defined(DF_STM_SITES) && DF_STM_SITES
    CHECK(commits == after.commits);
#else
    CHECK(commits == 0);
#endif
    CHECK(after.most_writes >= 1 && after.to_log + after.extensions + after.most_reads < 1000000);
}

/* --- memory and handlers --------------------------------------------------------------------------------- */

static char said[8];
static void say(void *what) { strcat(said, (const char *)what); }
static struct tree *list;

static void push(long n)
{
    DF_ATOMIC {
        struct tree *t = (struct tree *)df_tm_calloc(1, sizeof *t);
        if (!t) df_abort();
        t->number = n, t->right = df_tm_read(&list);
        df_tm_write(&list, t);
    }
}
static long pop(void)
{
    volatile long n = 0;
    DF_ATOMIC {
        struct tree *t = df_tm_read(&list);
        if (!t) df_retry();
        n = df_tm_read(&t->number);
        df_tm_write(&list, df_tm_read(&t->right));
        df_tm_free(t);
    } DF_OR_ELSE n = -1;
    return n;
}
static void memory(void)
{
    static char first[] = "a", second[] = "b", third[] = "c";
    void *p = df_tm_malloc(10);
    df_tm_free(p);
    df_tm_free(NULL);
    push(1);
    push(2);
    CHECK(pop() == 2 && pop() == 1 && pop() == -1);
    DF_ATOMIC {
        p = df_tm_malloc(100);
        df_tm_free(df_tm_malloc(1));
        CHECK(df_tm_on_commit(say, first) == DF_OK);
        CHECK(df_tm_on_abort(say, second) == DF_OK);
        CHECK(df_tm_on_abort(say, third) == DF_OK);
        if (p) df_abort();
    }
    CHECK(strcmp(said, "cb") == 0);
    DF_ATOMIC {
        CHECK(df_tm_on_commit(say, first) == DF_OK);
        CHECK(df_tm_on_abort(say, second) == DF_OK);
        CHECK(df_tm_on_commit(say, third) == DF_OK);
        CHECK(strlen(said) == 2);
    }
    CHECK(strcmp(said, "cbac") == 0);
}

/* --- functions as users write them: their ordinary locals are no reason for a warning (gcc: -Wclobbered) ---- */

static int table[16];

static int insert(int *at, int n, int key)
{
    int full = 1, i;
    DF_ATOMIC {
        for (i = 0; i < n; i++)
            if (!df_tm_read(&at[i])) break;
        if (i < n) df_tm_write(&at[i], key);
        full = i == n;
    }
    return full;
}
static int sum(const int *at, int n)
{
    int s = 0, i;
    DF_ATOMIC {
        s = 0;
        for (i = 0; i < n; i++) s += df_tm_read(at + i);
    }
    return s;
}
static int repeated(int *at, int rounds)
{
    int i, done = 0;
    for (i = 0; i < rounds; i++) {
        int key = i + 1, *p = at + i % 16;
        DF_ATOMIC {
            int now = df_tm_read(p);
            if (now > key) now = key;
            df_tm_write(p, now + 1);
        }
        done += key;
    }
    return done;
}
static const struct tree *search(struct tree *const *from, long number)
{
    const struct tree *t = NULL;
    DF_ATOMIC {
        t = df_tm_read(from);
        while (t && df_tm_read(&t->number) != number)
            t = df_tm_read(number < df_tm_read(&t->number) ? &t->left : &t->right);
        if (t) return t;
    }
    return t;
}
static double either(double *a, double *b, double by)
{
    double got;
    DF_ATOMIC {
        got = df_tm_read(a);
        if (got < by) df_retry();
        df_tm_write(a, got - by);
    } DF_OR_ELSE {
        got = df_tm_read(b);
        if (got < by) df_retry();
        df_tm_write(b, got - by);
    } DF_OR_ELSE return 0;
    return got;
}
static void locals(void)
{
    struct tree *t = &root;
    double a = 1, b = 5;
    int i, s;
    for (i = 1; i <= 16; i++) CHECK(!insert(table, 16, i));
    CHECK(insert(table, 16, 17));
    s = sum(table, 16);
    CHECK(s == 8 * 17);
    CHECK(repeated(table, 20) == 210);
    CHECK(search(&t, 4) == &leaf && search(&t, 99) == NULL);
    CHECK(either(&a, &b, 2) > 4.5 && either(&a, &b, 3) > 2.5 && either(&a, &b, 1) > 0.5 && either(&a, &b, 1) < 0.5);
}

#if defined(__cplusplus)
enum class shade : short { dark, light };
struct shape { virtual ~shape() {} int corners = 3; };
SCALAR(shade, of_shade, shade::dark, shade::light)
SCALAR(char16_t, of_char16, u'a', u'b')
SCALAR(std::nullptr_t *, of_nullptr, nullptr, nullptr)
static void only_cxx()
{
    static shape it, *at = nullptr;
    auto grow = [](int by) {
        DF_ATOMIC {
            df_tm_write(&it.corners, df_tm_read(&it.corners) + by);
            df_tm_write(&at, &it);
        }
    };
    try_of_shade(), try_of_char16(), try_of_nullptr();
    grow(2);
    CHECK(df_tm_read(&at)->corners == 5);
}
#else
static void only_cxx(void) { }
#endif

int main(void)
{
    try_of_truth(), try_of_char(), try_of_schar(), try_of_uchar(), try_of_short(), try_of_ushort(), try_of_int();
    try_of_unsigned(), try_of_long(), try_of_ulong(), try_of_llong(), try_of_ullong(), try_of_float(), try_of_double();
    try_of_size(), try_of_int64(), try_of_uint8(), try_of_wchar(), try_of_enum();
    try_of_void_pointer(), try_of_const_void_pointer(), try_of_char_pointer(), try_of_string(), try_of_volatile();
    try_of_tree(), try_of_const_tree(), try_of_pointer_pointer();
    conversions();
    bytes();
    move(100);
    CHECK(account[0] == 900 && account[1] == 100);
    left();
    alternatives();
    nested();
    the_rest();
    memory();
    locals();
    only_cxx();
    pairs();
    return wrong ? wrong % 255 + 1 : 0;
}
