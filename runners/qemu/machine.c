/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a guest is to run on, decided once. */
#include "machine.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "clock.h"
#include "errors.h"
#include "machine_private.h"
#include "process.h"
#include "profile.h"
#include "spindles.h"

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
	fb_autofree char *file = fb_escape_commas(m->images[0]);
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
 * Otherwise TCG and KVM pass the host's counter through: measured here, once,
 * so that the two arms of a comparison are told the same.
 */
static unsigned guest_tsc_khz(const struct fb_machine *m)
{
	static unsigned khz;
	if (m->icount)
		return 1000000;
	if (khz)
		return khz;
#ifdef __x86_64__
	double t0 = fb_now();
	unsigned long long c0 = __builtin_ia32_rdtsc();
	while (fb_now() - t0 < 0.05)
		;
	unsigned long long c1 = __builtin_ia32_rdtsc();
	khz = (unsigned)((double)(c1 - c0) / (fb_now() - t0) / 1e3);
#endif
	return khz;
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
		rc = fb_machine_find_images(m, cfg, cache, err);
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
