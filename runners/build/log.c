/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "builder.h"
#include "text.h"

/* Most telling first: a later line of an earlier kind wins. */
static const char *const signs[] = {
	" error: ",
	" fatal error: ",
	"undefined reference to",
	"multiple definition of",
	"Error: ", /* assembler */
	"No rule to make target",
	"recipe for target",
	"*** ",
};

static const char *find_line(const char *log, const char *sign)
{
	const char *hit = strstr(log, sign);
	while (hit && hit > log && hit[-1] != '\n')
		hit--;
	return hit;
}

char *fb_build_first_error(const char *log)
{
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		const char *line = find_line(log, signs[i]);
		if (line)
			return fb_strndup(line, strcspn(line, "\r\n"));
	}
	return NULL;
}

bool fb_build_machine_failed(const char *log)
{
	/* As errors are reported; the words alone may stand in a source. */
	static const char *const faults[] = {
		": No space left on device\n",
		": Disk quota exceeded\n",
		": Read-only file system\n",
		": Input/output error\n",
		": Cannot allocate memory\n",
		"virtual memory exhausted",
		"Killed signal terminated program",
		"] Error 137\n", /* the out-of-memory killer, seen by make */
	};
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		if (strstr(log, faults[i]))
			return true;
	return false;
}
