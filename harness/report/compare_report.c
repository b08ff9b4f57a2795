/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A comparison as a page: the answer, the figures, then what the arms were. */
#include <math.h>

#include "errors.h"
#include "json_get.h"
#include "report.h"
#include "text.h"

static void print_arm(const cJSON *r, const char *key, FILE *out)
{
	const cJSON *arm = obj(r, key);
	bool kernel = fb_streq(str(r, "axis"), "kernel");
	const char *value = str(arm, "value");
	fprintf(out, "%c  %s", *key == 'a' ? 'A' : 'B',
		*value ? value : "(nothing)");
	if (kernel && obj(arm, "commit"))
		fprintf(out, "  %.12s (\"%s\")", str(arm, "commit"),
			str(arm, "subject"));
	fprintf(out, ", %.0f boots%s%s\n", num(arm, "boots"),
		obj(arm, "failure") ? ", last failure: " : "",
		str(arm, "failure"));
}

static void print_kconfig(const cJSON *r, FILE *out)
{
	const cJSON *row, *list = obj(r, "kconfig");
	if (!cJSON_GetArraySize(list))
		return;
	fputs("\noptions that differ, and may matter:\n", out);
	cJSON_ArrayForEach(row, list)
		fprintf(out, "    %s: %s -> %s\n", str(row, "option"),
			str(row, "a"), str(row, "b"));
}

static void print_drift(const cJSON *r, FILE *out)
{
	const cJSON *d = obj(r, "drift");
	double rate = num_or(d, "percent_per_hour", NAN);
	if (!isnan(rate))
		fprintf(out,
			"drift of %s: %+.2f %% an hour (standard error %.2f), "
			"alike in both arms\n",
			str(d, "metric"), rate, num(d, "standard_error"));
}

int fb_report_comparison(const struct fb_comparison_record *c, bool json,
			 FILE *out, struct fb_error *err)
{
	if (!c->result)
		return fb_error_set(err, FB_E_NOTFOUND,
				    "comparison %lld was not finished",
				    (long long)c->id);
	if (json) {
		fprintf(out, "%s\n", c->result);
		return 0;
	}
	cJSON *r = cJSON_Parse(c->result);
	if (fb_streq(str(r, "status"), "unmeasured"))
		fprintf(out, "Nothing can be said: %s.\n\n", str(r, "reason"));
	else
		fb_report_verdict(obj(r, "verdict"), out);
	fprintf(out, "\naxis %s%s%s; %s\n", str(r, "axis"),
		obj(r, "revision") ? ", both of " : "", str(r, "revision"),
		str(r, "reason"));
	print_arm(r, "a", out);
	print_arm(r, "b", out);
	print_drift(r, out);
	print_kconfig(r, out);
	cJSON_Delete(r);
	return 0;
}

int fb_report_comparison_exit_status(const char *status)
{
	return fb_streq(status, "decided") ? 0 :
	       fb_streq(status, "budget")  ? 4 :
					     1;
}
