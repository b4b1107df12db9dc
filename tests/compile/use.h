/* use.h - something of each of the headers of headers.h: they are whole */
#if STM != 1 && STM != 9
DF_TASK(int, twice, (int, n));
#endif
#if STM >= 6 && STM != 9
DF_TASK(int, own, df_owm_inout(int, p, n), (int, n));
#endif
#if STM >= 4 && STM != 6 && STM != 9
DF_KERNEL(half, df_inout(float, p, n), (int, n),
{
    int i = df_global_id(0), j = 2;
    if (i < n) p[i] /= (float)j;
})
#endif
#if STM && STM != 4 && STM != 6
long add(long *to, long n);
long add(long *to, long n)
{
    DF_ATOMIC {
        df_tm_write(to, df_tm_read(to) + n);
        if (df_tm_read(to) < 0) df_retry();
    } DF_OR_ELSE return 0;
    return n;
}
#endif
#if STM == 7 || STM == 9
#define USE_BEFORE(a, b) ((a) < (b))
DF_TM_MAP(numbers, int, double);
DF_TM_SET(keys, long);
DF_TM_SORTED_MAP(sorted, int, double, USE_BEFORE);
DF_TM_QUEUE(line, long);
DF_TM_HEAP(heap, long, USE_BEFORE);
int find(numbers *m, keys *s, sorted *o, line *q, heap *h);
int find(numbers *m, keys *s, sorted *o, line *q, heap *h)
{
    double d = 1;
    long n = 1;
    int k = 1;
    if (numbers_put(m, 1, d) == DF_OK && numbers_get(m, 1, &d) && keys_add(s, 1)) return sorted_first(o, &k, &d);
    if (line_push(q, n) == DF_OK && line_take(q, &n) && heap_push(h, n) == DF_OK) return heap_pop(h, &n);
    return 0;
}
#endif
