/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Headings, and which lines a selection means. */
#include <ctype.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "errors.h"
#include "reader.h"

#define HEADING_MAX 120
#define LABEL_MAX 32

char *section_device(const char *word)
{
	size_t n = strlen(word);
	if (!fb_starts_with(word, "/dev/") || n < 7 || word[n - 1] != ':' ||
	    strcspn(word, " \t?*") != n)
		return NULL;
	const char *base = strrchr(word, '/') + 1;
	return fb_strndup(base, strlen(base) - 1);
}

/* "12) " or "a) ": the length of the enumerator, else 0. */
static size_t enumerator(const char *s)
{
	size_t n = strspn(s, "0123456789");
	if (!n && islower((unsigned char)s[0]))
		n = 1;
	if (!n || n > 3 || (s[n] != ')' && s[n] != '.') || s[n + 1] != ' ')
		return 0;
	return n + 2;
}

/* "## any" or "# Words": a lower-case word behind one # is root's command. */
static bool is_marked(const char *s)
{
	size_t n = strspn(s, "#");
	return n && s[n] == ' ' && s[n + 1] &&
	       (n > 1 || !islower((unsigned char)s[n + 1])) &&
	       !strstr(s, "/dev/");
}

static int rank_of(const struct line *l)
{
	const char *s = l->word;
	size_t n = strlen(s);
	if (!n || n > HEADING_MAX)
		return 0;
	if (is_marked(s))
		return 1;
	if (enumerator(s))
		return isdigit((unsigned char)s[0]) ? 1 : 2;
	if (s[n - 1] != ':' || n < 3 || fb_starts_with(s, "/dev/") ||
	    fb_ends_with(s, "wrote:") || fb_ends_with(s, "writes:"))
		return 0;
	return 3;
}

static bool matches(const regex_t *re, const char *s)
{
	return regexec(re, s, 0, NULL, 0) == 0;
}

static int compile(regex_t *re, const char *s, int flags, struct fb_error *err)
{
	char why[128];
	int rc = regcomp(re, s, REG_EXTENDED | flags);
	if (!rc)
		return 0;
	regerror(rc, re, why, sizeof(why));
	return fb_error_set(err, FB_E_USAGE, "\"%s\": %s", s, why);
}

/* Sections whose heading matches, and stated figures. */
static size_t by_heading(struct line *lines, size_t n, const regex_t *re)
{
	size_t found = 0;
	int open = 0; /* rank of the section that is selected */
	char said[LINE_MAX_KEPT];
	for (size_t i = 0; i < n; i++) {
		int rank = lines[i].rank;
		bool is = rank && matches(re, lines[i].word);
		if (rank && open && rank <= open)
			open = 0;
		if (is && !open)
			open = rank;
		bool stated = stated_words(lines[i].word, said, sizeof(said)) &&
			      matches(re, said);
		lines[i].selected = open || stated;
		found += is || stated;
	}
	return found;
}

/* From the first match to the next heading, or the end of a paragraph. */
static size_t by_paragraph(struct line *lines, size_t n, const regex_t *re)
{
	size_t i = 0;
	bool text = false;
	while (i < n && !matches(re, lines[i].word))
		i++;
	if (i == n)
		return 0;
	lines[i++].selected = true;
	/* Blank lines right behind the match do not end it yet. */
	for (; i < n && !lines[i].rank; i++) {
		if (text && !*lines[i].word)
			break;
		fb_autofree char *device = section_device(lines[i].word);
		text |= *lines[i].word != '\0' && !device;
		lines[i].selected = true;
	}
	return 1;
}

static size_t by_range(struct line *lines, size_t n, const regex_t *from,
		       const regex_t *to)
{
	size_t i = 0;
	while (i < n && !matches(from, lines[i].word))
		i++;
	if (i == n)
		return 0;
	lines[i++].selected = true;
	for (; i < n && !matches(to, lines[i].word); i++)
		lines[i].selected = true;
	return 1;
}

int sections_select(struct line *lines, size_t n,
		    const struct fb_selection *sel, struct fb_error *err)
{
	regex_t from, to;
	size_t found;
	int rc;
	for (size_t i = 0; i < n; i++) {
		lines[i].rank = rank_of(&lines[i]);
		lines[i].selected = !sel->from;
	}
	if (!sel->from)
		return 0;
	if ((rc = compile(&from, sel->from, REG_NOSUB, err)))
		return rc;
	if (sel->to) {
		if ((rc = compile(&to, sel->to, REG_NOSUB, err))) {
			regfree(&from);
			return rc;
		}
		found = by_range(lines, n, &from, &to);
		regfree(&to);
	} else {
		found = by_heading(lines, n, &from);
		if (!found)
			found = by_paragraph(lines, n, &from);
	}
	regfree(&from);
	return found ? 0 :
		       fb_error_set(err, FB_E_USAGE, "no line matches \"%s\"",
				    sel->from);
}

/* Letters, digits, dots; a dash for any run of others. */
static char *label_of(const char *s)
{
	char *out = fb_malloc(LABEL_MAX + 1);
	size_t k = 0;
	for (; *s && k < LABEL_MAX; s++) {
		if (isalnum((unsigned char)*s) || *s == '.' || *s == '_')
			out[k++] = *s;
		else if (*s != '\'' && k && out[k - 1] != '-')
			out[k++] = '-';
	}
	while (k && strchr("-._", out[k - 1]))
		k--;
	out[k] = '\0';
	return out;
}

char *section_label(const char *heading, const char *cut)
{
	static const char *const after[] = { ", ", " on ", " to ", " of " };
	fb_autofree char *text = fb_strdup(heading + enumerator(heading));
	regex_t re;
	regmatch_t m;
	if (cut && regcomp(&re, cut, REG_EXTENDED) == 0) {
		if (regexec(&re, text, 1, &m, 0) == 0)
			memmove(text + m.rm_so, text + m.rm_eo,
				strlen(text + m.rm_eo) + 1);
		regfree(&re);
	}
	const char *best = text;
	for (size_t i = 0; i < sizeof(after) / sizeof(after[0]); i++) {
		for (const char *p = text; (p = strstr(p, after[i]));) {
			p += strlen(after[i]);
			best = p > best ? p : best;
		}
		/* A comma says more than a preposition. */
		if (i == 0 && best > text)
			break;
	}
	return label_of(best);
}
