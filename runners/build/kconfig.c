/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "builder.h"
#include "cleanup.h"
#include "text.h"

struct setting {
	char name[128];
	char value[256]; /* "n" for "# CONFIG_X is not set" */
};

static bool parse_setting(const char *line, struct setting *s)
{
	char rest[16];
	if (sscanf(line, "# %127[A-Za-z0-9_] is not %15[set]", s->name, rest) ==
		    2 &&
	    strcmp(rest, "set") == 0)
		strcpy(s->value, "n");
	else if (sscanf(line, "%127[A-Za-z0-9_]=%255[^\n]", s->name,
			s->value) != 2)
		return false;
	return fb_starts_with(s->name, "CONFIG_");
}

static const char *next_line(const char *p)
{
	p += strcspn(p, "\n");
	return *p ? p + 1 : p;
}

/* A later fragment may have the last word on an option. */
static bool set_again(const char *rest, const char *name)
{
	struct setting s;
	for (; *rest; rest = next_line(rest))
		if (parse_setting(rest, &s) && strcmp(s.name, name) == 0)
			return true;
	return false;
}

/* The value that a whole .config gives to an option; absent means "n". */
static void value_in(const char *config, const char *name, char *out,
		     size_t size)
{
	fb_autofree char *head = fb_strf("\n%s=", name);
	const char *hit = fb_starts_with(config, head + 1) ?
				  config :
				  strstr(config, head);
	if (!hit) {
		snprintf(out, size, "n");
		return;
	}
	hit = strchr(hit + 1, '=') + 1;
	snprintf(out, size, "%.*s", (int)strcspn(hit, "\n"), hit);
}

char *fb_kconfig_lost(const char *fragment, const char *config)
{
	char *lost = NULL;
	for (const char *p = fragment; *p; p = next_line(p)) {
		struct setting s;
		char got[256];
		if (!parse_setting(p, &s) || set_again(next_line(p), s.name))
			continue;
		value_in(config, s.name, got, sizeof(got));
		if (strcmp(got, s.value) == 0)
			continue;
		char *more = fb_strf("%s%s%s=%s", lost ? lost : "",
				     lost ? " " : "", s.name, s.value);
		free(lost);
		lost = more;
	}
	return lost;
}
