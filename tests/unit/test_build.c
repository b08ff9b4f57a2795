/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "builder.h"
#include "unit.h"

static void first_error(const char *log, const char *want)
{
	char *line = fb_build_first_error(log);
	if (want)
		assert_string_equal(line, want);
	else
		assert_null(line);
	free(line);
}

/* Lines as gcc 12, GNU ld 2.40 and GNU make 4.3 write them. */
static void first_error_line(void **state)
{
	(void)state;
	first_error("  CC      fs/open.o\n"
		    "fs/open.c: In function 'x':\n"
		    "fs/open.c:10:2: error: 'y' undeclared\n"
		    "make[3]: *** [Makefile.build:250: fs/open.o] Error 1\n"
		    "fs/read.c:1:1: error: later\n",
		    "fs/open.c:10:2: error: 'y' undeclared");
	first_error("a.c:1:10: fatal error: no.h: No such file\n",
		    "a.c:1:10: fatal error: no.h: No such file");
	first_error("ld: block/bio.o: in function `f':\n"
		    "bio.c:(.text+0x1): undefined reference to `g'\n",
		    "bio.c:(.text+0x1): undefined reference to `g'");
	first_error("make: *** No rule to make target 'x'.  Stop.\n",
		    "make: *** No rule to make target 'x'.  Stop.");
	first_error("warning: all is well\n", NULL);
	first_error("", NULL);
}

static void machine_faults_are_told_apart(void **state)
{
	(void)state;
	assert_true(fb_build_machine_failed(
		"fatal error: error writing to x.s: No space left on "
		"device\n"));
	assert_true(fb_build_machine_failed(
		"gcc: fatal error: Killed signal terminated program cc1\n"));
	assert_true(fb_build_machine_failed(
		"make[2]: *** [Makefile:1: vmlinux] Error 137\n"));
	/* gcc quotes sources: the words alone prove nothing. */
	assert_false(fb_build_machine_failed(
		"  9 | return \"Input/output error\";\n"));
	assert_false(fb_build_machine_failed(
		"fs/open.c:10:2: error: 'y' undeclared\n"));
}

static void lost_options(void **state)
{
	(void)state;
	const char *fragment = "# a comment\nCONFIG_A=y\nCONFIG_B=y\n"
			       "# CONFIG_C is not set\nCONFIG_D=4\n"
			       "# CONFIG_E is not set\n";
	char *lost = fb_kconfig_lost(fragment, "CONFIG_A=y\n# CONFIG_B is not "
					       "set\nCONFIG_C=y\n"
					       "CONFIG_D=4\n");
	assert_string_equal(lost, "CONFIG_B=y CONFIG_C=n");
	free(lost);
	/* A later fragment has the last word. */
	lost = fb_kconfig_lost("CONFIG_A=y\n# CONFIG_A is not set\n",
			       "CONFIG_B=y\n");
	assert_null(lost);
	lost = fb_kconfig_lost(fragment, "#\nCONFIG_AA=y\nCONFIG_A=y\n"
					 "CONFIG_B=y\nCONFIG_D=4\n");
	assert_null(lost);
}

static void our_fragment_is_there(void **state)
{
	(void)state;
	assert_string_equal(fb_kconfig_fragments[0].name, "qemu");
	assert_non_null(
		strstr(fb_kconfig_fragments[0].text, "\nCONFIG_SATA_AHCI=y\n"));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(first_error_line),
	cmocka_unit_test(machine_faults_are_told_apart),
	cmocka_unit_test(lost_options),
	cmocka_unit_test(our_fragment_is_there),
};

UNIT_MAIN(tests)
