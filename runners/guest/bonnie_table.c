/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Our figures in bonnie++'s clothes: the table of version 2.00a and its CSV
 * line of format 1.98, which bon_csv2html reads. Rates of the file tests are
 * whole KiB/s, the others per second.
 */
#include "output.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#define SHORTEST 0.5 /* seconds; what took less says nothing */
#define FIRST_OF_MANY_FILES 6
#define SEED 2007

static const char *const figures[] = {
	"bonnie.per_char_write", "bonnie.block_write", "bonnie.rewrite",
	"bonnie.per_char_read",	 "bonnie.block_read",  "bonnie.seeks",
	"bonnie.seq_create",	 "bonnie.seq_stat",    "bonnie.seq_delete",
	"bonnie.ran_create",	 "bonnie.ran_stat",    "bonnie.ran_delete",
};
#define N (sizeof(figures) / sizeof(figures[0]))

struct cell {
	bool ran, too_short;
	double rate, cpu, latency; /* KiB/s or 1/s, percent, us */
};

static struct cell look_up(size_t i)
{
	struct cell c = { .ran = false };
	char name[96];
	double seconds = 0;
	c.ran = output_find_sample(figures[i], &c.rate);
	if (!c.ran) { /* what came from a cache is bonnie++'s figure as well */
		snprintf(name, sizeof(name), "%s.from_cache", figures[i]);
		c.ran = output_find_sample(name, &c.rate);
	}
	output_find_evidence(figures[i], "probe", "seconds", &seconds);
	output_find_evidence(figures[i], "probe", "cpu_percent", &c.cpu);
	snprintf(name, sizeof(name), "%s.latency_max", figures[i]);
	output_find_sample(name, &c.latency);
	c.too_short = seconds < SHORTEST;
	if (i < 5)
		c.rate *= 1024;
	return c;
}

static void print_rate(size_t i, const struct cell *c)
{
	if (!c->ran)
		printf("      ");
	else if (c->too_short)
		printf(" +++++");
	else if (i >= FIRST_OF_MANY_FILES)
		printf(" %5d", (int)c->rate);
	else if (i == 5)
		printf(c->rate >= 1000 ? " %5.0f" : " %5.1f", c->rate);
	else if (c->rate < 10000)
		printf(" %4dk", (int)c->rate);
	else if (c->rate / 1024 < 100)
		printf(" %4.1fm", c->rate / 1024);
	else if (c->rate / 1024 < 1000)
		printf(" %4dm", (int)(c->rate / 1024 + 0.5));
	else
		printf(" %4.1fg", c->rate / 1024 / 1024);
	if (!c->ran)
		printf("    ");
	else if (c->too_short)
		printf(" +++");
	else
		printf(" %3d", (int)c->cpu);
}

/* "4454us", "17ms", "100s". */
static const char *latency_text(const struct cell *c, char buf[16])
{
	buf[0] = '\0';
	if (!c->ran || c->latency == 0)
		return buf;
	if (c->latency > 99999999)
		snprintf(buf, 16, "%ds", (int)(c->latency / 1e6));
	else if (c->latency > 99999)
		snprintf(buf, 16, "%dms", (int)(c->latency / 1e3));
	else
		snprintf(buf, 16, "%dus", (int)c->latency);
	return buf;
}

static void print_latencies(const struct cell *c)
{
	char buf[16];
	printf("\nLatency          ");
	for (int i = 0; i < 6; i++)
		printf(" %9s", latency_text(&c[i], buf));
	printf("\n");
}

static void print_table(const struct cell *c, const char *host,
			const char *size, unsigned files)
{
	char name[64];
	snprintf(name, sizeof(name), "%-*.*s %s", (int)(18 - strlen(size)),
		 (int)(18 - strlen(size)), host, size);
	printf("Version 2.00a       ------Sequential Output------ "
	       "--Sequential Input- --Random-\n"
	       "                    -Per Chr- --Block-- -Rewrite- "
	       "-Per Chr- --Block-- --Seeks--\n"
	       "Name:Size etc       ");
	for (int i = 0; i < 6; i++)
		printf(" /sec %%CP%s", i < 5 ? " " : "\n");
	printf("%s", name);
	for (size_t i = 0; i < 6; i++)
		print_rate(i, &c[i]);
	print_latencies(c);
	printf("Version 2.00a       ------Sequential Create------ "
	       "--------Random Create--------\n"
	       "%-19.19s -Create-- --Read--- -Delete-- -Create-- "
	       "--Read--- -Delete--\n"
	       "              files ",
	       host);
	for (int i = 0; i < 6; i++)
		printf(" /sec %%CP%s", i < 5 ? " " : "\n");
	printf("%19u", files);
	for (size_t i = 6; i < N; i++)
		print_rate(i, &c[i]);
	print_latencies(c + 6);
}

static void csv_cell(size_t i, const struct cell *c)
{
	if (!c->ran)
		printf(",,");
	else if (c->too_short)
		printf(",+++++,+++");
	else if (i == 5 && c->rate < 1000)
		printf(",%.1f,%d", c->rate, (int)c->cpu);
	else
		printf(",%.0f,%d", i == 5 ? c->rate : (double)(int)c->rate,
		       (int)c->cpu);
}

static void print_csv(const struct cell *c, const char *host, const char *size,
		      unsigned files)
{
	char buf[16];
	printf("1.98,2.00a,%s,1,%d,%s,,8192,5", host, SEED, size);
	for (size_t i = 0; i < 6; i++)
		csv_cell(i, &c[i]);
	printf(",%u,,,,", files);
	for (size_t i = 6; i < N; i++)
		csv_cell(i, &c[i]);
	for (size_t i = 0; i < N; i++)
		printf(",%s", latency_text(&c[i], buf));
	printf("\n");
}

void output_bonnie(const struct params *p, bool csv_only)
{
	struct cell c[N];
	struct utsname u;
	char size[16];
	bool any = false;
	for (size_t i = 0; i < N; i++) {
		c[i] = look_up(i);
		any |= c[i].ran;
	}
	if (!any)
		return;
	if (uname(&u))
		strcpy(u.nodename, "-");
	for (char *s = u.nodename; *s; s++)
		if (*s == ',')
			*s = '-';
	if (p->file_mib % 1024 == 0)
		snprintf(size, sizeof(size), "%uG", p->file_mib / 1024);
	else
		snprintf(size, sizeof(size), "%uM", p->file_mib);
	if (!csv_only)
		print_table(c, u.nodename, size, p->files);
	print_csv(c, u.nodename, size, p->files);
}
