#include "protocol/text/sse.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::tests::sse_test {

using namespace protocol;
using namespace std::chrono_literals;
using namespace std::string_view_literals;

namespace {

using events = std::vector<event>;

constexpr std::size_t plenty = 1 << 20;

event message(std::string data) { return {.type = "message", .data = std::move(data)}; }

event with_id(std::string id, std::string data) {
  return {.id = std::move(id), .type = "message", .data = std::move(data)};
}

/// The output of a decoder, in order, and its state at the end.
struct journal {
  events seen;
  std::string last_event_id;
  std::optional<std::chrono::milliseconds> retry;
  bool overflowed = false;
  friend bool operator==(const journal&, const journal&) = default;
};

journal fed(std::size_t limit, const std::vector<std::string_view>& pieces) {
  sse_decoder decoder{limit};
  journal result;
  for (auto piece : pieces)
    for (auto& e : decoder.feed(piece))
      result.seen.push_back(std::move(e));
  result.last_event_id = decoder.last_event_id();
  result.retry = decoder.retry();
  result.overflowed = decoder.overflowed();
  return result;
}

events decoded(std::string_view bytes) { return fed(plenty, {bytes}).seen; }

} // namespace

// -- encoding ---------------------------------------------------------------

TEST(sse_encode, writes_a_message_as_streamable_http_wants_it) {
  EXPECT_EQ(encode({.id = "0-7", .type = "message", .data = "{}"}), "event: message\nid: 0-7\ndata: {}\n\n");
}

TEST(sse_encode, leaves_out_what_is_not_there) { EXPECT_EQ(encode({.data = "hi"}), "data: hi\n\n"); }

TEST(sse_encode, writes_a_priming_event_with_an_empty_data_field) {
  EXPECT_EQ(encode({.id = "1-0"}), "id: 1-0\ndata:\n\n");
}

TEST(sse_encode, writes_retry_in_milliseconds_before_the_data) {
  EXPECT_EQ(encode({.id = "1-0", .retry = 3s}), "id: 1-0\nretry: 3000\ndata:\n\n");
}

TEST(sse_encode, takes_an_id_back_with_an_empty_one) { EXPECT_EQ(encode({.id = "", .data = "a"}), "id:\ndata: a\n\n"); }

TEST(sse_encode, writes_a_data_line_for_every_LF_CR_and_CRLF) {
  EXPECT_EQ(encode({.data = "a\nb\rc\r\nd"}), "data: a\ndata: b\ndata: c\ndata: d\n\n");
  EXPECT_EQ(encode({.data = "\n\r\r\n"}), "data:\ndata:\ndata:\ndata:\n\n");
}

TEST(sse_encode, is_undone_by_the_decoder) {
  for (auto data : {"{}", " two leading spaces", "a\nb", "\n", "a\n\n", ":", "data: x", "ä", "\xEF\xBB\xBFx"}) {
    event e{.id = "3-1", .type = "endpoint", .data = data, .retry = 5ms};
    EXPECT_EQ(decoded(encode(e)), events{e}) << data;
  }
}

TEST(sse_encode, asserts_that_no_id_or_type_breaks_out_of_its_line) {
  EXPECT_DEBUG_DEATH(encode({.id = "a\nb"}), "");
  EXPECT_DEBUG_DEATH(encode({.id = "a\rb"}), "");
  EXPECT_DEBUG_DEATH(encode({.id = std::string{"a\0b"sv}}), "");
  EXPECT_DEBUG_DEATH(encode({.type = "a\nb"}), "");
}

TEST(sse_comment, is_a_colon_its_text_and_a_blank_line) {
  EXPECT_EQ(comment("keepalive"), ": keepalive\n\n");
  EXPECT_EQ(comment(""), ":\n\n");
}

TEST(sse_comment, never_becomes_an_event) {
  EXPECT_EQ(comment("a\r\ndata: b\rdata: c"), ": a\n: data: b\n: data: c\n\n");
  EXPECT_EQ(decoded(comment("a\r\ndata: b\rdata: c")), events{});
}

// -- the fields of an event -------------------------------------------------

TEST(sse_decoder, calls_an_event_without_a_type_message) { EXPECT_EQ(decoded("data: hi\n\n"), events{message("hi")}); }

TEST(sse_decoder, forgets_the_type_after_each_event) {
  EXPECT_EQ(decoded("event: endpoint\ndata: /m\n\nevent: lost\n\ndata: hi\n\n"),
            (events{{.type = "endpoint", .data = "/m"}, message("hi")}));
}

TEST(sse_decoder, joins_data_lines_with_LF) {
  EXPECT_EQ(decoded("data: a\ndata: b\ndata\ndata: c\n\n"), events{message("a\nb\n\nc")});
  EXPECT_EQ(decoded("data\ndata\n\n"), events{message("\n")});
}

TEST(sse_decoder, drops_one_space_after_the_colon) {
  EXPECT_EQ(decoded("data:a\n\ndata: b\n\ndata:  c\n\ndata:\td\n\n"),
            (events{message("a"), message("b"), message(" c"), message("\td")}));
}

TEST(sse_decoder, splits_a_line_at_its_first_colon) {
  EXPECT_EQ(decoded("data: {\"a\": 1}\n\ndata::\n\n"), (events{message("{\"a\": 1}"), message(":")}));
}

TEST(sse_decoder, ignores_comments_and_unknown_fields) {
  EXPECT_EQ(decoded(":\r\n: keepalive\n\n:data: a\ndata: b\nDATA: c\n data: d\ndata : e\nfoo\nfoo: bar\n\n"),
            events{message("b")});
}

TEST(sse_decoder, does_not_return_an_event_without_data) {
  EXPECT_EQ(decoded("\n\n\nevent: message\n\ndata\n\ndata:\n\ndata: \n\nevent: x\ndata:\n\n"), events{});
}

TEST(sse_decoder, loses_the_event_that_the_end_cuts_off) {
  EXPECT_EQ(fed(plenty, {"id: 1\ndata: a\n\nid: 2\ndata: b\n"}), (journal{{with_id("1", "a")}, "1", {}}));
}

TEST(sse_decoder, skips_a_byte_order_mark_at_the_start_only) {
  EXPECT_EQ(decoded("\xEF\xBB\xBF"
                    "data: a\n\n\xEF\xBB\xBF"
                    "data: b\n\n"),
            events{message("a")});
  EXPECT_EQ(decoded("\xEF\xBB\xBF\n\xEF\xBB\xBF"
                    "data: a\n\n"),
            events{});
}

TEST(sse_decoder, follows_the_examples_of_the_html_standard) {
  EXPECT_EQ(decoded("data: YHOO\ndata: +2\ndata: 10\n\n"), events{message("YHOO\n+2\n10")});
  EXPECT_EQ(fed(plenty, {": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n"
                         "\n"}),
            (journal{{with_id("1", "first event"), with_id("", "second event"), message(" third event")}, "", {}}));
  EXPECT_EQ(decoded("data\n\ndata\ndata\n\ndata:"), events{message("\n")});
}

// -- line ends --------------------------------------------------------------

TEST(sse_decoder, ends_lines_with_LF_CR_and_CRLF) {
  EXPECT_EQ(decoded("data: a\ndata: b\n\n"), events{message("a\nb")});
  EXPECT_EQ(decoded("data: a\rdata: b\r\r"), events{message("a\nb")});
  EXPECT_EQ(decoded("data: a\r\ndata: b\r\n\r\n"), events{message("a\nb")});
  EXPECT_EQ(decoded("data: a\r\ndata: b\rdata: c\n\r"), events{message("a\nb\nc")});
}

TEST(sse_decoder, does_not_wait_for_the_LF_of_a_CRLF) {
  sse_decoder decoder{plenty};
  EXPECT_EQ(decoder.feed("data: a\r\n\r"), events{message("a")});
  EXPECT_EQ(decoder.feed("\n"), events{});
  EXPECT_EQ(decoder.feed("data: b\r"), events{});
  EXPECT_EQ(decoder.feed(""), events{});
  EXPECT_EQ(decoder.feed("\ndata: c\n\n"), events{message("b\nc")});
}

TEST(sse_decoder, gives_the_same_wherever_the_input_is_split) {
  constexpr auto input = "\xEF\xBB\xBFretry: 20\r\n: hi\r\rid: 1\r\ndata: a\r\ndata\r\n\r\nevent: x\rdata:b\r\rid:\n"
                         "data: \xC3\xA4\n\n\nid: 2\nfoo\n\ndata: end\n"sv;
  for (std::size_t limit : {9u, 12u, 16u, 17u, 1000u}) {
    auto whole = fed(limit, {input});
    for (std::size_t i = 0; i <= input.size(); ++i)
      for (std::size_t j = i; j <= input.size(); ++j)
        ASSERT_EQ(fed(limit, {input.substr(0, i), input.substr(i, j - i), input.substr(j)}), whole) << i << ' ' << j;
  }
}

TEST(sse_decoder, puts_a_long_event_together_from_single_bytes) {
  auto e = with_id("9", std::string(100'000, 'x') + "\n\n" + std::string(100'000, 'y'));
  sse_decoder decoder{plenty};
  events seen;
  for (auto byte : encode(e))
    for (auto& one : decoder.feed({&byte, 1}))
      seen.push_back(std::move(one));
  EXPECT_EQ(seen, events{e});
}

// -- ids --------------------------------------------------------------------

TEST(sse_decoder, gives_an_event_only_the_id_that_it_carries_itself) {
  EXPECT_EQ(fed(plenty, {"id: 1\ndata: a\n\ndata: b\n\n"}), (journal{{with_id("1", "a"), message("b")}, "1", {}}));
}

TEST(sse_decoder, resumes_after_the_id_of_an_event_without_data) {
  EXPECT_EQ(fed(plenty, {"id: 1\ndata: a\n\nid: 2\ndata:\n\nid: 3\n\n"}), (journal{{with_id("1", "a")}, "3", {}}));
}

TEST(sse_decoder, does_not_resume_after_an_event_that_is_not_complete) {
  sse_decoder decoder{plenty};
  decoder.feed("id: 1\n\nid: 2\ndata: a\n");
  EXPECT_EQ(decoder.last_event_id(), "1");
  decoder.feed("\n");
  EXPECT_EQ(decoder.last_event_id(), "2");
}

TEST(sse_decoder, forgets_the_id_when_an_empty_one_takes_it_back) {
  EXPECT_EQ(fed(plenty, {"id: 1\n\nid\ndata: a\n\n"}), (journal{{with_id("", "a")}, "", {}}));
}

TEST(sse_decoder, ignores_an_id_with_NUL) {
  EXPECT_EQ(fed(plenty, {"id: 1\n\nid: 2\0\ndata: a\n\n"sv}), (journal{{message("a")}, "1", {}}));
}

TEST(sse_decoder, takes_the_last_of_several_ids) {
  EXPECT_EQ(fed(plenty, {"id: 1\nid: 2\ndata: a\n\n"}), (journal{{with_id("2", "a")}, "2", {}}));
}

// -- retry ------------------------------------------------------------------

TEST(sse_decoder, reports_a_retry_with_its_event_and_without) {
  EXPECT_EQ(fed(plenty, {"retry: 100\ndata: a\n\n"}),
            (journal{{{.type = "message", .data = "a", .retry = 100ms}}, "", 100ms}));
  EXPECT_EQ(fed(plenty, {"retry: 3000\n\ndata: a\n\n"}), (journal{{message("a")}, "", 3s}));
  EXPECT_EQ(fed(plenty, {"retry: 0\nid: 1\ndata:\n\n"}), (journal{{}, "1", 0ms}));
}

TEST(sse_decoder, takes_only_digits_for_a_retry) {
  for (auto bad : {"", "-1", "+1", "1s", "1.5", "0x1", "1 ", "  1", "soon"})
    EXPECT_EQ(fed(plenty, {"retry: 7\n\nretry: ", bad, "\ndata: a\n\n"}), (journal{{message("a")}, "", 7ms})) << bad;
}

TEST(sse_decoder, takes_a_retry_of_more_than_a_day_for_a_day) {
  EXPECT_EQ(fed(plenty, {"retry: 86399999\n"}).retry, 24h - 1ms);
  EXPECT_EQ(fed(plenty, {"retry: 86400000\n"}).retry, 24h);
  EXPECT_EQ(fed(plenty, {"retry: 86400001\n"}).retry, 24h);
  EXPECT_EQ(fed(plenty, {"retry: 9223372036854775807\n"}).retry, 24h);
  EXPECT_EQ(fed(plenty, {"retry: 99999999999999999999999\n"}).retry, 24h);
}

// -- the limit --------------------------------------------------------------

TEST(sse_decoder, returns_an_event_up_to_its_limit_and_overflows_above) {
  constexpr auto of_sixteen = "id: 12\ndata: abcd\n\n"sv;
  EXPECT_EQ(fed(17, {of_sixteen}), (journal{{with_id("12", "abcd")}, "12", {}, false}));
  EXPECT_EQ(fed(16, {of_sixteen}), (journal{{with_id("12", "abcd")}, "12", {}, false}));
  EXPECT_EQ(fed(15, {of_sixteen}), (journal{{}, "", {}, true}));
}

TEST(sse_decoder, overflows_before_the_event_has_ended) {
  sse_decoder decoder{9};
  decoder.feed("data: abc");
  EXPECT_FALSE(decoder.overflowed());
  decoder.feed("d");
  EXPECT_TRUE(decoder.overflowed());
}

TEST(sse_decoder, returns_the_events_before_the_overflow_and_none_after) {
  sse_decoder decoder{8};
  EXPECT_EQ(decoder.feed("id:1\n\ndata: a\n\ndata: too long\n\ndata: b\n\n"), events{message("a")});
  EXPECT_TRUE(decoder.overflowed());
  EXPECT_EQ(decoder.feed("id:2\ndata: c\n\n"), events{});
  EXPECT_EQ(decoder.last_event_id(), "1");
}

TEST(sse_decoder, skips_only_the_event_that_is_too_long_if_it_may) {
  for (std::string_view line_break : {"\n", "\r", "\r\n"}) {
    std::string input;
    for (auto line : {"data: 1234", "", "data: 12345", "data: 6", "", "event: x", "data: 1", "data: 2345678901", "",
                      "data: last", ""})
      (input += line) += line_break;
    for (std::size_t i = 0; i <= input.size(); ++i)
      for (std::size_t j = i; j <= input.size(); ++j) {
        sse_decoder decoder{10, true};
        std::string seen;
        for (auto piece : {input.substr(0, i), input.substr(i, j - i), input.substr(j)})
          for (auto& one : decoder.feed(piece))
            seen += one.data + ' ';
        EXPECT_EQ(seen, "1234 last ");
        auto skipped = decoder.take_skipped();
        ASSERT_EQ(skipped.size(), 2u) << i << ' ' << j;
        EXPECT_TRUE(skipped[0].head.starts_with(" 12345")) << skipped[0].head;
        EXPECT_TRUE(skipped[1].tail.ends_with("2345678901")) << skipped[1].tail;
        EXPECT_FALSE(decoder.overflowed());
      }
  }
}

TEST(sse_decoder, counts_empty_data_lines) {
  EXPECT_EQ(fed(12, {"data\ndata\ndata\n\n"}), (journal{{message("\n\n")}, "", {}, false}));
  EXPECT_EQ(fed(12, {"data\ndata\ndata\ndata\n\n"}), (journal{{}, "", {}, true}));
}

TEST(sse_decoder, survives_any_number_of_comments_and_bounds_each) {
  sse_decoder decoder{12};
  for (int i = 0; i < 10'000; ++i)
    ASSERT_EQ(decoder.feed(": keepalive\r\nfoo: bar\n"), events{});
  EXPECT_EQ(decoder.feed("data: abcdef\n\n"), events{message("abcdef")});
  EXPECT_FALSE(decoder.overflowed());
  decoder.feed(": more than that");
  EXPECT_TRUE(decoder.overflowed());
}

TEST(sse_decoder, is_linear_in_what_a_peer_sends_of_one_line_end) {
  std::string input(4'000'000, '\n');
  EXPECT_EQ(decoded(input), events{});
  input.assign(4'000'000, '\r');
  EXPECT_EQ(decoded(input), events{});
  EXPECT_EQ(decoded(encode({.data = std::string(100'000, '\n')})), events{message(std::string(100'000, '\n'))});
}

} // namespace troupe::tests::sse_test
