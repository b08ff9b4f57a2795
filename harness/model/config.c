/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>

unsigned fb_config_file_mib(const struct fb_config *cfg)
{
	return cfg->file_mib ? cfg->file_mib : 2 * cfg->machine.memory_mib;
}

void fb_config_release(struct fb_config *cfg)
{
	free(cfg->repo);
	free(cfg->metric);
	fb_strv_release(&cfg->build.kconfig);
	fb_strv_release(&cfg->build.make);
	free(cfg->machine.qemu);
	free(cfg->machine.cmdline);
	for (size_t i = 0; i < cfg->n_disks; i++) {
		free(cfg->disks[i].name);
		free(cfg->disks[i].filesystem);
	}
	free(cfg->disks);
	fb_strv_release(&cfg->workloads);
	fb_strv_release(&cfg->runner.command);
	*cfg = (struct fb_config){ 0 };
}
