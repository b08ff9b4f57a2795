/* SPDX-License-Identifier: GPL-2.0-or-later */
/* QEMU's command line and the guest's job. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "machine_private.h"
#include "profile.h"
#include "spindles.h"

char *fb_escape_commas(const char *s)
{
	char *out = fb_malloc(2 * strlen(s) + 1), *p = out;
	for (; *s; s++) {
		*p++ = *s;
		if (*s == ',')
			*p++ = ',';
	}
	*p = '\0';
	return out;
}

char *fb_disk_serial(const struct fb_disk *disk)
{
	char *serial = fb_strf("FB%s", disk->name);
	for (char *p = serial; *p; p++)
		*p = (char)toupper((unsigned char)*p);
	return serial;
}

/*
 * Where a disk goes. q35 has AHCI ports of its own, ide.0 to ide.5; pc has the
 * PIIX's two ATA channels under these names, with two units each, and gets an
 * AHCI controller added.
 */
static char *ahci_device(const struct fb_machine *m, unsigned nth)
{
	return fb_strf(m->pc ? "ide-hd,bus=ahci.%u" : "ide-hd,bus=ide.%u", nth);
}

static char *ata_device(const struct fb_machine *m, unsigned nth)
{
	(void)m;
	return fb_strf("ide-hd,bus=ide.%u,unit=%u", nth / 2, nth % 2);
}

static char *virtio_device(const struct fb_machine *m, unsigned nth)
{
	(void)m;
	(void)nth;
	return fb_strdup("virtio-blk-pci");
}

static char *nvme_device(const struct fb_machine *m, unsigned nth)
{
	(void)m;
	(void)nth;
	return fb_strdup("nvme");
}

static char *usb_device(const struct fb_machine *m, unsigned nth)
{
	(void)m;
	return fb_strf("usb-storage,bus=usb.0,port=%u", nth + 1);
}

/* One row per bus: how a disk is attached, and what must be there before. */
static const struct bus {
	char *(*device)(const struct fb_machine *m, unsigned nth);
	const char *controller; /* -device, once; or NULL */
	bool only_pc;		/* the controller is needed on pc alone */
	const char *cmdline;	/* for the guest's kernel, or "" */
} buses[FB_BUS_COUNT] = {
	[FB_BUS_AHCI] = { ahci_device, "ich9-ahci,id=ahci", true, "" },
	[FB_BUS_ATA] = { ata_device, NULL, false, "" },
	[FB_BUS_VIRTIO] = { virtio_device, NULL, false, "" },
	[FB_BUS_NVME] = { nvme_device, NULL, false, "" },
	/* The kernel waits a second for USB disks to settle, at best. */
	[FB_BUS_USB] = { usb_device, "qemu-xhci,id=usb,p2=8,p3=8", false,
			 " usb-storage.delay_use=0" },
};

static bool bus_used(const struct fb_config *cfg, int bus)
{
	for (size_t i = 0; i < cfg->n_disks; i++)
		if (cfg->disks[i].bus == bus)
			return true;
	return false;
}

static void add_controllers(const struct fb_machine *m,
			    const struct fb_config *cfg, struct fb_strv *argv)
{
	for (int b = 0; b < FB_BUS_COUNT; b++) {
		if (!buses[b].controller || !bus_used(cfg, b) ||
		    (buses[b].only_pc && !m->pc))
			continue;
		fb_strv_add(argv, "-device");
		fb_strv_add(argv, buses[b].controller);
	}
}

static char *throttle(const struct fb_disk *d)
{
	const struct fb_profile *p = &fb_profiles[d->profile];
	if (p->bytes_per_second == 0)
		return fb_strdup("");
	return fb_strf(",throttling.bps-total=%.0f,throttling.iops-total=%.0f",
		       p->bytes_per_second, p->requests_per_second);
}

static void add_disks(const struct fb_machine *m, const struct fb_config *cfg,
		      struct fb_strv *argv)
{
	unsigned used[FB_BUS_COUNT] = { 0 };
	add_controllers(m, cfg, argv);
	for (size_t i = 0; i < cfg->n_disks; i++) {
		const struct fb_disk *d = &cfg->disks[i];
		fb_autofree char *file = fb_escape_commas(m->images[i]);
		fb_autofree char *serial = fb_disk_serial(d);
		fb_autofree char *slow = throttle(d);
		fb_autofree char *device =
			buses[d->bus].device(m, used[d->bus]++);
		fb_strv_add(argv, "-drive");
		if (fb_disk_turns(d))
			fb_strv_addf(argv,
				     "if=none,id=%s,file.driver=nbd,"
				     "file.server.type=fd,file.server.str=%zu,"
				     "format=raw,cache=writeback",
				     d->name, FB_FD_DISKS + i);
		else
			fb_strv_addf(argv,
				     "if=none,id=%s,file=%s,format=raw,"
				     "snapshot=on,cache=writeback,aio=%s%s",
				     d->name, file,
				     m->io_uring ? "io_uring" : "threads",
				     slow);
		fb_strv_add(argv, "-device");
		fb_strv_addf(argv, "%s,drive=%s,serial=%s", device, d->name,
			     serial);
	}
}

static void add_channel(struct fb_strv *argv, const char *id, int fd)
{
	fb_strv_add(argv, "-chardev");
	fb_strv_addf(argv, "socket,id=%s,fd=%d", id, fd);
}

/*
 * Under TCG the calibration of the TSC against the PIT fails now and then
 * (leaving jiffies as the only clock), and that of the local APIC's timer costs
 * 8 s of host time under the instruction clock: the guest is told the one and
 * does without the other. Older kernels ignore what they do not know.
 */
static char *kernel_cmdline(const struct fb_machine *m,
			    const struct fb_config *cfg)
{
	fb_autofree char *tsc =
		m->tsc_khz ?
			fb_strf(" tsc=reliable tsc_early_khz=%u", m->tsc_khz) :
			fb_strdup("");
	struct fb_strv more = { 0 };
	for (int b = 0; b < FB_BUS_COUNT; b++)
		if (bus_used(cfg, b))
			fb_strv_add(&more, buses[b].cmdline);
	fb_autofree char *of_buses = fb_strv_join(&more, "");
	fb_strv_release(&more);
	return fb_strf("console=ttyS0 panic=-1 quiet libata.force=nodbdelay"
		       "%s%s%s%s%s",
		       m->kvm ? "" : " nolapic_timer", tsc, of_buses,
		       cfg->machine.cmdline && *cfg->machine.cmdline ? " " : "",
		       cfg->machine.cmdline ? cfg->machine.cmdline : "");
}

void fb_machine_argv(const struct fb_machine *m, const struct fb_config *cfg,
		     const char *image, const char *initrd,
		     struct fb_strv *argv)
{
	static const char *const fixed[] = { "-nodefaults", "-no-user-config",
					     "-display",    "none",
					     "-no-reboot",  "-net",
					     "none" };
	fb_strv_add(argv, cfg->machine.qemu);
	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		fb_strv_add(argv, fixed[i]);
	fb_strv_add(argv, "-machine");
	fb_strv_add(argv, m->pc ? "pc" : "q35");
	fb_strv_add(argv, "-accel");
	fb_strv_add(argv, m->kvm ? "kvm" : "tcg");
	if (m->kvm) {
		fb_strv_add(argv, "-cpu");
		fb_strv_add(argv, "host");
	}
	if (m->icount) {
		fb_strv_add(argv, "-icount");
		fb_strv_add(argv, "shift=1,sleep=on");
	}
	fb_strv_add(argv, "-m");
	fb_strv_addf(argv, "%u", cfg->machine.memory_mib);
	fb_strv_add(argv, "-smp");
	fb_strv_addf(argv, "%u", cfg->machine.cpus);
	fb_strv_add(argv, "-kernel");
	fb_strv_add(argv, image);
	fb_strv_add(argv, "-initrd");
	fb_strv_add(argv, initrd);
	fb_autofree char *cmdline = kernel_cmdline(m, cfg);
	fb_strv_add(argv, "-append");
	fb_strv_add(argv, cmdline);
	add_channel(argv, "console", FB_FD_CONSOLE);
	add_channel(argv, "result", FB_FD_RESULT);
	add_channel(argv, "qmp", FB_FD_QMP);
	fb_strv_add(argv, "-serial");
	fb_strv_add(argv, "chardev:console");
	fb_strv_add(argv, "-serial");
	fb_strv_add(argv, "chardev:result");
	fb_strv_add(argv, "-mon");
	fb_strv_add(argv, "chardev=qmp,mode=control");
	add_disks(m, cfg, argv);
}

char *fb_machine_job(const struct fb_config *cfg, const char *token,
		     const struct fb_plan *plan)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	fprintf(f,
		"token %s\nseconds %g\nfile_mib %u\nchar_kib %u\nfiles %u\n"
		"dd_block %u\nhz %u\nkeep_cache %d\n",
		token, plan->read_seconds, fb_config_file_mib(cfg),
		cfg->char_kib, cfg->files, cfg->dd_block, cfg->timeline_hz,
		cfg->keep_cache);
	for (size_t i = 0; i < cfg->n_disks; i++) {
		fb_autofree char *serial = fb_disk_serial(&cfg->disks[i]);
		fprintf(f, "disk %s %s %s\n", cfg->disks[i].name, serial,
			fb_filesystem_names[cfg->disks[i].filesystem]);
		if (*cfg->disks[i].mount_options)
			fprintf(f, "mount %s\n", cfg->disks[i].mount_options);
	}
	for (size_t i = 0; i < cfg->knobs.n; i++) {
		const char *knob = cfg->knobs.v[i];
		int n = (int)strcspn(knob, "=");
		fprintf(f, "knob %.*s %s\n", n, knob, knob + n + 1);
	}
	for (size_t i = 0; i < cfg->n_commands; i++) {
		const struct fb_user_command *c = &cfg->commands[i];
		fprintf(f, "command %s %g %d\n", c->name, c->timeout, c->mount);
		for (size_t k = 0; k < c->argv.n; k++)
			fprintf(f, "arg %s\n", c->argv.v[k]);
	}
	for (size_t i = 0; i < plan->n; i++)
		fprintf(f, "run %s %s %s\n", plan->runs[i].workload,
			plan->runs[i].disk, plan->runs[i].target);
	fclose(f);
	return text;
}
