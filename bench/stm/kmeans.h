/* kmeans: threads look for the centre that is nearest to a point, and a short block adds the point to its sums.
 *
 * A task is a point in one of 8 rounds. Coordinates and centres are whole numbers below 256, so a float holds all sums
 * exactly, and the order of additions does not matter. */
#ifndef STM_KMEANS_H
#define STM_KMEANS_H

enum { KMEANS_CENTRES = 16, KMEANS_SIZE = 16, KMEANS_ROUNDS = 8, KMEANS_MOST = 65536 };

typedef struct {
    long points;
    float sum[KMEANS_SIZE];
} kmeans_cluster;
static struct {
    float (*point)[KMEANS_SIZE], centre[KMEANS_CENTRES][KMEANS_SIZE];
    kmeans_cluster cluster[KMEANS_CENTRES];
} the_kmeans;

static inline void kmeans_add_up(kmeans_cluster *c, const float *point)
{
    df_tm_write(&c->points, df_tm_read(&c->points) + 1);
    for (int d = 0; d < KMEANS_SIZE; d++) df_tm_write(&c->sum[d], df_tm_read(&c->sum[d]) + point[d]);
}
static STM_CALL void kmeans_add(kmeans_cluster *c, const float *point)
{
    BLOCK kmeans_add_up(c, point); BLOCK_END
}

static int kmeans_nearest(const float *point)
{
    float least = 0;
    int nearest = 0;
    for (int c = 0; c < KMEANS_CENTRES; c++) {
        float distance = 0;
        for (int d = 0; d < KMEANS_SIZE; d++) {
            float x = point[d] - the_kmeans.centre[c][d];
            distance += x * x;
        }
        if (c == 0 || distance < least) least = distance, nearest = c;
    }
    return nearest;
}
static void kmeans_run(void *p)
{
    worker *w = (worker *)p;
    for (long i = w->first; i < w->end; i++) {
        const float *point = the_kmeans.point[i];
        kmeans_add(&the_kmeans.cluster[kmeans_nearest(point)], point);
    }
}

/* Moves the centres, and empties the clusters. */
static void kmeans_move(long n, double total)
{
    for (int c = 0; c < KMEANS_CENTRES; c++) {
        kmeans_cluster *k = &the_kmeans.cluster[c];
        n -= k->points;
        for (int d = 0; d < KMEANS_SIZE; d++) {
            total -= (double)k->sum[d];
            if (k->points) the_kmeans.centre[c][d] = (float)((long)k->sum[d] / k->points);
        }
        memset(k, 0, sizeof *k);
    }
    must(n == 0 && total >= 0 && total <= 0, "kmeans: a point was not added");
}

static outcome kmeans(long n)
{
    outcome o = { 0, 0, 0 };
    worker all;
    double total = 0;
    n = n / 32 < KMEANS_MOST ? n / 32 : KMEANS_MOST;
    the_kmeans.point = (float (*)[KMEANS_SIZE])bench_alloc((size_t)n, sizeof *the_kmeans.point);
    memset(the_kmeans.cluster, 0, sizeof the_kmeans.cluster);
    for (long i = 0; i < n * KMEANS_SIZE; i++) {
        float x = (float)(bench_mix((uint64_t)i) % 256);
        the_kmeans.point[i / KMEANS_SIZE][i % KMEANS_SIZE] = x;
        total += (double)x;
    }
    memcpy(the_kmeans.centre, the_kmeans.point, sizeof the_kmeans.centre);
    for (int round = 0; round < KMEANS_ROUNDS; round++) {
        o.seconds += work_all(kmeans_run, n, 1, 0, 0, &all);
        kmeans_move(n, total);
    }
    o.tasks = n * KMEANS_ROUNDS;
    for (int i = 0; i < KMEANS_CENTRES * KMEANS_SIZE; i++)
        o.sum = bench_mix(o.sum ^ (uint64_t)the_kmeans.centre[i / KMEANS_SIZE][i % KMEANS_SIZE]);
    free(the_kmeans.point);
    return o;
}
#endif
