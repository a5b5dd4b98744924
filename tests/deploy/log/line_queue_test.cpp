#include "deploy/log/line_writer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::tests::line_queue_test {

using deploy::line_queue;

namespace {

/// Adds an entry, and returns how many are dropped for it.
std::size_t add(line_queue& to, std::string_view text) {
  return to.append(text.size(), [text](char* at) { return std::ranges::copy(text, at).out; });
}

std::vector<std::string> extract_all(line_queue& from) {
  std::vector<std::string> result;
  for (; !from.is_empty(); from.remove_first())
    result.emplace_back(from.first());
  EXPECT_EQ(from.size(), 0u);
  return result;
}

/// Size of an entry, in bytes.
std::size_t size_of(std::string_view text) {
  line_queue one{1024};
  add(one, text);
  return one.size();
}

using texts = std::vector<std::string>;

} // namespace

TEST(line_queue, has_its_entries_in_their_order) {
  line_queue all{1024};
  for (auto one : {"one", "", "three"})
    EXPECT_EQ(add(all, one), 0u);
  EXPECT_EQ(all.first(), "one");
  EXPECT_EQ(extract_all(all), (texts{"one", "", "three"}));
}

TEST(line_queue, has_as_much_of_an_entry_as_was_written) {
  line_queue all{1024};
  all.append(100, [](char* at) { return std::ranges::copy(std::string_view{"few"}, at).out; });
  EXPECT_EQ(all.size(), size_of("few"));
  EXPECT_EQ(extract_all(all), texts{"few"});
}

TEST(line_queue, drops_the_oldest_above_its_limit) {
  const auto size = size_of("one");
  line_queue all{3 * size};
  for (auto one : {"one", "two", "six"})
    EXPECT_EQ(add(all, one), 0u);
  EXPECT_EQ(all.size(), 3 * size);
  EXPECT_EQ(add(all, "ten"), 1u);
  EXPECT_EQ(add(all, std::string(3 + size, 'x')), 2u) << "of two in size";
  EXPECT_EQ(extract_all(all), (texts{"ten", std::string(3 + size, 'x')}));
}

TEST(line_queue, drops_an_entry_that_alone_is_above_the_limit) {
  line_queue all{size_of("one")};
  EXPECT_EQ(add(all, "one"), 0u);
  EXPECT_EQ(add(all, "more"), 2u);
  EXPECT_EQ(extract_all(all), texts{});
  EXPECT_EQ(add(all, "one"), 0u);
  EXPECT_EQ(extract_all(all), texts{"one"});
}

TEST(line_queue, keeps_entries_of_any_size_whole_while_it_is_filled_and_emptied) {
  constexpr std::size_t largest = 200'000, most = 1'000'000;
  line_queue all{most}, other{most};
  texts wanted, taken;
  for (std::size_t i = 0; i < 3000; ++i) {
    std::string text((i * i * 7919) % (i % 50 == 0 ? largest : 5000), static_cast<char>('a' + i % 26));
    ASSERT_EQ(add(all, text), 0u);
    wanted.push_back(std::move(text));
    if (i % 100 != 99 && all.size() < most - largest - sizeof(std::size_t))
      continue;
    std::swap(all, other);
    std::ranges::move(extract_all(other), std::back_inserter(taken));
  }
  EXPECT_TRUE(all.is_empty());
  EXPECT_TRUE(taken == wanted);
}

} // namespace troupe::tests::line_queue_test
