/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "command.h"
#include "errors.h"
#include "file.h"
#include "load.h"

int fb_cmd_init(struct fb_cli *cli, struct fb_error *err)
{
	static const char path[] = "firstbad.json";
	if (fb_exists(path))
		return fb_error_set(err, FB_E_USAGE,
				    "%s is there already; move it away first",
				    path);
	fb_autofree char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	fb_config_write_commented(&cli->cfg, f);
	fclose(f);
	int rc = fb_file_write(path, text, size, err);
	if (rc == 0)
		printf("wrote %s\n", path);
	return rc;
}
