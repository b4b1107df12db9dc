/* public.h - the public part of df.h, for files of impl/ that are compiled alone */
#ifndef DFI_API_PUBLIC_H
#define DFI_API_PUBLIC_H

#ifndef DF_H
#include "../../df.h"
#endif

#endif
