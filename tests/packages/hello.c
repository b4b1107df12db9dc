/* hello.c - a program for each way to get df; -DLIBRARY: the implementation is in a library */
#ifndef LIBRARY
#define DF_IMPLEMENTATION
#endif
#include <df.h>

DF_TASK(int, answer);
int answer(void) { return 42; }

int main(void)
{
    df_future(answer) f;
    df_spawn(answer, &f);
    return df_sync(answer, &f) != 42 || df_version() != DF_VERSION;
}
