/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workload.h"

#include <string.h>

#define FIGURE(name, unit, direction)
#define WORKLOAD(name, family, function, arg, flags, ...) \
	{ name, family, function, arg, flags },

const struct workload workloads[] = {
#include "workloads.inc"
	{ NULL, NULL, NULL, 0, 0 },
};

const struct workload *workload_find(const char *name)
{
	for (const struct workload *w = workloads; w->name; w++)
		if (strcmp(w->name, name) == 0)
			return w;
	return NULL;
}
