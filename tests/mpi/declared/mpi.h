/* mpi.h - what df_mpi.h uses of MPI, for compilers alone, where no MPI is installed: nothing links with it */
#ifndef MPI_H
#define MPI_H

#ifdef __cplusplus
extern "C" {
#endif
typedef struct mpi_comm *MPI_Comm;
typedef struct mpi_type *MPI_Datatype;
typedef struct mpi_op *MPI_Op;
typedef struct mpi_request *MPI_Request;
typedef struct { int of; } MPI_Status;
typedef long MPI_Aint;
typedef int MPI_Comm_copy_attr_function(MPI_Comm, int, void *, void *, void *, int *);
typedef int MPI_Comm_delete_attr_function(MPI_Comm, int, void *, void *);
extern struct mpi_comm mpi_world, mpi_self;
extern struct mpi_type mpi_byte, mpi_int;
extern struct mpi_op mpi_min;
#define MPI_COMM_NULL         ((MPI_Comm)0)
#define MPI_COMM_WORLD        (&mpi_world)
#define MPI_COMM_SELF         (&mpi_self)
#define MPI_BYTE              (&mpi_byte)
#define MPI_INT               (&mpi_int)
#define MPI_MIN               (&mpi_min)
#define MPI_COMM_NULL_COPY_FN ((MPI_Comm_copy_attr_function *)0)
enum { MPI_SUCCESS, MPI_THREAD_SERIALIZED = 2, MPI_TAG_UB = 1, MPI_UNDEFINED = -1 };
int MPI_Abort(MPI_Comm, int);
int MPI_Allreduce(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
int MPI_Bcast(void *, int, MPI_Datatype, int, MPI_Comm);
int MPI_Comm_create_keyval(MPI_Comm_copy_attr_function *, MPI_Comm_delete_attr_function *, int *, void *);
int MPI_Comm_dup(MPI_Comm, MPI_Comm *);
int MPI_Comm_get_attr(MPI_Comm, int, void *, int *);
int MPI_Comm_rank(MPI_Comm, int *);
int MPI_Comm_set_attr(MPI_Comm, int, void *);
int MPI_Comm_size(MPI_Comm, int *);
int MPI_Finalize(void);
int MPI_Finalized(int *);
int MPI_Get_count(const MPI_Status *, MPI_Datatype, int *);
int MPI_Init_thread(int *, char ***, int, int *);
int MPI_Initialized(int *);
int MPI_Irecv(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
int MPI_Isend(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
int MPI_Query_thread(int *);
int MPI_Testsome(int, MPI_Request *, int *, int *, MPI_Status *);
int MPI_Type_commit(MPI_Datatype *);
int MPI_Type_create_hvector(int, int, MPI_Aint, MPI_Datatype, MPI_Datatype *);
int MPI_Type_free(MPI_Datatype *);
#ifdef __cplusplus
}
#endif
#endif
