/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading our own result objects: what is not there is "", 0 or NULL. */
#ifndef FB_JSON_GET_H
#define FB_JSON_GET_H

#include <cjson/cJSON.h>

static inline const cJSON *obj(const cJSON *o, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(o, key);
}

static inline const char *str(const cJSON *o, const char *key)
{
	const cJSON *v = obj(o, key);
	return cJSON_IsString(v) ? v->valuestring : "";
}

static inline double num_or(const cJSON *o, const char *key, double other)
{
	const cJSON *v = obj(o, key);
	return cJSON_IsNumber(v) ? v->valuedouble : other;
}

static inline double num(const cJSON *o, const char *key)
{
	return num_or(o, key, 0);
}

#endif
