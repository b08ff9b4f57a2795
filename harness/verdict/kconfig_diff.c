/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kconfig_diff.h"

#include <stdlib.h>
#include <string.h>

/* Beginnings of names without CONFIG_. */
static const char *const matter[] = {
	/* the block layer and its drivers */
	"ATA",
	"BLK_",
	"BLOCK",
	"CDROM",
	"DM_",
	"IDE",
	"IOSCHED_",
	"MD_",
	"MMC",
	"MQ_IOSCHED",
	"NVME",
	"PATA_",
	"SATA_",
	"SCSI",
	"USB_STORAGE",
	"USB_UAS",
	"VIRTIO_BLK",
	"VIRTIO_PCI",
	"DEFAULT_CFQ",
	"DEFAULT_AS",
	"DEFAULT_DEADLINE",
	"DEFAULT_NOOP",
	"DEFAULT_IOSCHED",
	/* file systems */
	"BTRFS",
	"EXT2",
	"EXT3",
	"EXT4",
	"F2FS",
	"FS_ENCRYPTION",
	"JBD",
	"REISERFS",
	"XFS",
	"QUOTA",
	/* time, processors, preemption */
	"CLOCKSOURCE",
	"CPU_FREQ",
	"CPU_IDLE",
	"HPET",
	"HZ",
	"NO_HZ",
	"NR_CPUS",
	"PARAVIRT",
	"PREEMPT",
	"SCHED_",
	"SMP",
	"X86_TSC",
	/* memory and DMA */
	"CGROUP",
	"HIGHMEM",
	"INTEL_IOMMU",
	"AMD_IOMMU",
	"IOMMU",
	"MEMCG",
	"PAGE_TABLE_ISOLATION",
	"RETPOLINE",
	"SLAB",
	"SLUB",
	"SWIOTLB",
	"TRANSPARENT_HUGEPAGE",
	"X86_PAT",
	"MTRR",
	"PCI_MSI",
	/* what costs time */
	"CC_OPTIMIZE",
	"DEBUG_",
	"FTRACE",
	"FUNCTION_TRACER",
	"INIT_ON_",
	"KASAN",
	"KCOV",
	"KCSAN",
	"KMSAN",
	"LOCKDEP",
	"LOCK_STAT",
	"PROVE_",
	"UBSAN",
};

struct option {
	char *name, *value;
};

struct options {
	struct option *v;
	size_t n, cap;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct option *)a)->name,
		      ((const struct option *)b)->name);
}

static void add(struct options *o, const char *name, size_t n,
		const char *value, size_t k)
{
	FB_GROW(o->v, o->n, o->cap);
	o->v[o->n++] =
		(struct option){ fb_strndup(name, n), fb_strndup(value, k) };
}

/* "CONFIG_X=y" and "# CONFIG_X is not set"; anything else is no option. */
static void parse_line(struct options *o, const char *s, size_t len)
{
	static const char unset[] = " is not set";
	size_t k = sizeof(unset) - 1;
	if (len > 2 && strncmp(s, "# ", 2) == 0 && len > k + 2 &&
	    strncmp(s + len - k, unset, k) == 0) {
		if (strncmp(s + 2, "CONFIG_", 7) == 0)
			add(o, s + 2, len - 2 - k, "n", 1);
		return;
	}
	const char *eq = memchr(s, '=', len);
	if (eq && strncmp(s, "CONFIG_", 7) == 0)
		add(o, s, (size_t)(eq - s), eq + 1, len - (size_t)(eq - s) - 1);
}

static struct options parse(const char *text)
{
	struct options o = { 0 };
	while (*text) {
		size_t len = strcspn(text, "\n"), end = len;
		while (end && strchr(" \t\r", text[end - 1]))
			end--;
		if (end > 7)
			parse_line(&o, text, end);
		text += len + (text[len] == '\n');
	}
	if (o.n)
		qsort(o.v, o.n, sizeof(*o.v), by_name);
	return o;
}

static void release(struct options *o)
{
	for (size_t i = 0; i < o->n; i++) {
		free(o->v[i].name);
		free(o->v[i].value);
	}
	free(o->v);
}

static bool can_matter(const char *option)
{
	for (size_t i = 0; i < sizeof(matter) / sizeof(matter[0]); i++)
		if (fb_starts_with(option + strlen("CONFIG_"), matter[i]))
			return true;
	return false;
}

static void compare(struct fb_verdict *v, const struct option *a,
		    const struct option *b, struct fb_kconfig_counts *counts)
{
	if (fb_streq(a->value, b->value))
		return;
	if (!can_matter(a->name)) {
		counts->harmless++;
		return;
	}
	fb_verdict_add_setting(v, 'a', "kconfig", a->name, a->value);
	fb_verdict_add_setting(v, 'b', "kconfig", b->name, b->value);
	counts->added++;
}

struct fb_kconfig_counts fb_verdict_add_kconfig(struct fb_verdict *v,
						const char *a, const char *b)
{
	struct fb_kconfig_counts counts = { 0 };
	struct options x = parse(a), y = parse(b);
	size_t i = 0, k = 0;
	while (i < x.n && k < y.n) {
		int rc = by_name(&x.v[i], &y.v[k]);
		if (rc == 0)
			compare(v, &x.v[i], &y.v[k], &counts);
		counts.unknown += rc != 0;
		i += rc <= 0;
		k += rc >= 0;
	}
	counts.unknown += x.n - i + y.n - k;
	release(&x);
	release(&y);
	return counts;
}
