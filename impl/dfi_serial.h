/* dfi_serial.h - serial elision: what DF_SERIAL builds need besides the plain calls
 *
 * Only df_local needs anything: its memory lives until the enclosing task or DF_PARALLEL block is
 * over. C99, no thread, no atomic. */
#ifndef DFI_SERIAL_H
#define DFI_SERIAL_H

struct dfi_local;
struct dfi_block { struct dfi_local *before; int open; };

DFI_EXTERN_C_BEGIN
DFI_API struct dfi_local *dfi_serial_enter(void);        /* a task begins */
DFI_API void dfi_serial_leave(struct dfi_local *before); /* and ends: what it allocated is freed */
DFI_API struct dfi_block dfi_scope_enter(const char *site);
DFI_API void dfi_scope_leave(struct dfi_block *b);
DFI_API void *dfi_local_alloc(size_t n, size_t bytes);
DFI_EXTERN_C_END

#endif
