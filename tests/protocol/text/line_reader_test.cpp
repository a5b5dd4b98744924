#include "protocol/text/line_reader.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::tests::line_reader_test {

using namespace protocol;

namespace {

using lines = std::vector<std::string>;

/// The output of a reader, in order, and its end.
struct journal {
  lines seen;
  bool overflowed = false;
  std::vector<skipped_line> skipped = {};
  friend bool operator==(const journal&, const journal&) = default;
};

journal fed(line_reader reader, const std::vector<std::string_view>& pieces) {
  journal result;
  for (auto piece : pieces)
    for (auto& line : reader.feed(piece))
      result.seen.push_back(std::move(line));
  if (auto line = reader.finish())
    result.seen.push_back(std::move(*line));
  result.overflowed = reader.overflowed();
  result.skipped = reader.take_skipped();
  return result;
}

/// Expects that every split of the input into three gives the same result as the whole.
void expect_same_at_every_split(const line_reader& reader, std::string_view input) {
  auto whole = fed(reader, {input});
  for (std::size_t i = 0; i <= input.size(); ++i)
    for (std::size_t j = i; j <= input.size(); ++j)
      ASSERT_EQ(fed(reader, {input.substr(0, i), input.substr(i, j - i), input.substr(j)}), whole) << i << ' ' << j;
}

line_reader strict(std::size_t limit) { return line_reader{limit}; }

line_reader tolerant(std::size_t limit) { return line_reader{limit, overflow::truncate}; }

line_reader skipping(std::size_t limit) { return line_reader{limit, overflow::skip}; }

} // namespace

// -- lines ------------------------------------------------------------------

TEST(line_reader, returns_the_lines_that_LF_ends) { EXPECT_EQ(strict(9).feed("one\ntwo\nthr"), (lines{"one", "two"})); }

TEST(line_reader, keeps_a_partial_line_until_its_end_arrives) {
  auto reader = strict(9);
  EXPECT_EQ(reader.feed("o"), lines{});
  EXPECT_EQ(reader.feed("n"), lines{});
  EXPECT_EQ(reader.feed("e\ntw"), lines{"one"});
  EXPECT_EQ(reader.feed(""), lines{});
  EXPECT_EQ(reader.feed("o\n"), lines{"two"});
}

TEST(line_reader, drops_one_CR_before_LF_and_keeps_all_others) {
  EXPECT_EQ(strict(9).feed("one\r\nt\rwo\n\rthree\r\r\n"), (lines{"one", "t\rwo", "\rthree\r"}));
}

TEST(line_reader, skips_blank_lines) { EXPECT_EQ(strict(9).feed("\n\r\none\n\n\r\n\ntwo\n\n"), (lines{"one", "two"})); }

TEST(line_reader, does_not_take_spaces_for_a_blank_line) { EXPECT_EQ(strict(9).feed(" \n\t\r\n"), (lines{" ", "\t"})); }

TEST(line_reader, returns_bytes_as_they_came) {
  using namespace std::string_view_literals;
  EXPECT_EQ(strict(9).feed("\0\xFF\xC3\n"sv), lines{std::string{"\0\xFF\xC3"sv}});
}

TEST(line_reader, puts_a_long_line_together_from_many_pieces) {
  auto reader = strict(1 << 20);
  for (int i = 0; i < 1 << 14; ++i)
    ASSERT_EQ(reader.feed(std::string(64, 'x')), lines{});
  EXPECT_EQ(reader.feed("\n"), lines{std::string(1 << 20, 'x')});
}

// -- a strict reader's limit ------------------------------------------------

TEST(line_reader, returns_a_line_one_byte_below_its_limit) {
  EXPECT_EQ(fed(strict(4), {"abc\n"}), (journal{{"abc"}, false}));
  EXPECT_EQ(fed(strict(4), {"abc\r\n"}), (journal{{"abc"}, false}));
}

TEST(line_reader, returns_a_line_of_its_limit_whatever_the_terminator) {
  EXPECT_EQ(fed(strict(4), {"abcd\n"}), (journal{{"abcd"}, false}));
  EXPECT_EQ(fed(strict(4), {"abcd\r\n"}), (journal{{"abcd"}, false}));
  EXPECT_EQ(fed(strict(4), {"abcd\r", "\n"}), (journal{{"abcd"}, false}));
}

TEST(line_reader, overflows_on_a_line_one_byte_above_its_limit) {
  EXPECT_EQ(fed(strict(4), {"abcde\n"}), (journal{{}, true}));
  EXPECT_EQ(fed(strict(4), {"abcde\r\n"}), (journal{{}, true}));
  EXPECT_EQ(fed(strict(4), {"abcd\r\r\n"}), (journal{{}, true}));
}

TEST(line_reader, overflows_before_the_line_has_ended) {
  auto reader = strict(4);
  reader.feed("abcd\r");
  EXPECT_FALSE(reader.overflowed());
  reader.feed("e");
  EXPECT_TRUE(reader.overflowed());
}

TEST(line_reader, returns_the_lines_before_the_overflow_and_none_after) {
  auto reader = strict(4);
  EXPECT_EQ(reader.feed("one\ntwo\nthree\nfour\n"), (lines{"one", "two"}));
  EXPECT_TRUE(reader.overflowed());
  EXPECT_EQ(reader.feed("five\nsix\n"), lines{});
  EXPECT_EQ(reader.finish(), std::nullopt);
  EXPECT_TRUE(reader.overflowed());
}

// -- a tolerant reader's limit ----------------------------------------------

TEST(line_reader, tolerant_returns_lines_up_to_its_limit_whole) {
  EXPECT_EQ(fed(tolerant(4), {"abc\nabcd\nabc\r\nabcd\r\n"}), (journal{{"abc", "abcd", "abc", "abcd"}, false}));
}

TEST(line_reader, tolerant_cuts_a_longer_line_at_its_limit) {
  EXPECT_EQ(fed(tolerant(4), {"abcde\nfine\n"}), (journal{{"abcd", "fine"}, false}));
  EXPECT_EQ(fed(tolerant(4), {"abcd\r\r\nfine\n"}), (journal{{"abcd", "fine"}, false}));
  EXPECT_EQ(fed(tolerant(4), {"abcd\re\nfine\n"}), (journal{{"abcd", "fine"}, false}));
}

TEST(line_reader, tolerant_returns_the_cut_line_once_and_at_once) {
  auto reader = tolerant(4);
  EXPECT_EQ(reader.feed("abc"), lines{});
  EXPECT_EQ(reader.feed("defg"), lines{"abcd"});
  EXPECT_EQ(reader.feed("hijklmnop"), lines{});
  EXPECT_EQ(reader.feed("q\r\nnext\n"), lines{"next"});
  EXPECT_FALSE(reader.overflowed());
}

// -- the end of input -------------------------------------------------------

TEST(line_reader, tolerant_returns_the_last_line_that_nothing_ended) {
  EXPECT_EQ(fed(tolerant(4), {"one\ntwo"}).seen, (lines{"one", "two"}));
  EXPECT_EQ(fed(tolerant(4), {"one\nfour\r"}).seen, (lines{"one", "four"}));
}

TEST(line_reader, tolerant_returns_nothing_at_the_end_of_ended_blank_or_cut_lines) {
  EXPECT_EQ(tolerant(4).finish(), std::nullopt);
  EXPECT_EQ(fed(tolerant(4), {"one\n"}).seen, lines{"one"});
  EXPECT_EQ(fed(tolerant(4), {"one\n\r"}).seen, lines{"one"});
  EXPECT_EQ(fed(tolerant(4), {"one\nlonger"}).seen, (lines{"one", "long"}));
}

TEST(line_reader, strict_discards_a_half_written_line) { EXPECT_EQ(fed(strict(4), {"one\ntwo"}).seen, lines{"one"}); }

TEST(line_reader, forgets_the_partial_line_at_the_end) {
  auto reader = tolerant(4);
  reader.feed("one");
  EXPECT_EQ(reader.finish(), "one");
  EXPECT_EQ(reader.finish(), std::nullopt);
  EXPECT_EQ(reader.feed("two\n"), lines{"two"});
}

// -- a skipping reader's limit ---------------------------------------------

TEST(line_reader, skips_only_a_line_above_its_limit) {
  auto reader = skipping(4);
  EXPECT_EQ(reader.feed("abc\nabcd\r\nabcde\nabcd\n"), (lines{"abc", "abcd", "abcd"}));
  EXPECT_EQ(reader.take_skipped(), (std::vector<skipped_line>{{"abcde", "abcde", 5}}));
  EXPECT_EQ(reader.take_skipped(), std::vector<skipped_line>{});
  EXPECT_FALSE(reader.overflowed());
}

TEST(line_reader, tells_of_a_skipped_line_when_it_has_ended) {
  auto reader = skipping(4);
  EXPECT_EQ(reader.feed("abcde"), lines{});
  EXPECT_EQ(reader.feed("fgh"), lines{});
  EXPECT_EQ(reader.take_skipped(), std::vector<skipped_line>{});
  EXPECT_EQ(reader.feed("\nnext\n"), lines{"next"});
  EXPECT_EQ(reader.take_skipped(), (std::vector<skipped_line>{{"abcdefgh", "abcdefgh", 8}}));
}

TEST(line_reader, keeps_the_beginning_and_the_end_of_a_skipped_line) {
  constexpr auto kept = skipped_line::kept;
  for (std::size_t more : {0U, 1U, 70'000U, 1'000'000U}) {
    auto line = std::string(kept - 1, 'a') + "b" + std::string(more, '-') + "c" + std::string(kept - 1, 'd');
    for (std::size_t step : {1'000U, 65'536U, 65'537U, 3'000'000U}) {
      auto reader = skipping(100'000);
      for (std::size_t at = 0; at < line.size(); at += step)
        EXPECT_EQ(reader.feed(std::string_view{line}.substr(at, step)), lines{});
      EXPECT_EQ(reader.feed("\n1\n"), lines{"1"});
      EXPECT_EQ(reader.take_skipped(),
                (std::vector<skipped_line>{{line.substr(0, kept), line.substr(line.size() - kept), line.size()}}));
    }
  }
}

TEST(line_reader, forgets_a_skipped_line_that_nothing_ended) {
  auto reader = skipping(4);
  reader.feed("abcde");
  EXPECT_EQ(reader.finish(), std::nullopt);
  EXPECT_EQ(reader.take_skipped(), std::vector<skipped_line>{});
}

// -- splits -----------------------------------------------------------------

TEST(line_reader, gives_the_same_lines_wherever_the_input_is_split) {
  constexpr std::string_view input = "one\r\n\r\n\n\rtwo\nab\rcde\r\nthree f\r\r\nlast\r";
  for (std::size_t limit = 1; limit < 10; ++limit) {
    expect_same_at_every_split(strict(limit), input);
    expect_same_at_every_split(tolerant(limit), input);
    expect_same_at_every_split(skipping(limit), input);
  }
}

} // namespace troupe::tests::line_reader_test
