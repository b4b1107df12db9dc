/* dfi_stm_frame.h - what a block keeps in the stack frame of its function */
#ifndef DFI_STM_FRAME_H
#define DFI_STM_FRAME_H

/* Nested, with partial abort; does not wait until memory that it made private is; by df_atomically. */
enum { DFI_TM_CLOSED = 1, DFI_TM_UNWAITED = 2, DFI_TM_CALLED = 4 };

/* One DF_ATOMIC. */
struct dfi_tm_block {
    struct dfi_tm_block *outer;
    const char *site;
    void (*to_jump)(void *jump);
    unsigned alternative;              /* the one to run: 0 the first */
    unsigned char open, left, ran;     /* still to be ended; df_abort was called; the alternative exists */
    unsigned char kind;                /* DFI_TM_CLOSED, DFI_TM_UNWAITED */
    unsigned looked;                   /* DF_OR_ELSE passed so far in this attempt, if it is not the first */
    size_t reads, writes, undo, events; /* of a nested one: lengths of the logs when it began */
    dfi_checkpoint jump;
};

DFI_EXTERN_C_BEGIN
DFI_API struct dfi_tm_block *dfi_tm_enter(struct dfi_tm_block *b, const char *site, int kind, void (*to_jump)(void *));
DFI_API int dfi_tm_was_left(struct dfi_tm_block *b);
DFI_API void dfi_tm_end(struct dfi_tm_block *b);
DFI_API int dfi_tm_or_else(void);
DFI_API void dfi_tm_put(volatile void *p, uint64_t bits, size_t bytes);
DFI_EXTERN_C_END

/* At the checkpoint: is the block to be run? */
DFI_INLINE int dfi_tm_go(struct dfi_tm_block *b) { return DFI_LIKELY(!b->left) || dfi_tm_was_left(b); }

DFI_INLINE void dfi_tm_close(struct dfi_tm_block *b)
{
    if (DFI_UNLIKELY(b->open)) dfi_tm_end(b);
}

DFI_INLINE int dfi_tm_first(const struct dfi_tm_block *b) { return !b->alternative; }

#endif
