/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arms into a verdict: which disk of A is which disk of B. */
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "errors.h"
#include "metric.h"
#include "paste.h"

/* What names a disk; the most exact one that both arms agree on is used. */
enum scheme { BOTH, HEADING, DEVICE, NEITHER, SCHEMES };

static char *disk_of(const struct fb_pasted *i, enum scheme scheme)
{
	bool heading = *i->heading && (scheme == BOTH || scheme == HEADING),
	     device = *i->device && (scheme == BOTH || scheme == DEVICE);
	return fb_strf("%s%s%s%s", heading ? i->heading : "",
		       heading && device ? "-" : "", device ? i->device : "",
		       heading || device ? "/" : "");
}

static char *name_of(const struct fb_pasted *i, enum scheme scheme)
{
	fb_autofree char *disk = disk_of(i, scheme);
	return fb_strf("%s%s", disk, i->metric);
}

static bool is_figure(const struct fb_pasted *i)
{
	return !i->key && !fb_metric_is_counter(i->metric);
}

size_t fb_paste_figures(const struct fb_paste *p)
{
	size_t n = 0;
	for (size_t i = 0; i < p->n; i++)
		n += is_figure(&p->items[i]);
	return n;
}

/* The names of all figures under a scheme, beside those under BOTH. */
struct names {
	struct pair {
		char *now, *both;
	} * v;
	size_t n;
};

static int by_name(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	int rc = strcmp(x->now, y->now);
	return rc ? rc : strcmp(x->both, y->both);
}

static void names_init(struct names *names, const struct fb_paste *p,
		       enum scheme scheme)
{
	names->v = fb_calloc(p->n + 1, sizeof(*names->v));
	names->n = 0;
	for (size_t i = 0; i < p->n; i++)
		if (is_figure(&p->items[i]))
			names->v[names->n++] = (struct pair){
				name_of(&p->items[i], scheme),
				name_of(&p->items[i], BOTH),
			};
	qsort(names->v, names->n, sizeof(*names->v), by_name);
}

static void names_release(struct names *names)
{
	for (size_t i = 0; i < names->n; i++) {
		free(names->v[i].now);
		free(names->v[i].both);
	}
	free(names->v);
}

/* How many names both have. */
static size_t common(const struct names *a, const struct names *b)
{
	size_t n = 0;
	for (size_t i = 0, k = 0; i < a->n && k < b->n;) {
		int rc = strcmp(a->v[i].now, b->v[k].now);
		bool again = i && fb_streq(a->v[i].now, a->v[i - 1].now);
		n += rc == 0 && !again;
		i += rc <= 0;
		k += rc > 0;
	}
	return n;
}

/* Would two disks that BOTH tells apart become one? */
static bool mixes(const struct names *names)
{
	for (size_t i = 1; i < names->n; i++)
		if (fb_streq(names->v[i].now, names->v[i - 1].now) &&
		    !fb_streq(names->v[i].both, names->v[i - 1].both))
			return true;
	return false;
}

/* How well two arms fit: names in common, 0 when disks would be mixed. */
static size_t agree(const struct fb_paste *a, enum scheme of_a,
		    const struct fb_paste *b, enum scheme of_b)
{
	struct names x, y;
	names_init(&x, a, of_a);
	names_init(&y, b, of_b);
	size_t n = mixes(&x) || mixes(&y) ? 0 : common(&x, &y);
	names_release(&x);
	names_release(&y);
	return n;
}

static enum scheme choose(const struct fb_paste *a, const struct fb_paste *b)
{
	enum scheme best = SCHEMES;
	size_t most = 0;
	for (int s = BOTH; s < SCHEMES; s++) {
		size_t n = agree(a, (enum scheme)s, b, (enum scheme)s);
		best = n > most ? (enum scheme)s : best;
		most = n > most ? n : most;
	}
	return best;
}

/* The third arm says what it is in its heading: it follows B's names. */
static enum scheme follow(const struct fb_paste *c, const struct fb_paste *b,
			  enum scheme of_b)
{
	enum scheme best = of_b;
	size_t most = 0;
	for (int s = BOTH; s < SCHEMES; s++) {
		size_t n = agree(b, of_b, c, (enum scheme)s);
		best = n > most ? (enum scheme)s : best;
		most = n > most ? n : most;
	}
	return best;
}

static void add(const struct fb_paste *p, char arm, enum scheme scheme,
		struct fb_verdict *v)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct fb_pasted *x = &p->items[i];
		fb_autofree char *name = name_of(x, scheme);
		if (!x->key)
			fb_verdict_add(v, name, arm, x->value);
		else if (x->text)
			fb_verdict_add_setting(v, arm, name, x->key, x->text);
		else
			fb_verdict_add_evidence(v, arm, name, x->source, x->key,
						x->value);
	}
}

/* "IDE/hdparm.buffered_read, ..."; the caller frees it. */
static char *list(const struct fb_paste *p)
{
	struct fb_strv names = { 0 };
	for (size_t i = 0; i < p->n && names.n < 12; i++) {
		fb_autofree char *name = name_of(&p->items[i], BOTH);
		bool known = !is_figure(&p->items[i]);
		for (size_t k = 0; k < names.n; k++)
			known |= fb_streq(names.v[k], name);
		if (!known)
			fb_strv_add(&names, name);
	}
	char *all = names.n ? fb_strv_join(&names, ", ") : fb_strdup("nothing");
	fb_strv_release(&names);
	return all;
}

int fb_paste_join(const struct fb_paste *a, const struct fb_paste *b,
		  const struct fb_paste *c, struct fb_verdict *v,
		  struct fb_error *err)
{
	enum scheme scheme = choose(a, b);
	if (scheme == SCHEMES) {
		fb_autofree char *has_a = list(a), *has_b = list(b);
		return fb_error_set(err, FB_E_USAGE,
				    "the arms have no figure in common: A has "
				    "%s; B has %s",
				    has_a, has_b);
	}
	add(a, 'a', scheme, v);
	add(b, 'b', scheme, v);
	if (c)
		add(c, 'c', follow(c, b, scheme), v);
	return 0;
}
