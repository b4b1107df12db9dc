/* dfi_blocking.h - to come */
#ifndef DFI_BLOCKING_H
#define DFI_BLOCKING_H
#endif
