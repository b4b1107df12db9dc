/* df_mpi.h - the same program on many machines: tasks over the ranks of MPI
 *
 * WHAT  A program whose tasks declare the memory that they read and write runs on one machine, or, started by
 *       mpirun, on many. Each process, a rank, executes the same program and submits the same tasks. A task runs in
 *       one of them: in the rank that is the home of the data that the task writes. Values that it reads and another
 *       rank has are sent, by tasks of df that are ordered like those of the program. Declarations, df_submit and the
 *       results are those of one machine. Messages, start and end are those of MPI.
 *
 * DO THIS
 *       #define DF_IMPLEMENTATION      in ONE C file, before
 *       #include "df_mpi.h"            which includes df.h and <mpi.h>
 *       and compile with mpicc, and -pthread. Run: mpirun -n 4 ./program
 *
 * A COMPLETE PROGRAM
 *       #define DF_IMPLEMENTATION
 *       #include "df_mpi.h"
 *       #include <stdio.h>
 *       enum { N = 1000000, B = 100000 };
 *
 *       DF_TASK(void, fill, df_out(double, x, B), (double, value));
 *       void fill(double *x, double value) { for (int i = 0; i < B; i++) x[i] = value; }
 *
 *       DF_TASK(void, add, df_in(double, x, B), df_inout(double, y, B));
 *       void add(const double *x, double *y) { for (int i = 0; i < B; i++) y[i] += x[i]; }
 *
 *       int main(void)
 *       {
 *           df_mpi_start(MPI_COMM_WORLD, NULL);
 *           double *x = df_shared_alloc(double, .dim = {{ .size = N, .tile = B, .split = DF_BLOCK(0) }});
 *           for (int i = 0; i < N; i += B) df_submit(fill, &x[i], i);       each block in its home
 *           for (int i = B; i < N; i += B) df_submit(add, &x[i - B], &x[i]);   the block before it may be elsewhere
 *           df_fetch(&x[N - 1], sizeof *x);                                 its value, in each rank
 *           if (df_rank() == 0) printf("%.0f\n", x[N - 1]);                 prints 4500000
 *           return df_mpi_wait() != DF_OK;
 *       }
 *
 * OPTIONS
 *     Same in all files:
 *       DF_SERIAL        one process and one thread: rank 0 of 1. Without <mpi.h>, and linked without MPI
 *     Environment:
 *       DF_MPI_FAKE=1024   shows whether the submission is fast enough for 1024 ranks: one process submits as the
 *                        middle one of them. No task that accesses shared arrays runs, nothing is sent, and values are
 *                        wrong. df_mpi_wait logs how many tasks and messages it has, and the time of a submission
 *
 * ERRORS  A message (df_config.log; default: stderr) for each mistake that one rank can see. Ranks that submit
 *       different tasks are not detected: they may wait for each other forever.
 *
 * NOT   No distribution of memory that exists: each rank has its own of all that is not of df_shared_alloc.
 *
 * SECTIONS  search for >>start  >>shared  >>implementation  >>licence (last)
 * Source: StarPU-MPI (Agullo et al., IEEE TPDS 28 (12), 2017); PaRSEC's dynamic task discovery; HPF. */
#include "df.h"

#ifndef DF_MPI_H
#define DF_MPI_H

#if !defined(DF_SERIAL)
#include <mpi.h>
#endif

#if defined(__GNUC__) && !defined(__clang__) && !defined(DF_DEVELOP)
#pragma GCC system_header
#endif
DFI_BEGIN

/* ------------------------------------------------------------------------------------- >>start
 * Ranks
 *
 *   df_result df_mpi_start(comm, config)   starts df in each process of an MPI communicator, such as MPI_COMM_WORLD.
 *             All of them call it, before all other constructs of df, in the thread that will submit the tasks.
 *             config: a const df_config *, as for df_start, or NULL.
 *             If the program has not initialised MPI, df does, and ends it when the process ends; else the program has
 *             called MPI_Init_thread for MPI_THREAD_SERIALIZED or more. df_stop ends it, as does MPI_Finalize.
 *             A second call, after df_stop, uses the communicator of the first one.
 *             Returns DF_OK. Errors, with a message: DF_ERROR_MPI: several threads cannot use MPI, or it has ended;
 *             DF_ERROR_STARTED: df runs already; DF_ERROR_ARGUMENT: df_config.idle is set, which df needs itself;
 *             DF_ERROR_MEMORY.
 *   int df_rank()                  the number of this process: 0 .. df_ranks() - 1; 0 before df_mpi_start
 *   int df_ranks()                 the number of processes; 1 before df_mpi_start, and without mpirun
 *   df_result df_mpi_wait()        waits until the tasks submitted so far are done in all ranks, which all call it.
 *             Returns DF_OK or an error of the tasks, in each rank the same: that of the first rank with an error of
 *             its own. As df_wait_result, it ends the error.
 *
 *   DF_RANK(r)                     df_opts.rank: the task runs in rank r only, also if it accesses nothing, as in
 *             df_submit_with(DF_OPTS(.rank = DF_RANK(0)), report, x);
 *   DF_EACH_RANK                   df_opts.rank: each rank runs the task, and then has what it has written. The results
 *             have to be equal.
 *
 *     In each rank the thread that called df_mpi_start submits the same tasks, in the same order, with the same regions
 *     of shared arrays. So what it decides by, it computes from values that each rank has (df_fetch). Other arguments,
 *     and private memory, may differ. A task runs in the rank that is the home of most bytes that it writes in shared
 *     arrays; of several, in the first. If none of these bytes has a home, because it writes private memory or arrays
 *     that are not divided, each rank runs it. df_opts.rank places a task elsewhere.
 *     Tasks that a task submits run where it runs. They access only what it has declared.
 *     Loops, launches, nodes, and tasks of other threads are of one rank, as without df_mpi.h: they access private
 *     memory. Of a task that runs elsewhere, the handle says DF_ERROR_CANCELLED, and tokens in .signals count as those
 *     of a task that was skipped.
 *     A task behind one that failed is skipped in all ranks.
 *     MPI may be called by the program outside of tasks, after df_mpi_wait and before the next df_submit; with
 *     MPI_THREAD_MULTIPLE always.
 *     Memory: each rank has addresses for the whole of each array, and pages for the parts that it has had.
 *     Cost: with one rank that of df.h. Else each access to a tile costs 180 instructions, and 400 if the task writes a
 *     tile that another rank has, or reads one from this rank and one from another; a message costs a task.
 *     Threads: df_rank and df_ranks: any; the others: the one that called df_mpi_start, outside of tasks. */
#if defined(DF_SERIAL)
#define df_mpi_start(comm, config) dfi_mpi_start(config) /* comm: <mpi.h> may be lacking */
#endif

/* ------------------------------------------------------------------------------------ >>shared
 * Arrays over ranks
 *
 *   T *df_shared_alloc(T, .field = value, ...);   an array of elements of type T, which begin as 0. The fields are
 *             those of df_shared_desc: .dim = {{ .size = n, .split = DF_CYCLIC(96) }, { .size = m }} (in C++ in the
 *             order of the structure; designators need C++20). The array is divided into tiles, and each tile has a
 *             home. It has the same address in each rank, so tasks and their declarations use it as any other memory.
 *             All ranks call it, in the same order with the same fields.
 *             Returns NULL, with a message, if a field is wrong or memory is lacking.
 *   DF_BLOCK(n)                    df_shared_dim.split: the i-th rank along the dimension is the home of the i-th n
 *             elements; 0: parts as equal as whole tiles can be
 *   DF_CYCLIC(n)                   df_shared_dim.split: the ranks along the dimension are the homes of n elements each,
 *             in turn; 0: of 1
 *   DF_DUPLICATE                   df_shared_dim.split: the dimension is not divided among ranks. An array with only
 *             such dimensions, as .dim = {{ .size = n }}, is in each rank: for values that many tasks read, few write
 *   int df_home(p)                 the rank that is the home of the byte at p; df_rank() for arrays that are not
 *             divided, and for memory of no shared array
 *   df_fetch(p, bytes)             gives each rank the values of the bytes at p, as the tasks submitted so far leave
 *             them, and waits for them: to print them, or to decide what to submit. All ranks call it.
 *
 *     Which regions tasks declare is free: any part of a tile, or of several tiles. A value is sent to a rank once, and
 *     again when a task has written it. Of a region that a task reads in another rank, the rows that it declares are
 *     sent, so a halo costs its rows. A tile is in the rank that wrote it last. If a task writes a part of a tile, and
 *     another part is in another rank, that rank sends the whole tile: choose tiles so that tasks write tiles, or parts
 *     in the home of the tile. The program itself may write elements that have their home in this rank (df_home) before
 *     the first task that accesses them is submitted.
 *     Threads: df_home: any; the others: the one that called df_mpi_start, outside of tasks. */
#include "impl/api/shared.h"
DFI_EXTERN_C_BEGIN
#if defined(DF_SERIAL)
DFI_API df_result dfi_mpi_start(const df_config *config);
#else
DFI_API df_result df_mpi_start(MPI_Comm comm, const df_config *config);
#endif
DFI_EXTERN_C_END

DFI_END
#endif /* DF_MPI_H */

/* ----------------------------------------------------------------------------- >>implementation */
#if defined(DF_IMPLEMENTATION) && !defined(DFI_MPI_IMPLEMENTED)
#define DFI_MPI_IMPLEMENTED
#if !DFI_WITH_MORE
#error "df_mpi.h needs parts of df.h that DF_MINIMAL lacks: define DF_SMALL in place of it"
#endif
DFI_IMPL_BEGIN
#include "impl/mpi/shape.h"
#if defined(DF_SERIAL)
#include "impl/mpi/serial.h"
#else
#include "impl/mpi/mpi.h"
#endif
DFI_IMPL_END
#endif

/* ------------------------------------------------------------------------------------ >>licence
 * MIT licence
 *
 * Copyright (c) 2026 The df authors
 *
 * Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
 * associated documentation files (the "Software"), to deal in the Software without restriction,
 * including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense,
 * and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so,
 * subject to the following conditions:
 *
 * The above copyright notice and this permission notice shall be included in all copies or substantial
 * portions of the Software.
 *
 * THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT
 * LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN
 * NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY,
 * WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE
 * SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE. */
