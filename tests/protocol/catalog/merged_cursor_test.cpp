#include "protocol/catalog/list_page.hpp"
#include "protocol/text/base_encodings.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::merged_cursor_test {

using namespace protocol;

namespace {

using cursors = std::vector<server_cursor>;

merged_place at(cursors parts) { return {std::move(parts)}; }

} // namespace

TEST(merged_cursor, gives_back_the_servers_cursors) {
  for (auto& parts :
       {cursors{}, cursors{{1, R"("a")"}}, cursors{{7, R"("")"}, {18446744073709551615U, R"("\u00e9 é")"}},
        cursors{{1, R"("x")"}, {2, R"("xy")"}, {3, R"("xyz")"}, {4, R"("wxyz")"}},
        cursors{{1, R"("x")", 2, 18446744073709551615U}, {2, R"("y")"}, {3, R"("z")", 18446744073709551615U, 0}}})
    for (auto is_public : {false, true})
      EXPECT_EQ(read_merged_cursor(merged_cursor({parts, is_public})), (merged_place{parts, is_public}));
}

TEST(merged_cursor, is_of_letters_that_need_no_escape) {
  auto cursor = merged_cursor(at({{1, R"("???>>>~~~é")"}}));
  EXPECT_EQ(cursor.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"), cursor.npos);
}

TEST(merged_cursor, is_refused_when_it_is_not_ours) {
  // Decoded: `{}`, `[1]`, `[[1]]`, `[["1","a"]]`, `[[1,2]]`, `[[1,"a",2]]`, `[[1,"a"],[1,"b"]]`, `[[-1,"a"]]`.
  for (auto text : {"", "?", "a b", "e30", "WzFd", "W1sxXV0", "W1siMSIsImEiXV0", "W1sxLDJdXQ", "W1sxLCJhIiwyXV0",
                    "W1sxLCJhIl0sWzEsImIiXV0", "W1stMSwiYSJdXQ"})
    EXPECT_EQ(read_merged_cursor(text), std::nullopt) << text;
  for (auto text : {R"(["public","public"])", R"([[1,"a"],"public"])", R"(["private"])"})
    EXPECT_EQ(read_merged_cursor(base64url(text)), std::nullopt) << text;
  EXPECT_EQ(read_merged_cursor("W1sxLCJhIl1d"), at({{1, R"("a")"}}));
}

TEST(merged_cursor, is_bounded) {
  auto cursor_of = [](std::size_t bytes) { return at({{1, '"' + std::string(bytes - 8, 'x') + '"'}}); };
  // Three quarters of 64 KiB are 49152 bytes.
  EXPECT_EQ(merged_cursor(cursor_of(49152 - 1)).size(), longest_cursor - 1);
  EXPECT_EQ(merged_cursor(cursor_of(49152)).size(), longest_cursor);
  for (auto bytes : {49152 - 1, 49152}) {
    auto place = cursor_of(bytes);
    EXPECT_EQ(cut_to_fit(place), std::vector<std::uint64_t>{});
    EXPECT_EQ(place, cursor_of(bytes));
  }
  auto too_long = cursor_of(49152 + 1);
  EXPECT_EQ(cut_to_fit(too_long), std::vector<std::uint64_t>{1});
  EXPECT_EQ(too_long, merged_place{});
  merged_place several{{{1, R"("a")"}, {2, '"' + std::string(longest_cursor, 'x') + '"'}, {3, R"("c")"}}, true};
  EXPECT_EQ(cut_to_fit(several), std::vector<std::uint64_t>{2});
  EXPECT_EQ(several, (merged_place{{{1, R"("a")"}, {3, R"("c")"}}, true}));
  EXPECT_EQ(read_merged_cursor(merged_cursor(cursor_of(49152))), cursor_of(49152));
  EXPECT_EQ(read_merged_cursor(std::string(longest_cursor + 1, 'W')), std::nullopt);
}

TEST(merged_cursor, is_refused_when_it_is_sealed_for_another) {
  auto seal_of = [](std::string who) -> cursor_seal {
    return [who](std::string_view text) { return std::vector{who + std::to_string(text.size() % 10)}; };
  };
  auto cursor = merged_cursor(at({{1, R"("a")"}}), seal_of("ann"));
  EXPECT_EQ(read_merged_cursor(cursor, seal_of("ann")), at({{1, R"("a")"}}));
  EXPECT_EQ(read_merged_cursor(cursor, seal_of("bob")), std::nullopt);
  EXPECT_EQ(read_merged_cursor(cursor), std::nullopt);
  EXPECT_EQ(read_merged_cursor(merged_cursor(at({{1, R"("a")"}})), seal_of("ann")), std::nullopt);
  EXPECT_EQ(read_merged_cursor("", seal_of("ann")), std::nullopt);
}

TEST(merged_cursor, is_sealed_with_the_first_key_and_opened_with_each) {
  auto seal_of = [](std::vector<std::string> keys) -> cursor_seal { return [keys](std::string_view) { return keys; }; };
  auto cursor = merged_cursor(at({{1, R"("a")"}}), seal_of({"old", "new"}));
  EXPECT_EQ(cursor, merged_cursor(at({{1, R"("a")"}}), seal_of({"old"})));
  for (auto& keys : {std::vector<std::string>{"old", "new"}, {"new", "old"}})
    EXPECT_EQ(read_merged_cursor(cursor, seal_of(keys)), at({{1, R"("a")"}}));
  EXPECT_EQ(read_merged_cursor(cursor, seal_of({"new"})), std::nullopt);
}

TEST(merged_cursor, is_bounded_with_its_seal) {
  auto seal = [](std::string_view) { return std::vector{std::string(32, 's')}; };
  auto cursor_of = [](std::size_t bytes) { return at({{1, '"' + std::string(bytes - 8, 'x') + '"'}}); };
  EXPECT_EQ(merged_cursor(cursor_of(49152 - 32), seal).size(), longest_cursor);
  auto fits = cursor_of(49152 - 32), too_long = cursor_of(49152 - 31);
  EXPECT_EQ(cut_to_fit(fits, seal), std::vector<std::uint64_t>{});
  EXPECT_EQ(cut_to_fit(too_long, seal), std::vector<std::uint64_t>{1});
}

} // namespace troupe::tests::merged_cursor_test
