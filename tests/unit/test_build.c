/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <unistd.h>

#include "builder.h"
#include "cleanup.h"
#include "file.h"
#include "inputs.h"
#include "package.h"
#include "process.h"
#include "signature.h"
#include "text.h"
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

/* ---- packages, made by dpkg-deb and GNU tar */

static void shell(const char *dir, const char *script)
{
	const char *argv[] = { "sh", "-ec", script, NULL };
	struct fb_process p = { .argv = argv, .cwd = dir };
	struct fb_error err = FB_ERROR_INIT;
	assert_ok(fb_process_check(&p, &err), err);
}

static void content(const char *image, const char *beside, const char *want)
{
	fb_autofree char *path = fb_strf(
		"%.*s/%s", (int)(strrchr(image, '/') - image), image, beside);
	fb_autofree char *text = NULL;
	struct fb_error err = FB_ERROR_INIT;
	assert_ok(fb_file_read(path, 100, &text, NULL, &err), err);
	assert_string_equal(text, want);
}

/* And leaves nothing that would be taken for a kernel the next time. */
static void refused(const char *dir, const char *name, const char *why)
{
	fb_autofree char *path = fb_strf("%s/%s", dir, name);
	char *image = NULL;
	struct fb_error err = FB_ERROR_INIT;
	assert_int_equal(fb_package_unpack(dir, path, &image, &err),
			 FB_E_USAGE);
	assert_null(image);
	assert_message(err, name);
	assert_message(err, why);
	fb_error_release(&err);
	shell(dir, "! ls packages/* > /dev/null 2>&1");
}

static void unpacks(const char *dir, const char *name)
{
	fb_autofree char *path = fb_strf("%s/%s", dir, name);
	struct fb_error err = FB_ERROR_INIT;
	assert_true(fb_package_is(path));
	for (int again = 0; again < 2; again++) {
		fb_autofree char *image = NULL;
		assert_ok(fb_package_unpack(dir, path, &image, &err), err);
		assert_true(fb_ends_with(image, "/vmlinuz"));
		content(image, "vmlinuz", "kernel\n");
		content(image, "config", "CONFIG_X=y\n");
	}
}

static const char tree[] =
	"mkdir -p k/DEBIAN k/boot k/lib/modules/6.1.0-t/kernel k/etc;"
	"echo kernel > k/boot/vmlinuz-6.1.0-t;"
	"echo CONFIG_X=y > k/boot/config-6.1.0-t;"
	"echo no > k/etc/passwd;"
	"touch k/lib/modules/6.1.0-t/modules.order"
	"      k/lib/modules/6.1.0-t/modules.builtin;"
	"printf 'Package: t\nVersion: 1\nArchitecture: all\n"
	"Maintainer: t <t@example.org>\nDescription: t\n' > k/DEBIAN/control";

static void kernels_come_in_packages(void **state)
{
	(void)state;
	char dir[] = "/tmp/fb-test-XXXXXX";
	assert_non_null(mkdtemp(dir));
	shell(dir, tree);
	shell(dir,
	      "dpkg-deb -Zxz -b k xz.deb > /dev/null;"
	      "dpkg-deb -Zgzip -b k gz.deb > /dev/null;"
	      "tar -C k -cJf k.tar.xz ./boot ./lib ./etc;"
	      "mkdir -p u/usr/lib/modules/6.1.9; cd u/usr/lib/modules/6.1.9;"
	      "echo kernel > vmlinuz; echo CONFIG_X=y > config;"
	      "touch modules.order modules.builtin;"
	      "tar -C ../../../.. -cf ../../../../../usr.tar usr");
	unpacks(dir, "xz.deb");
	unpacks(dir, "gz.deb");
	unpacks(dir, "k.tar.xz");
	unpacks(dir, "usr.tar");
	/* Nothing but kernels, options and modules; each package once. */
	shell(dir, "test -z \"$(find packages -name passwd)\";"
		   "test $(ls packages | wc -l) = 4;"
		   "test -f packages/*/lib/modules/6.1.9/modules.dep");
	assert_false(fb_package_is("/boot/vmlinuz-6.1.0"));
	struct fb_error err = FB_ERROR_INIT;
	assert_ok(fb_rm_rf(dir, &err), err);
}

static void packages_that_are_no_kernels(void **state)
{
	(void)state;
	char dir[] = "/tmp/fb-test-XXXXXX";
	assert_non_null(mkdtemp(dir));
	shell(dir, tree);
	shell(dir, "dpkg-deb -Zxz -b k whole.deb > /dev/null;"
		   "head -c $(($(wc -c < whole.deb) - 60)) whole.deb > cut.deb;"
		   "echo kernel > k/boot/vmlinuz-2; tar -C k -cf two.tar boot;"
		   "mkdir out; tar -C k -cf none.tar etc;"
		   "tar -C k --transform 's|^boot|lib/modules/../../../out|' "
		   "-Pcf climbs.tar boot/config-6.1.0-t;"
		   "echo nonsense > text.deb; : > empty.deb");
	refused(dir, "cut.deb", "");
	refused(dir, "two.tar", "holds 2 kernels");
	refused(dir, "none.tar", "holds 0 kernels");
	refused(dir, "climbs.tar", "holds 0 kernels");
	refused(dir, "text.deb", "");
	refused(dir, "empty.deb", "");
	shell(dir, "test -z \"$(ls out)\"");
	struct fb_error err = FB_ERROR_INIT;
	assert_ok(fb_rm_rf(dir, &err), err);
}

/* ---- what a build leaves behind */

#define OBJECTS_AND_SOURCES                                                   \
	"mkdir -p src/include src/mm src/lib obj/mm obj/arch/x86/include/"    \
	"generated obj/include/config\n"                                      \
	"touch src/include/list.h src/mm/slab.c src/lib/never.c "             \
	"obj/arch/x86/include/generated/t.h\n"                                \
	"cat > obj/mm/.slab.o.cmd << END\n"                                   \
	"cmd_mm/slab.o := ccache gcc -include $PWD/src/include/kconfig.h "    \
	"-I./arch/x86/include/generated -c -o mm/slab.o $PWD/src/mm/slab.c\n" \
	"source_mm/slab.o := $PWD/src/mm/slab.c\n"                            \
	"deps_mm/slab.o := \\\\\n"                                            \
	"    \\$(wildcard include/config/SMP) \\\\\n"                         \
	"  $PWD/src/include/list.h \\\\\n"                                    \
	"  arch/x86/include/generated/t.h \\\\\n"                             \
	"END\n"                                                               \
	"echo \"x := gcc $PWD/src/include/list.h $PWD/src/include/list.h\" "  \
	"> obj/mm/.vmscan.o.cmd\n"                                            \
	"echo \"deps_config := $PWD/src/Kconfig mm/Kconfig.debug\" "          \
	"> obj/include/config/auto.conf.cmd\n"

static void every_file_that_was_read(void **state)
{
	(void)state;
	char dir[] = "/tmp/fb-inputs-XXXXXX";
	assert_non_null(mkdtemp(dir));
	shell(dir, OBJECTS_AND_SOURCES);
	fb_autofree char *objects = fb_strf("%s/obj", dir);
	fb_autofree char *sources = fb_strf("%s/src", dir);
	fb_autofree char *list = fb_strf("%s/inputs", dir);
	fb_autofree char *text = NULL;
	struct fb_error err = FB_ERROR_INIT;
	assert_ok(fb_inputs_write(objects, sources, list, &err), err);
	assert_ok(fb_file_read(list, 4096, &text, NULL, &err), err);
	assert_string_equal(text, "0 Kconfig\n"
				  "0 arch/\n"
				  "0 arch/x86/\n"
				  "0 arch/x86/include/\n"
				  "0 arch/x86/include/generated/\n"
				  "1 arch/x86/include/generated/t.h\n"
				  "0 include/\n"
				  "0 include/config/\n"
				  "1 include/kconfig.h\n"
				  "2 include/list.h\n"
				  "0 mm/\n"
				  "0 mm/Kconfig.debug\n"
				  "1 mm/slab.c\n");
	assert_int_equal(fb_inputs_write(objects, "/no/such", list, &err),
			 FB_E_MACHINE);
	fb_error_release(&err);
	assert_ok(fb_rm_rf(dir, &err), err);
}

/* The signature of what gcc makes of a text with these options. */
static char *signature_of(const char *dir, const char *source,
			  const char *options)
{
	fb_autofree char *script =
		fb_strf("cat > k.c << 'END'\n%s\nEND\n"
			"gcc -shared -nostdlib -fPIC %s -o k.elf k.c\n",
			source, options);
	fb_autofree char *elf = fb_strf("%s/k.elf", dir);
	struct fb_error err = FB_ERROR_INIT;
	char *hex = NULL;
	shell(dir, script);
	assert_ok(fb_kernel_signature(elf, &hex, &err), err);
	assert_int_equal(strlen(hex), 64);
	return hex;
}

#define TWENTY_BYTES "0123456789012345678901234567890123456789"

static void signatures_are_of_what_runs(void **state)
{
	(void)state;
	static const struct {
		const char *source, *options;
		bool same;
	} rows[] = {
		{ "int f(void) { return 1; }", "", true },
		{ "/* more */\nint f(void)\n{\n\treturn 1;\n}", "", true },
		{ "int f(void) { return 1; }", "-g", true },
		{ "int f(void) { return 1; }", "-Wl,--build-id=0x" TWENTY_BYTES,
		  true },
		{ "int f(void) { return 2; }", "", false },
		{ "int g(void) { return 1; }", "", false },
		{ "int f(void) { return 1; } int v[9];", "", false },
		{ "int f(void) { return 1; }", "-O2", false },
	};
	char dir[] = "/tmp/fb-signature-XXXXXX";
	assert_non_null(mkdtemp(dir));
	fb_autofree char *first = signature_of(dir, rows[0].source, "");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		fb_autofree char *other =
			signature_of(dir, rows[i].source, rows[i].options);
		if ((strcmp(first, other) == 0) != rows[i].same)
			fail_msg("row %zu is%s the same kernel", i,
				 rows[i].same ? " not" : "");
	}
	fb_autofree char *cut = fb_strf("%s/cut", dir);
	char *hex = NULL;
	struct fb_error err = FB_ERROR_INIT;
	shell(dir, "head -c 3000 k.elf > cut; cp k.c text");
	assert_int_equal(fb_kernel_signature(cut, &hex, &err), FB_E_MACHINE);
	assert_message(err, "ELF");
	fb_error_release(&err);
	assert_ok(fb_rm_rf(dir, &err), err);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(kernels_come_in_packages),
	cmocka_unit_test(packages_that_are_no_kernels),
	cmocka_unit_test(first_error_line),
	cmocka_unit_test(machine_faults_are_told_apart),
	cmocka_unit_test(lost_options),
	cmocka_unit_test(our_fragment_is_there),
	cmocka_unit_test(every_file_that_was_read),
	cmocka_unit_test(signatures_are_of_what_runs),
};

UNIT_MAIN(tests)
