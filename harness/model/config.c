/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "metric.h"

unsigned fb_config_file_mib(const struct fb_config *cfg)
{
	return cfg->file_mib ? cfg->file_mib : 2 * cfg->machine.memory_mib;
}

const char *const fb_filesystem_names[] = { "ext4",  "ext3", "ext2", "xfs",
					    "btrfs", "raw",  NULL };

bool fb_config_throttled(const struct fb_config *cfg)
{
	for (size_t i = 0; i < cfg->n_disks; i++)
		if (cfg->disks[i].profile != 0)
			return true;
	return false;
}

const struct fb_user_command *
fb_config_command_for_metric(const struct fb_config *cfg, const char *metric)
{
	const char *base = fb_metric_base(metric);
	for (size_t i = 0; i < cfg->n_commands; i++) {
		size_t n = strlen(cfg->commands[i].name);
		if (strncmp(base, cfg->commands[i].name, n) == 0 &&
		    base[n] == '.')
			return &cfg->commands[i];
	}
	return NULL;
}

static void add_once(struct fb_strv *list, const char *name)
{
	for (size_t i = 0; name && i < list->n; i++)
		if (fb_streq(list->v[i], name))
			return;
	if (name)
		fb_strv_add(list, name);
}

void fb_config_fragments(const struct fb_config *cfg, struct fb_strv *out)
{
	static const char *const of_bus[] = { [FB_BUS_VIRTIO] = "virtio",
					      [FB_BUS_NVME] = "nvme",
					      [FB_BUS_USB] = "usb" };
	static const char *const of_fs[] = {
		[FB_FS_XFS] = "xfs", [FB_FS_BTRFS] = "btrfs", [FB_FS_RAW] = NULL
	};
	for (size_t i = 0; i < cfg->build.kconfig.n; i++)
		add_once(out, cfg->build.kconfig.v[i]);
	for (size_t i = 0; i < cfg->n_disks; i++) {
		add_once(out, of_bus[cfg->disks[i].bus]);
		add_once(out, of_fs[cfg->disks[i].filesystem]);
	}
	if (cfg->n_commands || cfg->overlay.n)
		add_once(out, "userspace");
}

void fb_config_release_disks(struct fb_config *cfg)
{
	for (size_t i = 0; i < cfg->n_disks; i++) {
		free(cfg->disks[i].name);
		free(cfg->disks[i].mount_options);
	}
	free(cfg->disks);
	cfg->disks = NULL;
	cfg->n_disks = 0;
}

void fb_config_release_commands(struct fb_config *cfg)
{
	for (size_t i = 0; i < cfg->n_commands; i++) {
		free(cfg->commands[i].name);
		fb_strv_release(&cfg->commands[i].argv);
		fb_strv_release(&cfg->commands[i].figures);
	}
	free(cfg->commands);
	cfg->commands = NULL;
	cfg->n_commands = 0;
}

void fb_config_release(struct fb_config *cfg)
{
	free(cfg->repo);
	free(cfg->metric);
	free(cfg->surrogate);
	fb_strv_release(&cfg->build.kconfig);
	fb_strv_release(&cfg->build.make);
	free(cfg->machine.qemu);
	free(cfg->machine.cmdline);
	fb_config_release_disks(cfg);
	fb_config_release_commands(cfg);
	fb_strv_release(&cfg->overlay);
	fb_strv_release(&cfg->knobs);
	fb_strv_release(&cfg->workloads);
	fb_strv_release(&cfg->runner.command);
	*cfg = (struct fb_config){ 0 };
}
