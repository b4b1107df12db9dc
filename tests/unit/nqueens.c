/* nqueens.c - arrays of futures on the stack of a recursive function */
#define DF_IMPLEMENTATION
#include "df.h"
#include "../test.h"

enum { MOST = 9 };
typedef struct { signed char at[MOST]; } board; /* column of the queen in each row */

static int allowed(const board *b, int row, int col)
{
    for (int r = 0; r < row; r++)
        if (b->at[r] == col || b->at[r] - col == row - r || col - b->at[r] == row - r) return 0;
    return 1;
}

/* solutions with the first `row` queens as on b */
DF_TASK(int, place, (int, n), (int, row), (board, b));
int place(int n, int row, board b)
{
    df_future(place) f[MOST];
    int spawned[MOST] = { 0 }, solutions = 0;
    if (row == n) return 1;
    for (int col = 0; col < n; col++) {
        if (!allowed(&b, row, col)) continue;
        b.at[row] = (signed char)col;
        spawned[col] = 1;
        df_spawn(place, &f[col], n, row + 1, b);
    }
    for (int col = n - 1; col >= 0; col--)
        if (spawned[col]) solutions += df_sync(place, &f[col]);
    return solutions;
}

int main(void)
{
    for (int n = 1; n <= 8; n++) printf("%d queens: %d\n", n, place(n, 0, (board){ { 0 } }));
}
