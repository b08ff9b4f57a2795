/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "load.h"
#include "options.h"

static const char *list_items(const struct fb_config *cfg,
			      const struct option_list *l, size_t *n)
{
	*n = *(const size_t *)((const char *)cfg + l->count);
	return *(const char *const *)((const char *)cfg + l->items);
}

static cJSON *list_json(const struct fb_config *cfg,
			const struct option_list *l)
{
	size_t n;
	const char *items = list_items(cfg, l, &n);
	cJSON *list = cJSON_CreateArray();
	for (size_t i = 0; i < n; i++) {
		cJSON *object = cJSON_CreateObject();
		for (const struct option *o = l->options; o->key; o++)
			cJSON_AddItemToObject(
				object, o->key,
				option_get(o, items + i * l->size));
		cJSON_AddItemToArray(list, object);
	}
	return list;
}

/* The object that a key's last part belongs to, made when needed. */
static cJSON *section(cJSON *root, const char *key)
{
	const char *dot = strchr(key, '.');
	if (!dot)
		return root;
	fb_autofree char *name = fb_strndup(key, (size_t)(dot - key));
	cJSON *s = cJSON_GetObjectItemCaseSensitive(root, name);
	return s ? s : cJSON_AddObjectToObject(root, name);
}

static const char *last_part(const char *key)
{
	const char *dot = strchr(key, '.');
	return dot ? dot + 1 : key;
}

char *fb_config_dump(const struct fb_config *cfg)
{
	cJSON *root = cJSON_CreateObject();
	for (const struct option *o = config_options; o->key; o++)
		cJSON_AddItemToObject(section(root, o->key), last_part(o->key),
				      option_get(o, cfg));
	for (const struct option_list *l = option_lists; l->key; l++)
		cJSON_AddItemToObject(root, l->key, list_json(cfg, l));
	char *text = cJSON_PrintUnformatted(root);
	cJSON_Delete(root);
	return text;
}

static void write_option(const struct option *o, const void *base,
			 const char *indent, bool last, FILE *out)
{
	cJSON *value = option_get(o, base);
	char *text = cJSON_PrintUnformatted(value);
	fprintf(out, "%s// %s", indent, o->help);
	for (int i = 0; o->choices && o->choices[i]; i++)
		fprintf(out, "%s%s", i ? " | " : " (", o->choices[i]);
	fprintf(out, "%s\n%s\"%s\": %s%s\n", o->choices ? ")" : "", indent,
		last_part(o->key), text, last ? "" : ",");
	free(text);
	cJSON_Delete(value);
}

/* An empty list shows what one of its objects would look like. */
static void write_list(const struct fb_config *cfg, const struct option_list *l,
		       FILE *out)
{
	size_t n;
	const char *items = list_items(cfg, l, &n);
	const char *end = l[1].key ? "," : "";
	if (n == 0) {
		fprintf(out, "\t// each: {");
		for (const struct option *o = l->options; o->key; o++)
			fprintf(out, " \"%s\": %s%s", o->key, o->fallback,
				o[1].key ? "," : " }\n");
		for (const struct option *o = l->options; o->key; o++)
			fprintf(out, "\t//   %s: %s\n", o->key, o->help);
		fprintf(out, "\t\"%s\": []%s\n", l->key, end);
		return;
	}
	fprintf(out, "\t\"%s\": [\n", l->key);
	for (size_t i = 0; i < n; i++) {
		fputs("\t\t{\n", out);
		for (const struct option *o = l->options; o->key; o++)
			write_option(o, items + i * l->size, "\t\t\t",
				     !o[1].key, out);
		fprintf(out, "\t\t}%s\n", i + 1 < n ? "," : "");
	}
	fprintf(out, "\t]%s\n", end);
}

void fb_config_write_commented(const struct fb_config *cfg, FILE *out)
{
	const char *open = "";
	size_t open_len = 0;

	fputs("{\n", out);
	for (const struct option *o = config_options; o->key; o++) {
		const char *dot = strchr(o->key, '.');
		size_t n = dot ? (size_t)(dot - o->key) : 0;
		if (n && (n != open_len || strncmp(open, o->key, n)))
			fprintf(out, "\t\"%.*s\": {\n", (int)n, o->key);
		open = o->key;
		open_len = n;
		bool ends =
			n && (!o[1].key || strncmp(o[1].key, o->key, n + 1));
		write_option(o, cfg, n ? "\t\t" : "\t", ends, out);
		if (ends)
			fputs("\t},\n", out);
	}
	for (const struct option_list *l = option_lists; l->key; l++)
		write_list(cfg, l, out);
	fputs("}\n", out);
}
