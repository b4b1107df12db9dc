/* damaged.c - damaged files of DF_HISTORY, DF_TUNE and DF_KERNEL_CACHE: lines that df did not write are ignored,
 * without other effects. Runs with AddressSanitizer and UndefinedBehaviorSanitizer, too. */
#define _DEFAULT_SOURCE /* mkdtemp, setenv */
#define DF_IMPLEMENTATION
#define DF_USE_OPENCL /* has gpu/kernel/cache.h */
#include "df_gpu.h"
#include "../test.h"
#include "scratch.h"
#include <dirent.h>
#include <unistd.h>

DF_KERNEL(one, df_inout(float, y, n), (int, n), { int i = df_global_id(0); if (i < n) y[i] += 1; })
DF_KERNEL(two, df_inout(float, y, n), (int, n), { int i = df_global_id(0); if (i < n) y[i] += 2; })
DF_VARIANTS(list, (one, .groups = { { 64 }, { 32, 2 } }), two);

enum { MOST = 1 << 14 };
static char folder[SCRATCH], path[SCRATCH + 300], text[MOST];
static size_t n;
static uint64_t random_state = 1;

static const char *const extreme[] = { "0", "-1", "64", "65", "18446744073709551615", "-9223372036854775808", "1e999",
                                       "", "x", "\t", "\n", "9999999999999999999999999", "%s%n", "\xff" };

static void quiet(void *arg, int level, const char *message) { (void)arg, (void)level, (void)message; }

static void put(size_t at, size_t old, const char *p, size_t bytes)
{
    if (n - old + bytes >= MOST) return;
    memmove(text + at + bytes, text + at + old, n - at - old);
    memcpy(text + at, p, bytes);
    n += bytes - old;
}

/* Changes what follows the first `from` bytes, if anything does. */
static void damage(size_t from)
{
    static char many[3000];
    size_t at = n > from ? from + (size_t)test_below(&random_state, (int)(n - from)) : 0, end = at;
    const char *word = extreme[test_below(&random_state, sizeof extreme / sizeof *extreme)];
    if (n <= from) return;
    switch (test_below(&random_state, 5)) {
    case 0:
        while (at > from && !strchr(" \t\n", text[at - 1])) at--;
        while (end < n && !strchr(" \t\n", text[end])) end++;
        put(at, end - at, word, strlen(word));
        break;
    case 1: n = at + 1; break;
    case 2: text[at] = (char)test_random(&random_state); break;
    case 3: put(at, 0, word, strlen(word)); break;
    default:
        memset(many, "1\t\na"[test_below(&random_state, 4)], sizeof many);
        put(at, 0, many, (size_t)test_below(&random_state, sizeof many));
    }
}

static void write_text(const char *name)
{
    FILE *f = fopen(name, "wb");
    CHECK(f && fwrite(text, 1, n, f) == n && !fclose(f));
}

/* Mostly: with another head all of it is left out. */
static size_t after_the_head(const char *head) { return test_below(&random_state, 8) ? strlen(head) + 1 : 0; }

static void histories(int turns)
{
    static const char *const line[] = { "3 1000 900\tone\t10 5\thost\t2 workers\n",
                                        "1 5 5\tcopy\t0 0\tsim\tsimulated device 0\n",
                                        "12 100000000 1\ttwo@a.c\t20 10\tcuda\tsome GPU\n" };
    snprintf(path, sizeof path, "%s/history", folder);
    setenv("DF_HISTORY", path, 1);
    for (int k = 0; k < turns; k++) {
        n = (size_t)snprintf(text, MOST, "%s\n", dfi_history_file.head);
        for (int i = 0; i < 3; i++) n += (size_t)snprintf(text + n, MOST - n, "%s", line[i]);
        for (int i = test_below(&random_state, 4); i > 0; i--) damage(after_the_head(dfi_history_file.head));
        write_text(path);
        dfi_file_read(&dfi_history_file, NULL);
        dfi_history.count = 1; /* something is to be written */
        dfi_history_stop();
    }
    unsetenv("DF_HISTORY");
    CHECK(!remove(path));
}

static void tunings(int turns)
{
    struct dfi_tune_file f = { &list_dfi_variants, NULL, NULL };
    snprintf(path, sizeof path, "%s/tune", folder);
    setenv("DF_TUNE", path, 1);
    for (int k = 0; k < turns; k++) {
        n = (size_t)snprintf(text, MOST, "%s\n64 0 0 1000 one\tlist@damaged.c\t10 5 0\tcuda\tsome GPU\n"
                                         "32 2 0 99 one\tlist@damaged.c\t1 0 0\tsim\ta device\n"
                                         "0 0 0 7 two\tlist@damaged.c\t64 64 64\ta\tb\n",
                             dfi_tune_times.head);
        for (int i = test_below(&random_state, 4); i > 0; i--) damage(after_the_head(dfi_tune_times.head));
        write_text(path);
        dfi_file_read(&dfi_tune_times, &f);
    }
    unsetenv("DF_TUNE");
    CHECK(!remove(path));
}

/* A file of the cache is right to the last bit, or none. */
static void caches(int turns)
{
    static const char compiled[] = "a kernel that was compiled";
    struct dfi_cache_key key;
    char whole[200];
    size_t bytes, all = 0;
    struct dirent *e;
    DIR *d;
    FILE *f;
    void *p;
    setenv("DF_KERNEL_CACHE", folder, 1);
    dfi_cache_begin(&key);
    dfi_cache_add(&key, "text");
    dfi_cache_put(&key, compiled, sizeof compiled);
    CHECK((d = opendir(folder)) != NULL);
    while ((e = readdir(d)) != NULL)
        if (*e->d_name != '.') snprintf(path, sizeof path, "%s/%s", folder, e->d_name), all++;
    closedir(d);
    CHECK(all == 1 && (f = fopen(path, "rb")) != NULL);
    CHECK((all = fread(whole, 1, sizeof whole, f)) > sizeof compiled && !fclose(f));
    for (int k = 0; k < turns; k++) {
        memcpy(text, whole, n = all);
        if (k) damage(0);
        write_text(path);
        p = dfi_cache_get(&key, &bytes);
        CHECK((p != NULL) == (n == all && !memcmp(text, whole, all)));
        CHECK(!p || (bytes == sizeof compiled && !memcmp(p, compiled, bytes)));
        dfi_mfree(p);
    }
    unsetenv("DF_KERNEL_CACHE");
    CHECK(!remove(path));
}

int main(void)
{
    int turns = TEST_SLOW ? 100 : 300;
    dfi_logger.log = quiet;
    CHECK(mkdtemp(scratch(folder, "df_damaged")) != NULL);
    histories(turns);
    tunings(turns);
    caches(turns);
    CHECK(!rmdir(folder));
    return 0;
}
