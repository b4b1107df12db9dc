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
DF_TM_MAP(numbers, int, double);
DF_TM_SET(keys, long);
int find(numbers *m, keys *s);
int find(numbers *m, keys *s)
{
    double d = 1;
    if (numbers_put(m, 1, d) == DF_OK && numbers_get(m, 1, &d)) return keys_add(s, 1);
    return 0;
}
#endif
