/* 16_memory_kinds.c - the four kinds of memory a parallel program has, each where it fits: a histogram of words by
 * length
 *
 * thread-local    each task counts into variables of its own, which no other task sees
 * frame           written once by the task that made it, then handed to other tasks and only read (df_local)
 * transactional   changed by many tasks at any time, in atomic blocks only
 * owner-writable  large, changed in place, by one owner of a part at a time (df_owm.h); the order is that of a stream
 *
 * Compile with -DDF_CHECK=1 to have ownership checked. */
#define DF_IMPLEMENTATION
#include "../df_owm.h"
#include "../df_stm.h"

#include <stdio.h>
#include <string.h>

enum { LETTERS = 1 << 16, PIECES = 16, PIECE = LETTERS / PIECES, LONGEST = 12 };

static struct { long words, longest; } found; /* transactional: a total that every task adds to */

/* Letters and blanks, from a generator that starts anew in each piece. */
DF_TASK(void, write_text, df_owm_out(char, text, n), (int, n), (unsigned, seed), df_push(char, written, 1));
void write_text(char *text, int n, unsigned seed, char *written)
{
    for (int i = 0; i < n; i++) {
        seed = seed * 1103515245u + 12345u;
        text[i] = (seed >> 24) % 6 == 0 || i == n - 1 ? ' ' : (char)('a' + (seed >> 16) % 26);
    }
    *written = 1;
}

/* weight[k]: the score of a word of k letters; made once, then shared. */
DF_TASK(void, count, df_owm_inout(char, text, n), (int, n), df_in(int, weight, LONGEST), df_pop(char, written, 1),
        df_reduce(df_sum, long, score, 1));
void count(char *text, int n, const int *weight, const char *written, long *score)
{
    long words = 0, longest = 0, length = 0; /* thread-local */
    (void)written;
    for (int i = 0; i < n; i++)
        if (text[i] != ' ') {
            if (length == 0) text[i] = (char)(text[i] - 'a' + 'A'); /* in place: this task owns the piece */
            length++;
        } else if (length) {
            words++;
            *score += weight[length < LONGEST ? length : LONGEST - 1];
            if (length > longest) longest = length;
            length = 0;
        }
    DF_ATOMIC {
        df_tm_write(&found.words, df_tm_read(&found.words) + words);
        if (df_tm_read(&found.longest) < longest) df_tm_write(&found.longest, longest);
    }
}

int main(void)
{
    char *text = (char *)df_owm_alloc(LETTERS);
    df_stream *written = df_stream_new(1, PIECES);
    long score = 0, capitals = 0;
    if (!text || !written) return 1;
    DF_PARALLEL {
        int *weight = df_local(int, LONGEST); /* frame memory: lives until the tasks of this block are done */
        if (!weight) return 1;
        for (int k = 0; k < LONGEST; k++) weight[k] = k * k; /* and from here on it is constant */
        for (int i = 0; i < PIECES; i++) {
            df_submit(write_text, text + i * PIECE, PIECE, (unsigned)i, written);
            df_submit(count, text + i * PIECE, PIECE, weight, written, &score); /* after it: the stream orders them */
        }
    }
    df_owm_acquire(text, LETTERS, DF_OWM_R);
    for (int i = 0; i < LETTERS; i++) capitals += text[i] >= 'A' && text[i] <= 'Z';
    df_owm_release(text, LETTERS);
    printf("%ld words, the longest of %ld letters, score %ld: %s\n", found.words, found.longest, score,
           capitals == found.words ? "each begins with a capital" : "WRONG");
    df_stream_free(written);
    df_owm_free(text);
    return capitals != found.words;
}
