// The headers inside of extern "C", as C++ programs include C libraries
extern "C" {
#include "../../df_stm.h"
#include "../../df_containers.h"
#include "../../df_gpu.h"
#include "../../df_owm.h"
#include "../../df_observe.h"
}
#include <cstdio>
DF_TASK(long, fib, (long, n));
long fib(long n)
{
    if (n < 2) return n;
    df_future(fib) a;
    df_spawn(fib, &a, n - 1);
    long b = fib(n - 2);
    return df_sync(fib, &a) + b;
}
int main() { return fib(20) != 6765; }
