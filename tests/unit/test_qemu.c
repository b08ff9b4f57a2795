/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What comes from a guest and from QEMU, good and hostile. */
#include <math.h>
#include <stdlib.h>

#include "collect.h"
#include "frame.h"
#include "qmp.h"
#include "unit.h"

/* zlib's crc32() of "123456789", the check value of CRC-32/ISO-HDLC. */
static void crc_check_value(void **state)
{
	(void)state;
	assert_int_equal(fb_crc32("123456789", 9), 0xcbf43926);
	assert_int_equal(fb_crc32("", 0), 0);
}

#define TOKEN "0123456789abcdef"

static void frame_round_trip(void **state)
{
	(void)state;
	char line[FB_FRAME_LINE_MAX];
	const char *json = "{\"type\":\"hello\"}";
	size_t n = fb_frame_format(line, TOKEN, 41, json);
	assert_true(n > 0);
	assert_int_equal(line[n - 1], '\n');
	unsigned seq = 0;
	char *body = NULL;
	line[n - 1] = '\0';
	assert_int_equal(fb_frame_parse(line, n - 1, TOKEN, &seq, &body),
			 FB_FRAME_OK);
	assert_int_equal(seq, 41);
	assert_string_equal(body, json);
}

static void frame_damage_is_seen(void **state)
{
	(void)state;
	char good[FB_FRAME_LINE_MAX], line[FB_FRAME_LINE_MAX], *body;
	unsigned seq;
	size_t n = fb_frame_format(good, TOKEN, 3, "{\"value\":12345}") - 1;
	good[n] = '\0';
	/* Every single byte changed, and every truncation. */
	for (size_t i = 0; i < n; i++) {
		memcpy(line, good, n + 1);
		line[i] ^= 1;
		enum fb_frame_status s =
			fb_frame_parse(line, n, TOKEN, &seq, &body);
		/* Only the sequence number may change unnoticed here. */
		if (s == FB_FRAME_OK)
			assert_int_not_equal(seq, 3);
		memcpy(line, good, n + 1);
		line[i] = '\0';
		assert_int_not_equal(
			fb_frame_parse(line, i, TOKEN, &seq, &body),
			FB_FRAME_OK);
	}
}

static void frame_of_other_token_is_foreign(void **state)
{
	(void)state;
	char line[FB_FRAME_LINE_MAX], *body;
	unsigned seq;
	size_t n = fb_frame_format(line, "fedcba9876543210", 0, "{}") - 1;
	line[n] = '\0';
	assert_int_equal(fb_frame_parse(line, n, TOKEN, &seq, &body),
			 FB_FRAME_FOREIGN);
}

/* A boot being collected, and the sequence number that is due. */
struct feed {
	struct fb_boot boot;
	struct fb_config cfg;
	struct fb_disk disks[2];
	struct fb_user_command command;
	struct fb_collect c;
	unsigned seq;
};

static void feed_init(struct feed *f)
{
	static char ahci0[] = "ahci0", ata0[] = "ata0", mine[] = "mine";
	memset(f, 0, sizeof(*f));
	f->disks[0].name = ahci0;
	f->disks[1].name = ata0;
	f->command.name = mine;
	f->cfg.disks = f->disks;
	f->cfg.n_disks = 2;
	f->cfg.commands = &f->command;
	f->cfg.n_commands = 1;
	fb_collect_init(&f->c, &f->boot, &f->cfg);
}

static void feed_release(struct feed *f)
{
	fb_strv_release(&f->command.figures);
	fb_collect_release(&f->c);
	fb_boot_release(&f->boot);
}

static enum fb_collect_event feed(struct feed *f, const char *json)
{
	char line[FB_FRAME_LINE_MAX];
	size_t n = fb_frame_format(line, f->c.token, f->seq++, json) - 1;
	line[n] = '\0';
	return fb_collect_line(&f->c, line, n, false);
}

#define W "ata0/hdparm.buffered_read"
#define BEGIN_AT(time) \
	"{\"type\":\"begin\",\"window\":\"" W "\",\"time\":" time "}"
#define BEGIN BEGIN_AT("1")
#define END                                                               \
	"{\"type\":\"end\",\"window\":\"" W "\",\"seconds\":2,\"bytes\":" \
	"409600,\"from_disk\":409600}"

/*
 * The host's side of a window of 2.5 s that begins at `time`, in which ata0
 * did what is said.
 */
static void host_window_at(struct feed *f, double time, double operations,
			   double bytes, double instructions,
			   enum fb_collect_event expect)
{
	struct fb_blockstats a[2] = {
		{ .device = "ahci0" }, { .device = "ata0", .rd_operations = 10 }
	};
	struct fb_blockstats b[2] = { { .device = "ahci0" },
				      { .device = "ata0",
					.rd_operations = 10 + operations,
					.rd_bytes = bytes } };
	struct fb_border before = { .time = time,
				    .disks = a,
				    .instructions = 1000 },
			 after = { .time = time + 2.5,
				   .disks = b,
				   .instructions = 1000 + instructions };
	assert_int_equal(fb_collect_host(&f->c, &before, &after), expect);
}

static void host_window(struct feed *f, double operations, double bytes,
			double instructions, enum fb_collect_event expect)
{
	host_window_at(f, 1, operations, bytes, instructions, expect);
}

static void collect_whole_boot(void **state)
{
	(void)state;
	struct feed f;
	double v;
	feed_init(&f);
	char kernel_text[] = "random: crng init done";
	assert_int_equal(
		fb_collect_line(&f.c, kernel_text, strlen(kernel_text), false),
		FB_COLLECT_NOTHING);
	assert_int_equal(feed(&f, "{\"type\":\"hello\"}"), FB_COLLECT_HELLO);
	assert_int_equal(feed(&f, BEGIN), FB_COLLECT_BEGIN);
	assert_int_equal(feed(&f, END), FB_COLLECT_END);
	/* The disk delivered what was claimed, in 100 requests of 4 KiB. */
	host_window(&f, 100, 409600, 2000000, FB_COLLECT_NOTHING);
	assert_int_equal(feed(&f, "{\"type\":\"evidence\",\"window\":\"" W
				  "\",\"source\":\"stat\",\"values\":"
				  "{\"user_ticks\":3,\"idle_ticks\":4}}"),
			 FB_COLLECT_NOTHING);
	assert_int_equal(feed(&f, "{\"type\":\"sample\",\"window\":\"" W
				  "\",\"metric\":\"" W "\",\"value\":78.5}"),
			 FB_COLLECT_NOTHING);
	assert_int_equal(feed(&f, "{\"type\":\"vmstat\",\"window\":\"" W
				  "\",\"at\":1,\"values\":[1,2,3,4,5,6,7,8,9,"
				  "10,11,12,13,14,15,16,17]}"),
			 FB_COLLECT_NOTHING);
	assert_int_equal(feed(&f, "{\"type\":\"histogram\",\"window\":\"" W
				  "\",\"operation\":\"read\",\"buckets\":"
				  "[0,8,1,16,17,5]}"),
			 FB_COLLECT_NOTHING);
	assert_int_equal(feed(&f, "{\"type\":\"setting\",\"subject\":"
				  "\"ata0/disk\",\"key\":\"scheduler\","
				  "\"value\":\"[none]\"}"),
			 FB_COLLECT_NOTHING);
	assert_int_equal(feed(&f, "{\"type\":\"done\"}"), FB_COLLECT_DONE);
	f.boot.outcome = FB_OUTCOME_MEASURED;
	assert_true(fb_boot_metric(&f.boot, W, &v));
	assert_true(v == 78.5);
	assert_true(fb_boot_metric(&f.boot, W ".host_request_kib", &v));
	assert_true(v == 4);
	/* 2,000,000 instructions for 400 KiB. */
	assert_true(fb_boot_metric(&f.boot, W ".instructions_per_mib", &v));
	assert_true(v == 2000000 / (409600. / 1048576));
	assert_int_equal(f.boot.n_timeline, 1);
	assert_true(f.boot.timeline[0].v[16] == 17);
	assert_int_equal(f.boot.n_buckets, 2);
	assert_true(f.boot.buckets[1].count == 5);
	assert_string_equal(f.boot.settings[0].value, "[none]");
	/* Partial figures are there to be seen, not to be taken for one. */
	fb_boot_fail(&f.boot, FB_OUTCOME_PANIC, "late");
	assert_false(fb_boot_metric(&f.boot, W, &v));
	assert_true(f.boot.n_samples > 0);
	feed_release(&f);
}

static double evidence_of(const struct fb_boot *b, const char *window,
			  const char *key)
{
	for (size_t i = 0; i < b->n_evidence; i++)
		if (strcmp(b->evidence[i].window, window) == 0 &&
		    strcmp(b->evidence[i].key, key) == 0)
			return b->evidence[i].value;
	return NAN;
}

/* Both clocks, from where the first window begins to where the last does. */
static void collect_spans(void **state)
{
	(void)state;
	struct feed f;
	feed_init(&f);
	feed(&f, "{\"type\":\"hello\"}");
	feed(&f, BEGIN_AT("0.5"));
	feed(&f, END);
	host_window_at(&f, 10, 100, 409600, 0, FB_COLLECT_NOTHING);
	feed(&f, BEGIN_AT("11"));
	feed(&f, END);
	host_window_at(&f, 20, 100, 409600, 0, FB_COLLECT_NOTHING);
	assert_int_equal(feed(&f, "{\"type\":\"done\"}"), FB_COLLECT_DONE);
	assert_true(evidence_of(&f.boot, "boot", "guest_span") == 10.5);
	assert_true(evidence_of(&f.boot, "boot", "host_span") == 10);
	feed_release(&f);
	/* One window has no span. */
	feed_init(&f);
	feed(&f, "{\"type\":\"hello\"}");
	feed(&f, BEGIN);
	feed(&f, END);
	host_window(&f, 100, 409600, 0, FB_COLLECT_NOTHING);
	feed(&f, "{\"type\":\"done\"}");
	assert_true(isnan(evidence_of(&f.boot, "boot", "host_span")));
	feed_release(&f);
}

/* A guest that claims more than QEMU's disk delivered is not believed. */
static void collect_checks_claims(void **state)
{
	(void)state;
	struct feed f;
	feed_init(&f);
	feed(&f, "{\"type\":\"hello\"}");
	feed(&f, BEGIN);
	feed(&f, END);
	host_window(&f, 100, 409600 * 97 / 100, 0, FB_COLLECT_DAMAGED);
	assert_non_null(strstr(f.c.error, "delivered"));
	feed_release(&f);
}

#define OUTPUT(text) \
	"{\"type\":\"output\",\"window\":\"ata0/mine\",\"text\":\"" text "\"}"
#define COMMAND "{\"type\":\"command\",\"window\":\"ata0/mine\"}"

static void collect_command_lines(void **state)
{
	(void)state;
	struct feed f;
	double v;
	feed_init(&f);
	feed(&f, "{\"type\":\"hello\"}");
	feed(&f, OUTPUT("talk\\nspeed=1"));
	feed(&f, OUTPUT("2.5\\nbad name=3\\n"));
	assert_int_equal(feed(&f, COMMAND), FB_COLLECT_NOTHING);
	f.boot.outcome = FB_OUTCOME_MEASURED;
	assert_true(fb_boot_metric(&f.boot, "ata0/mine.speed", &v));
	assert_true(v == 12.5);
	assert_int_equal(f.boot.n_samples, 1);
	assert_int_equal(feed(&f, OUTPUT("nothing here")), FB_COLLECT_NOTHING);
	assert_int_equal(feed(&f, COMMAND), FB_COLLECT_FAILED);
	assert_int_equal(feed(&f, "{\"type\":\"done\"}"), FB_COLLECT_NOTHING);
	assert_false(f.c.done);
	feed_release(&f);
}

static void collect_command_json(void **state)
{
	(void)state;
	struct feed f;
	double v;
	feed_init(&f);
	fb_strv_add(&f.command.figures, "iops=/jobs/1/read/iops");
	fb_strv_add(&f.command.figures, "odd=/a~1b/m~0n");
	feed(&f, "{\"type\":\"hello\"}");
	feed(&f, OUTPUT("fio says\\n{\\\"jobs\\\": [{}, {\\\"read\\\": "
			"{\\\"iops\\\": "
			"190.5}}], \\\"a/b\\\": {\\\"m~n\\\": 7}}"));
	assert_int_equal(feed(&f, COMMAND), FB_COLLECT_NOTHING);
	f.boot.outcome = FB_OUTCOME_MEASURED;
	assert_true(fb_boot_metric(&f.boot, "ata0/mine.iops", &v));
	assert_true(v == 190.5);
	assert_true(fb_boot_metric(&f.boot, "ata0/mine.odd", &v));
	assert_true(v == 7);
	feed(&f, OUTPUT("{\\\"jobs\\\": []}"));
	assert_int_equal(feed(&f, COMMAND), FB_COLLECT_FAILED);
	assert_int_equal(feed(&f, "{\"type\":\"done\"}"), FB_COLLECT_NOTHING);
	assert_false(f.c.done);
	feed_release(&f);
}

/* Feeds hello and then one line that must spoil the boot. */
static void spoils(const char *json, const char *why)
{
	struct feed f;
	feed_init(&f);
	feed(&f, "{\"type\":\"hello\"}");
	assert_int_equal(feed(&f, json), FB_COLLECT_DAMAGED);
	assert_true(f.c.damaged);
	if (!strstr(f.c.error, why))
		fail_msg("\"%s\" lacks \"%s\"", f.c.error, why);
	feed_release(&f);
}

static void collect_refuses_nonsense(void **state)
{
	(void)state;
	spoils("{\"type\":\"sample\",\"window\":\"a\",\"metric\":\"a\","
	       "\"value\":\"x\"}",
	       "not a number");
	spoils("{\"type\":\"sample\",\"metric\":\"a b\",\"value\":1}",
	       "without a metric");
	spoils("{\"type\":\"sample\",\"metric\":\"'; DROP\",\"value\":1}",
	       "without a metric");
	spoils("{\"type\":\"sample\",\"value\":1}", "without a metric");
	spoils("{\"type\":\"end\",\"window\":\"x\",\"seconds\":1}", "not open");
	spoils("{\"type\":\"surprise\"}", "unknown type");
	spoils("not json", "not JSON");
	spoils("[1]", "not JSON");
	spoils("{}", "without a type");
	spoils("{\"type\":\"evidence\",\"window\":\"w\",\"value\":1}",
	       "without a name");
	spoils("{\"type\":\"evidence\",\"window\":\"w\",\"source\":\"s\","
	       "\"values\":{\"k\":\"1\"}}",
	       "not a number");
	spoils("{\"type\":\"vmstat\",\"window\":\"w\",\"at\":1,\"values\":"
	       "[1,2]}",
	       "no row");
	spoils("{\"type\":\"histogram\",\"window\":\"w\",\"operation\":"
	       "\"read\",\"buckets\":[1,2]}",
	       "histogram");
	spoils("{\"type\":\"setting\",\"subject\":\"s\",\"key\":\"k\"}",
	       "setting");
	spoils("{\"type\":\"command\",\"window\":\"other\"}", "not asked for");
}

static void collect_sees_missing_line(void **state)
{
	(void)state;
	struct feed f;
	feed_init(&f);
	feed(&f, "{\"type\":\"hello\"}");
	f.seq++;
	assert_int_equal(feed(&f, "{\"type\":\"done\"}"), FB_COLLECT_DAMAGED);
	assert_false(f.c.done);
	feed_release(&f);
}

static void collect_sees_torn_line(void **state)
{
	(void)state;
	struct feed f;
	char line[FB_FRAME_LINE_MAX] = "half a li";
	feed_init(&f);
	feed(&f, "{\"type\":\"hello\"}");
	size_t n = fb_frame_format(line + 9, f.c.token, f.seq,
				   "{\"type\":\"done\"}") -
		   1;
	line[9 + n] = '\0';
	assert_int_equal(fb_collect_line(&f.c, line, 9 + n, false),
			 FB_COLLECT_DAMAGED);
	feed_release(&f);
}

static void collect_needs_hello_first(void **state)
{
	(void)state;
	struct feed f;
	feed_init(&f);
	assert_int_equal(feed(&f, "{\"type\":\"done\"}"), FB_COLLECT_DAMAGED);
	feed_release(&f);
}

static void collect_bounds_values(void **state)
{
	(void)state;
	struct feed f;
	enum fb_collect_event e = FB_COLLECT_NOTHING;
	feed_init(&f);
	feed(&f, "{\"type\":\"hello\"}");
	int i;
	for (i = 0; i < 100000 && e == FB_COLLECT_NOTHING; i++) {
		char json[96];
		snprintf(json, sizeof(json),
			 "{\"type\":\"sample\",\"window\":\"w\","
			 "\"metric\":\"a%d\","
			 "\"value\":1}",
			 i);
		e = feed(&f, json);
	}
	assert_int_equal(e, FB_COLLECT_DAMAGED);
	assert_true(i < 5000);
	feed_release(&f);
}

struct seen {
	char sent[4096];
	struct fb_blockstats stats[16];
	size_t n_stats;
	double instructions;
	char event[64], broken[128];
};

static void on_send(void *data, const char *text, size_t len)
{
	struct seen *s = data;
	strncat(s->sent, text, len);
}

static void on_stats(void *data, const struct fb_blockstats *stats, size_t n,
		     double instructions)
{
	struct seen *s = data;
	memcpy(s->stats, stats, n * sizeof(*stats));
	s->n_stats = n;
	s->instructions = instructions;
}

static void on_event(void *data, const char *name, const cJSON *info)
{
	struct seen *s = data;
	(void)info;
	snprintf(s->event, sizeof(s->event), "%s", name);
}

static void on_broken(void *data, const char *why)
{
	struct seen *s = data;
	snprintf(s->broken, sizeof(s->broken), "%s", why);
}

static void qmp_start(struct fb_qmp *q, struct seen *s)
{
	memset(s, 0, sizeof(*s));
	*q = (struct fb_qmp){ .send = on_send,
			      .stats = on_stats,
			      .event = on_event,
			      .broken = on_broken,
			      .data = s };
	fb_qmp_init(q);
}

static void say(struct fb_qmp *q, const char *text)
{
	fb_qmp_feed(q, text, strlen(text));
}

/* Lines as QEMU 7.2 sends them. */
static void qmp_conversation(void **state)
{
	(void)state;
	struct fb_qmp q;
	struct seen s;
	qmp_start(&q, &s);
	fb_qmp_query(&q);
	assert_string_equal(s.sent, "");
	say(&q, "{\"QMP\": {\"version\": {\"qemu\": {\"micro\": 22, "
		"\"minor\": 2, \"major\": 7}}, \"capabilities\": "
		"[\"oob\"]}}\r\n");
	assert_non_null(strstr(s.sent, "qmp_capabilities"));
	assert_null(strstr(s.sent, "query-blockstats"));
	say(&q, "{\"return\": {}, \"id\": \"hello\"}\r\n");
	assert_non_null(strstr(s.sent, "query-blockstats"));
	say(&q, "{\"return\": {\"mode\": \"none\", \"icount\": 123456}, "
		"\"id\": \"replay\"}\r\n");
	say(&q, "{\"return\": [{\"device\": \"ahci0\", \"stats\": "
		"{\"rd_bytes\": 409600, \"rd_operations\": 100, "
		"\"wr_bytes\": 0, \"rd_total_time_ns\": 77}, \"qdev\": "
		"\"/machine\"}, {\"device\": \"\"}], \"id\": "
		"\"blockstats\"}\r\n");
	assert_int_equal(s.n_stats, 1);
	assert_true(s.instructions == 123456);
	assert_string_equal(s.stats[0].device, "ahci0");
	assert_true(s.stats[0].rd_bytes == 409600);
	assert_true(s.stats[0].rd_time_ns == 77);
	say(&q, "{\"timestamp\": {\"seconds\": 1}, \"event\": \"SHUTDOWN\", "
		"\"data\": {\"guest\": true, \"reason\": "
		"\"guest-reset\"}}\r\n");
	assert_string_equal(s.event, "SHUTDOWN");
	assert_string_equal(s.broken, "");
	fb_qmp_release(&q);
}

static void qmp_garbage_is_reported_once(void **state)
{
	(void)state;
	struct fb_qmp q;
	struct seen s;
	qmp_start(&q, &s);
	say(&q, "hello?\n");
	assert_string_equal(s.broken, "not a QMP message");
	s.broken[0] = '\0';
	say(&q, "again\n{\"event\": \"SHUTDOWN\"}\n");
	assert_string_equal(s.broken, "");
	assert_string_equal(s.event, "");
	fb_qmp_release(&q);
	qmp_start(&q, &s);
	say(&q, "{\"error\": {\"class\": \"GenericError\", \"desc\": "
		"\"no\"}}\n");
	assert_string_equal(s.broken, "no");
	fb_qmp_release(&q);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(crc_check_value),
	cmocka_unit_test(frame_round_trip),
	cmocka_unit_test(frame_damage_is_seen),
	cmocka_unit_test(frame_of_other_token_is_foreign),
	cmocka_unit_test(collect_whole_boot),
	cmocka_unit_test(collect_spans),
	cmocka_unit_test(collect_checks_claims),
	cmocka_unit_test(collect_command_lines),
	cmocka_unit_test(collect_command_json),
	cmocka_unit_test(collect_refuses_nonsense),
	cmocka_unit_test(collect_sees_missing_line),
	cmocka_unit_test(collect_sees_torn_line),
	cmocka_unit_test(collect_needs_hello_first),
	cmocka_unit_test(collect_bounds_values),
	cmocka_unit_test(qmp_conversation),
	cmocka_unit_test(qmp_garbage_is_reported_once),
};

UNIT_MAIN(tests)
