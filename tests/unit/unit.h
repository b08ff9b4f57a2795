/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every unit test file includes. With an argument only the cases of that
 * name are run, which is how ctest runs each of them alone. */
#ifndef FB_UNIT_H
#define FB_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "errors.h"

#define UNIT_MAIN(tests)                                          \
	int main(int argc, char **argv)                           \
	{                                                         \
		if (argc > 1)                                     \
			cmocka_set_test_filter(argv[1]);          \
		return cmocka_run_group_tests(tests, NULL, NULL); \
	}

#define assert_ok(rc, err)                             \
	do {                                           \
		if ((rc) != 0)                         \
			fail_msg("%s", (err).message); \
	} while (0)

#define assert_message(err, part)                                             \
	do {                                                                  \
		assert_non_null((err).message);                               \
		if (!strstr((err).message, part))                             \
			fail_msg("\"%s\" lacks \"%s\"", (err).message, part); \
	} while (0)

#endif
