#include "protocol/trace/trace_position.hpp"

#include <gtest/gtest.h>

#include <string>

namespace troupe::tests::trace_position_test {

using namespace protocol;

namespace {

const std::string some_trace = "0af7651916cd43dd8448eb211c80319c";
const std::string some_span = "b7ad6b7169203331";
const std::string some_parent = "00-" + some_trace + "-" + some_span + "-01";

std::string with_version(const std::string& version, const std::string& more = {}) {
  return version + some_parent.substr(2) + more;
}
std::string with_flags(const std::string& flags) { return some_parent.substr(0, 53) + flags; }

} // namespace

TEST(trace_position, reads_a_traceparent) {
  auto read = read_traceparent(some_parent);
  ASSERT_TRUE(read);
  EXPECT_EQ(
      *read,
      (trace_position{
          .high = 0x0af7651916cd43dd, .low = 0x8448eb211c80319c, .span = 0xb7ad6b7169203331, .is_sampled = true}));
  EXPECT_EQ(trace_id_text(*read), some_trace);
  EXPECT_EQ(span_id_text(read->span), some_span);
}

TEST(trace_position, writes_what_it_has_read) {
  for (auto flags : {"00", "01", "02", "03"})
    EXPECT_EQ(traceparent_text(*read_traceparent(with_flags(flags))), with_flags(flags));
}

TEST(trace_position, writes_ids_with_leading_zeros) {
  EXPECT_EQ(traceparent_text({.high = 0, .low = 1, .span = 0xab}),
            "00-00000000000000000000000000000001-00000000000000ab-00");
}

TEST(trace_position, drops_flags_that_version_00_does_not_know) {
  EXPECT_EQ(traceparent_text(*read_traceparent(with_flags("ff"))), with_flags("03"));
  EXPECT_EQ(traceparent_text(*read_traceparent(with_flags("fc"))), with_flags("00"));
}

TEST(trace_position, reads_newer_versions_by_what_version_00_has) {
  for (auto& text :
       {with_version("01"), with_version("fe"), with_version("cc", "-what-ever"), with_version("01", "-")}) {
    auto read = read_traceparent(text);
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(traceparent_text(*read), some_parent);
  }
}

TEST(trace_position, takes_nothing_else_for_a_traceparent) {
  const std::string zero_trace = "00-00000000000000000000000000000000-" + some_span + "-01";
  const std::string zero_span = "00-" + some_trace + "-0000000000000000-01";
  const std::string upper = "00-0AF7651916CD43DD8448EB211C80319C-" + some_span + "-01";
  for (auto& text : {std::string{},
                     std::string{"00"},
                     some_parent.substr(1),
                     some_parent.substr(0, 54),
                     some_parent + "-00",
                     some_parent + "0",
                     with_version("01", "x"),
                     with_version("ff"),
                     with_version("0x"),
                     with_version("0A"),
                     zero_trace,
                     zero_span,
                     upper,
                     with_flags("0g"),
                     with_flags("1"),
                     " " + some_parent,
                     some_parent + " ",
                     std::string(55, '-'),
                     "00_" + some_trace + "-" + some_span + "-01",
                     "00-" + some_trace + "+" + some_span + "-01"})
    EXPECT_FALSE(read_traceparent(text)) << text;
}

TEST(trace_position, passes_on_what_is_not_too_long_and_may_be_a_field) {
  EXPECT_EQ(passable(" a=1,b=2\t", longest_tracestate), "a=1,b=2");
  for (auto size : {longest_tracestate - 1, longest_tracestate})
    EXPECT_EQ(passable(std::string(size, 'a'), longest_tracestate).size(), size);
  EXPECT_EQ(passable(std::string(longest_tracestate + 1, 'a'), longest_tracestate), "");
  EXPECT_EQ(passable("a=1\r\nCookie: b", longest_tracestate), "");
  EXPECT_EQ(passable("a=\xc3\xa4", longest_tracestate), "");
}

} // namespace troupe::tests::trace_position_test
