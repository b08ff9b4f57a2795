/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kconfig_diff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

struct symbol {
	char name[128], value[256];
};

struct symbols {
	struct symbol *v;
	size_t n, cap;
};

static bool about_the_compiler(const char *name)
{
	return fb_starts_with(name, "CONFIG_CC_") ||
	       fb_starts_with(name, "CONFIG_GCC_") ||
	       fb_starts_with(name, "CONFIG_CLANG_") ||
	       fb_starts_with(name, "CONFIG_AS_") ||
	       fb_starts_with(name, "CONFIG_LD_") ||
	       fb_ends_with(name, "_VERSION") ||
	       fb_ends_with(name, "_VERSION_TEXT");
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct symbol *)a)->name,
		      ((const struct symbol *)b)->name);
}

/* Options that are not set are as absent: dependencies come and go. */
static void parse(const char *text, struct symbols *out)
{
	for (const char *p = text; *p; p += strcspn(p, "\n"), p += *p == '\n') {
		struct symbol s;
		if (sscanf(p, "CONFIG_%120[A-Za-z0-9_]=%255[^\n]", s.name + 7,
			   s.value) != 2)
			continue;
		memcpy(s.name, "CONFIG_", 7);
		if (about_the_compiler(s.name))
			continue;
		FB_GROW(out->v, out->n, out->cap);
		out->v[out->n++] = s;
	}
	qsort(out->v, out->n, sizeof(*out->v), by_name);
}

/*
 * Block layer, disks and their buses, file systems, memory, scheduling, timers,
 * power, and what makes everything slower.
 */
static bool matters(const char *option)
{
	static const char *const parts[] = {
		"BLK",	    "BLOCK",   "IOSCHED",  "ATA",	"AHCI",
		"IDE",	    "SCSI",    "NVME",	   "VIRTIO",	"USB_STORAGE",
		"UAS",	    "_MD",     "DM_",	   "EXT2",	"EXT3",
		"EXT4",	    "JBD",     "XFS",	   "BTRFS",	"FS_",
		"HZ",	    "PREEMPT", "SMP",	   "NUMA",	"CPU_FREQ",
		"CPU_IDLE", "_PM",     "PAGE",	   "COMPACT",	"SLUB",
		"SLAB",	    "DEBUG",   "KASAN",	   "UBSAN",	"KCSAN",
		"LOCK",	    "TRACE",   "OPTIMIZE", "RETPOLINE", "MITIGATION",
		"SPEC",	    "CGROUP",  "MEMCG",	   "SWAP",	"DMA",
		"IOMMU",    "SCHED",   "CLOCK",	   "TICK",	"IRQ",
		"CRYPTO",   "CRC",     "PCI_MSI",  "HARDEN",	"GENERIC_CPU",
	};
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strstr(option, parts[i]))
			return true;
	return false;
}

static void add(struct fb_kconfig_diff *d, const char *option, const char *a,
		const char *b)
{
	if (strcmp(a, b) == 0)
		return;
	FB_GROW(d->v, d->n, d->cap);
	d->v[d->n++] =
		(struct fb_kconfig_change){ fb_strdup(option), fb_strdup(a),
					    fb_strdup(b), matters(option) };
}

void fb_kconfig_diff(const char *a, const char *b, struct fb_kconfig_diff *out)
{
	struct symbols x = { 0 }, y = { 0 };
	size_t i = 0, k = 0;
	*out = (struct fb_kconfig_diff){ 0 };
	parse(a, &x);
	parse(b, &y);
	while (i < x.n || k < y.n) {
		int order = i == x.n ? 1 :
			    k == y.n ? -1 :
				       by_name(&x.v[i], &y.v[k]);
		if (order < 0) {
			add(out, x.v[i].name, x.v[i].value, "n");
		} else if (order > 0) {
			add(out, y.v[k].name, "n", y.v[k].value);
		} else {
			add(out, x.v[i].name, x.v[i].value, y.v[k].value);
		}
		i += order <= 0;
		k += order >= 0;
	}
	free(x.v);
	free(y.v);
}

void fb_kconfig_diff_release(struct fb_kconfig_diff *diff)
{
	for (size_t i = 0; i < diff->n; i++) {
		free(diff->v[i].option);
		free(diff->v[i].a);
		free(diff->v[i].b);
	}
	free(diff->v);
	*diff = (struct fb_kconfig_diff){ 0 };
}
