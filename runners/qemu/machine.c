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
	m->icount = !m->kvm && cfg->machine.clock != FB_CLOCK_HOST;
	m->tsc_khz = guest_tsc_khz(m);
	for (size_t i = 0; i < cfg->n_disks; i++)
		m->pc |= cfg->disks[i].bus == FB_BUS_ATA;
	return 0;
}

/*
 * Every file system starts from the same bytes: fixed UUID and hash seed, no
 * initialisation left for the kernel to do in the background.
 */
static int make_image(const char *path, const struct fb_disk *disk,
		      struct fb_error *err)
{
	fb_autofree char *tmp = fb_strf("%s.tmp", path);
	fb_autofree char *size = fb_strf("%uM", disk->size_mib);
	int fd = open(tmp, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || ftruncate(fd, (off_t)disk->size_mib << 20)) {
		fb_error_errno(err, FB_E_MACHINE, "cannot make %s", tmp);
		if (fd >= 0)
			close(fd);
		return err->code;
	}
	close(fd);
	const char *argv[] = {
		"mke2fs",
		"-q",
		"-F",
		"-t",
		disk->filesystem,
		"-E",
		"lazy_itable_init=0,lazy_journal_init=0,nodiscard,"
		"hash_seed=4f7f7c9c-6d0e-4d0e-9d0a-5a3c5f0f0f0f",
		"-U",
		"4f7f7c9c-6d0e-4d0e-9d0a-5a3c5f0f0f0e",
		tmp,
		size,
		NULL
	};
	const char *env[] = { "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:"
			      "/usr/bin:/sbin:/bin",
			      "E2FSPROGS_FAKE_TIME=1", NULL };
	struct fb_process p = { .argv = argv, .env = env, .timeout = 600 };
	int rc = fb_process_check(&p, err);
	if (rc == 0 && rename(tmp, path))
		rc = fb_error_errno(err, FB_E_MACHINE, "cannot make %s", path);
	if (rc)
		unlink(tmp);
	return rc;
}

static int find_images(struct fb_machine *m, const struct fb_config *cfg,
		       const char *cache, struct fb_error *err)
{
	fb_autofree char *dir = fb_strf("%s/disks", cache);
	int rc = fb_mkdir_p(dir, err);
	m->images = fb_calloc(cfg->n_disks, sizeof(*m->images));
	m->n_images = cfg->n_disks;
	for (size_t i = 0; rc == 0 && i < cfg->n_disks; i++) {
		const struct fb_disk *d = &cfg->disks[i];
		m->images[i] = fb_strf("%s/%s-%u.img", dir, d->filesystem,
				       d->size_mib);
		if (!fb_exists(m->images[i]))
			rc = make_image(m->images[i], d, err);
	}
	return rc;
}

static void describe(struct fb_machine *m, const struct fb_config *cfg)
{
	m->describe = fb_strf("QEMU %s %s, %s, %s clock, %s, %u CPU, %u MiB",
			      m->version, m->pc ? "pc" : "q35",
			      m->kvm ? "KVM" : "TCG", fb_machine_clock(m),
			      m->io_uring ? "io_uring" : "threads",
			      cfg->machine.cpus, cfg->machine.memory_mib);
}

int fb_machine_init(struct fb_machine *m, const struct fb_config *cfg,
		    const char *cache, struct fb_error *err)
{
	*m = (struct fb_machine){ 0 };
	int rc = ask_version(m, cfg, err);
	if (rc == 0)
		rc = decide(m, cfg, err);
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
static char *bus_of(const struct fb_machine *m, int bus, unsigned nth)
{
	if (bus == FB_BUS_ATA)
		return fb_strf("ide.%u,unit=%u", nth / 2, nth % 2);
	return fb_strf(m->pc ? "ahci.%u" : "ide.%u", nth);
}

static void add_disks(const struct fb_machine *m, const struct fb_config *cfg,
		      struct fb_strv *argv)
{
	unsigned used[2] = { 0, 0 };
	if (m->pc) {
		fb_strv_add(argv, "-device");
		fb_strv_add(argv, "ich9-ahci,id=ahci");
	}
	for (size_t i = 0; i < cfg->n_disks; i++) {
		const struct fb_disk *d = &cfg->disks[i];
		fb_autofree char *file = escape_commas(m->images[i]);
		fb_autofree char *serial = fb_disk_serial(d);
		fb_autofree char *bus = bus_of(m, d->bus, used[d->bus]++);
		fb_strv_add(argv, "-drive");
		fb_strv_addf(argv,
			     "if=none,id=%s,file=%s,format=raw,snapshot=on,"
			     "cache=writeback,aio=%s",
			     d->name, file,
			     m->io_uring ? "io_uring" : "threads");
		fb_strv_add(argv, "-device");
		fb_strv_addf(argv, "ide-hd,drive=%s,serial=%s,bus=%s", d->name,
			     serial, bus);
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
	return fb_strf("console=ttyS0 panic=-1 quiet libata.force=nodbdelay"
		       "%s%s%s%s",
		       m->kvm ? "" : " nolapic_timer", tsc,
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
	fprintf(f, "token %s\nseconds %g\nfile_mib %u\n", token,
		cfg->read_seconds, fb_config_file_mib(cfg));
	for (size_t i = 0; i < cfg->n_disks; i++) {
		fb_autofree char *serial = fb_disk_serial(&cfg->disks[i]);
		fprintf(f, "disk %s %s %s\n", cfg->disks[i].name, serial,
			cfg->disks[i].filesystem);
	}
	for (size_t i = 0; i < plan->n; i++)
		fprintf(f, "run %s %s\n", plan->runs[i].workload,
			plan->runs[i].disk);
	fclose(f);
	return text;
}
