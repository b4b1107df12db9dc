/* A library throws (-DTHROWS: that part) in the body of a task of a program that is built with -fno-exceptions. */
#if defined(THROWS)
void throws();
void throws() { throw 1; }
#else
#include "../../df.h"

void throws();
DF_TASK(void, call, (int, k));
void call(int k) { if (k == 3) throws(); }

int main()
{
    DF_PARALLEL for (int i = 0; i < 9; i++) df_submit(call, i);
    df_wait();
    return 0;
}
#endif
