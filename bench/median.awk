# The median of numbers that are separated by spaces; for the awk programs of run.sh and plot.sh.
function median(list,   v, n, i, j, t) {
    n = split(list, v, " ")
    for (i = 2; i <= n; i++) {
        t = v[i] + 0
        for (j = i - 1; j > 0 && v[j] + 0 > t; j--) v[j + 1] = v[j]
        v[j + 1] = t
    }
    return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
}
