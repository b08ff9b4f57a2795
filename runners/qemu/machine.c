/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "clock.h"
#include "errors.h"
#include "file.h"
#include "process.h"
#include "profile.h"
#include "spindles.h"

/* QEMU splits option values at commas; a doubled comma is one. */
static char *escape_commas(const char *s)
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

/* Does QEMU come up, and go down again, with these two arguments more? */
static bool qemu_accepts(const struct fb_config *cfg, const char *option,
			 const char *value, const char *more, const char *last)
{
	const char *argv[] = { "sh",
			       "-c",
			       "echo quit | \"$@\"",
			       "sh",
			       cfg->machine.qemu,
			       "-nodefaults",
			       "-S",
			       "-display",
			       "none",
			       "-monitor",
			       "stdio",
			       option,
			       value,
			       more,
			       last,
			       NULL };
	struct fb_process p = { .argv = argv, .timeout = 20 };
	struct fb_process_result r;
	struct fb_error ignored = FB_ERROR_INIT;
	int rc = fb_process_run(&p, &r, &ignored);
	fb_error_release(&ignored);
	return rc == 0 && fb_process_succeeded(&r);
}

/*
 * The device alone proves little: in some nested guests it answers and then
 * refuses the first virtual processor. So QEMU is asked to make one.
 */
static bool kvm_usable(const struct fb_config *cfg)
{
	return access("/dev/kvm", R_OK | W_OK) == 0 &&
	       qemu_accepts(cfg, "-accel", "kvm", "-cpu", "host");
}

/*
 * QEMU's thread pool hands every request to another thread and back, at the
 * mercy of the host's scheduler; with io_uring, what is in the host's page cache
 * is there at once. Under the instruction clock that is the difference between
 * a scatter of 4 % and one of 0.05 %. Not every kernel and QEMU have it.
 */
static bool io_uring_usable(const struct fb_machine *m,
			    const struct fb_config *cfg)
{
	fb_autofree char *file = escape_commas(m->images[0]);
	fb_autofree char *drive = fb_strf(
		"if=none,id=try,file=%s,format=raw,snapshot=on,aio=io_uring",
		file);
	return qemu_accepts(cfg, "-drive", drive, NULL, NULL);
}

static void keep_version(void *data, char *line, size_t len, bool cut)
{
	char **out = data;
	char version[32];
	(void)len;
	(void)cut;
	if (!*out &&
	    sscanf(line, "QEMU emulator version %31[0-9.]", version) == 1)
		*out = fb_strdup(version);
}

static int ask_version(struct fb_machine *m, const struct fb_config *cfg,
		       struct fb_error *err)
{
	const char *argv[] = { cfg->machine.qemu, "--version", NULL };
	struct fb_process p = { .argv = argv,
				.line = keep_version,
				.data = &m->version,
				.timeout = 30 };
	if (fb_process_check(&p, err))
		return fb_error_wrap(err, "QEMU (\"machine.qemu\", Debian's "
					  "qemu-system-x86)");
	if (!m->version)
		return fb_error_set(err, FB_E_MACHINE,
				    "%s does not say which QEMU it is",
				    cfg->machine.qemu);
	if (atof(m->version) < 7.2)
		return fb_error_set(err, FB_E_MACHINE,
				    "QEMU %s is too old, 7.2 is needed",
				    m->version);
	return 0;
}

/*
 * With -icount shift=1 an instruction takes 2 ns and QEMU counts rdtsc in ns.
 * Otherwise TCG and KVM pass the host's counter through: measured here.
 */
static unsigned guest_tsc_khz(const struct fb_machine *m)
{
	if (m->icount)
		return 1000000;
#ifdef __x86_64__
	double t0 = fb_now();
	unsigned long long c0 = __builtin_ia32_rdtsc();
	while (fb_now() - t0 < 0.05)
		;
	unsigned long long c1 = __builtin_ia32_rdtsc();
	return (unsigned)((double)(c1 - c0) / (fb_now() - t0) / 1e3);
#else
	return 0;
#endif
}

static int decide(struct fb_machine *m, const struct fb_config *cfg,
		  struct fb_error *err)
{
	/* The instruction clock is TCG's: no need to look for KVM then. */
	bool usable = cfg->machine.accel != FB_ACCEL_TCG &&
		      cfg->machine.clock != FB_CLOCK_ICOUNT && kvm_usable(cfg);
	if (cfg->machine.accel == FB_ACCEL_KVM && !usable)
		return fb_error_set(err, FB_E_MACHINE,
				    "/dev/kvm is not usable; set "
				    "\"machine.accel\" to \"auto\" or \"tcg\"");
	m->kvm = usable;
	switch (cfg->machine.clock) {
	case FB_CLOCK_ICOUNT:
		m->icount = true; /* the configuration was checked for it */
		break;
	case FB_CLOCK_AUTO:
		/* Throttles count the host's seconds: so must the guest. */
		m->icount = !m->kvm && !fb_config_throttled(cfg);
		break;
	}
	m->tsc_khz = guest_tsc_khz(m);
	for (size_t i = 0; i < cfg->n_disks; i++)
		m->pc |= cfg->disks[i].bus == FB_BUS_ATA;
	return 0;
}

/*
 * Every file system starts from the same bytes: fixed UUID and hash seed, no
 * initialisation left for the kernel to do in the background. It gets the
 * first three quarters of the disk.
 */
static void mkfs_command(const struct fb_disk *disk, const char *path,
			 struct fb_strv *argv)
{
	static const char uuid[] = "4f7f7c9c-6d0e-4d0e-9d0a-5a3c5f0f0f0e";
	const char *fs = fb_filesystem_names[disk->filesystem];
	unsigned mib = disk->size_mib / 4 * 3;
	switch (disk->filesystem) {
	case FB_FS_XFS:
		fb_strv_add(argv, "mkfs.xfs");
		fb_strv_add(argv, "-qf");
		fb_strv_add(argv, "-m");
		fb_strv_addf(argv, "uuid=%s", uuid);
		fb_strv_add(argv, "-d");
		fb_strv_addf(argv, "size=%um", mib);
		fb_strv_add(argv, path);
		break;
	case FB_FS_BTRFS:
		fb_strv_add(argv, "mkfs.btrfs");
		fb_strv_add(argv, "-qf");
		fb_strv_add(argv, "-U");
		fb_strv_add(argv, uuid);
		fb_strv_add(argv, "-b");
		fb_strv_addf(argv, "%uM", mib);
		fb_strv_add(argv, path);
		break;
	default:
		fb_strv_add(argv, "mke2fs");
		fb_strv_add(argv, "-qFt");
		fb_strv_add(argv, fs);
		fb_strv_add(argv, "-E");
		fb_strv_add(argv, "lazy_itable_init=0,lazy_journal_init=0,"
				  "nodiscard,hash_seed="
				  "4f7f7c9c-6d0e-4d0e-9d0a-5a3c5f0f0f0f");
		fb_strv_add(argv, "-U");
		fb_strv_add(argv, uuid);
		fb_strv_add(argv, path);
		fb_strv_addf(argv, "%uM", mib);
	}
}

static int run_mkfs(const struct fb_disk *disk, const char *path,
		    struct fb_error *err)
{
	const char *env[] = { "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:"
			      "/usr/bin:/sbin:/bin",
			      "E2FSPROGS_FAKE_TIME=1", NULL };
	struct fb_strv argv = { 0 };
	mkfs_command(disk, path, &argv);
	struct fb_process p = { .argv = fb_strv_args(&argv),
				.env = env,
				.timeout = 600 };
	int rc = fb_process_check(&p, err);
	fb_strv_release(&argv);
	return rc;
}

static int make_image(const char *path, const struct fb_disk *disk,
		      struct fb_error *err)
{
	fb_autofree char *tmp = fb_strf("%s.tmp", path);
	int rc = 0;
	int fd = open(tmp, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || ftruncate(fd, (off_t)disk->size_mib << 20))
		rc = fb_error_errno(err, FB_E_MACHINE, "cannot make %s", tmp);
	if (fd >= 0)
		close(fd);
	if (rc == 0 && disk->filesystem != FB_FS_RAW)
		rc = run_mkfs(disk, tmp, err);
	if (rc == 0 && rename(tmp, path))
		rc = fb_error_errno(err, FB_E_MACHINE, "cannot make %s", path);
	if (rc)
		unlink(tmp);
	return rc;
}

static int find_images(struct fb_machine *m, const struct fb_config *cfg,
		       const char *cache, struct fb_error *err)
{
	/* The layout of an image is part of its name. */
	fb_autofree char *dir = fb_strf("%s/disks", cache);
	int rc = fb_mkdir_p(dir, err);
	m->images = fb_calloc(cfg->n_disks, sizeof(*m->images));
	m->n_images = cfg->n_disks;
	for (size_t i = 0; rc == 0 && i < cfg->n_disks; i++) {
		const struct fb_disk *d = &cfg->disks[i];
		m->images[i] = fb_strf("%s/%s-%u-scratch.img", dir,
				       fb_filesystem_names[d->filesystem],
				       d->size_mib);
		if (!fb_exists(m->images[i]))
			rc = make_image(m->images[i], d, err);
	}
	return rc;
}

static void describe(struct fb_machine *m, const struct fb_config *cfg)
{
	struct fb_strv profiles = { 0 };
	for (size_t i = 0; i < cfg->n_disks; i++)
		if (cfg->disks[i].profile)
			fb_strv_addf(&profiles, ", %s as %s",
				     cfg->disks[i].name,
				     fb_profile_names[cfg->disks[i].profile]);
	fb_autofree char *slowed = fb_strv_join(&profiles, "");
	m->describe = fb_strf(
		"QEMU %s %s, %s, %s clock, %s, %u CPU, %u MiB%s", m->version,
		m->pc ? "pc" : "q35", m->kvm ? "KVM" : "TCG",
		fb_machine_clock(m), m->io_uring ? "io_uring" : "threads",
		cfg->machine.cpus, cfg->machine.memory_mib, slowed);
	fb_strv_release(&profiles);
}

void fb_machine_settings(const struct fb_machine *m,
			 const struct fb_config *cfg, struct fb_boot *boot)
{
	fb_boot_add_setting(boot, "machine", "qemu", m->version);
	fb_boot_add_setting(boot, "machine", "accelerator",
			    m->kvm ? "kvm" : "tcg");
	fb_boot_add_setting(boot, "machine", "clock", fb_machine_clock(m));
	fb_boot_add_setting(boot, "machine", "cache", "writeback");
	fb_boot_add_setting(boot, "machine", "aio",
			    m->io_uring ? "io_uring" : "threads");
	for (size_t i = 0; i < cfg->n_disks; i++) {
		const struct fb_disk *d = &cfg->disks[i];
		fb_autofree char *key = fb_strf("%s.profile", d->name);
		fb_boot_add_setting(boot, "machine", key,
				    fb_profile_names[d->profile]);
	}
}

int fb_machine_init(struct fb_machine *m, const struct fb_config *cfg,
		    const char *cache, struct fb_error *err)
{
	*m = (struct fb_machine){ 0 };
	int rc = ask_version(m, cfg, err);
	if (rc == 0)
		rc = decide(m, cfg, err);
	for (size_t i = 0; rc == 0 && i < cfg->n_disks; i++) {
		if (!fb_disk_turns(&cfg->disks[i]) || m->spindle_plugin)
			continue;
		fb_autofree char *dir = fb_strf("%s/tools", cache);
		rc = fb_spindle_plugin_install(dir, &m->spindle_plugin, err);
	}
	if (rc == 0)
		rc = find_images(m, cfg, cache, err);
	if (rc) {
		fb_machine_release(m);
		return rc;
	}
	m->io_uring = io_uring_usable(m, cfg);
	describe(m, cfg);
	return 0;
}

void fb_machine_release(struct fb_machine *m)
{
	free(m->version);
	free(m->describe);
	free(m->spindle_plugin);
	for (size_t i = 0; i < m->n_images; i++)
		free(m->images[i]);
	free(m->images);
	*m = (struct fb_machine){ 0 };
}

const char *fb_machine_clock(const struct fb_machine *m)
{
	return m->kvm ? "kvm" : m->icount ? "icount" : "host";
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
		fb_autofree char *file = escape_commas(m->images[i]);
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
		token, cfg->read_seconds, fb_config_file_mib(cfg),
		cfg->char_kib, cfg->files, cfg->dd_block, cfg->timeline_hz,
		cfg->keep_cache);
	for (size_t i = 0; i < cfg->n_disks; i++) {
		fb_autofree char *serial = fb_disk_serial(&cfg->disks[i]);
		fprintf(f, "disk %s %s %s\n", cfg->disks[i].name, serial,
			fb_filesystem_names[cfg->disks[i].filesystem]);
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
