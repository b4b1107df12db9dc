#include "text.h"

#include <errno.h>
#include <string.h>

void text_open(text *t, char *const *file, size_t made)
{
    *t = (text){ .file = file, .made = *file ? 0 : made, .random = 1 };
}

void text_close(text *t)
{
    if (t->now)
        fclose(t->now);
    t->now = NULL;
}

/* Words of 2 to 4 letters, some of them much more frequent than others; the same however they are read. */
static size_t make(text *t, char *to, size_t n)
{
    n = n < t->made ? n : t->made;
    for (size_t i = 0; i < n; i++) {
        if (t->letters >= 2 && t->word == 0) {
            t->random = t->random * 1664525u + 1013904223u;   /* Numerical Recipes, 7.1 */
            t->word = (t->random >> 12 & 0x3fff) >> (t->random >> 27) % 14;
            t->letters = 0;
            to[i] = ' ';
            continue;
        }
        to[i] = (char)('a' + (t->word % 13 * 5 + t->letters * 7) % 26);
        t->word /= 13;
        t->letters++;
    }
    t->made -= n;
    return n;
}

size_t text_read(text *t, char *to, size_t n)
{
    if (t->made > 0)
        return make(t, to, n);
    while (!t->error[0] && (t->now || *t->file)) {
        if (!t->now) {
            t->name = *t->file++;
            t->now = fopen(t->name, "rb");
            t->in_file = 0;
        }
        size_t got = t->now ? fread(to, 1, n, t->now) : 0;
        t->in_file += got;
        if (got > 0)
            return got;
        if (!t->now || ferror(t->now)) {
            snprintf(t->error, sizeof t->error, "%.200s: %.60s", t->name, strerror(errno));
            break;
        }
        text_close(t);
        *to = '\n';   /* no word goes on in the next file */
        return 1;
    }
    return 0;
}
