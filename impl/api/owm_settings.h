/* owm_settings.h - settings of df_owm.h: ownership checks, and copies between processes */
#ifndef DFI_API_OWM_SETTINGS_H
#define DFI_API_OWM_SETTINGS_H

#include "../base/compiler.h"

#ifndef DF_OWM_COPIES
#define DF_OWM_COPIES 0
#endif
/* 1: ownership is tracked; 0: acquire and release expand to nothing. */
#if !defined(DF_SERIAL) && (DF_CHECK || DF_OWM_COPIES)
#define DFI_OWM_CALLS 1
#else
#define DFI_OWM_CALLS 0
#endif

#endif
