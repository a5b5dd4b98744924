#include "protocol/access/token_verdict.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <utility>

namespace troupe::tests::credential_watch_test {

using namespace protocol;
using namespace std::chrono_literals;
using next = credential_watch::next;

namespace {

constexpr time_point start{};
const calendar_time today{24h};

caller with(auto change) {
  principal result{.issuer = "https://as.example.com", .subject = "ann", .scopes = {"read", "write"}, .groups = {"a"}};
  change(result);
  return std::make_shared<const principal>(std::move(result));
}
caller ann() {
  return with([](auto&) {});
}
token_verdict good(caller who) { return {token_verdict::kind::good, std::move(who), {}, 30s}; }

} // namespace

TEST(credential_watch, looks_at_once_and_then_when_what_is_known_ends_and_every_thirty_seconds) {
  credential_watch watch{ann(), start};
  EXPECT_EQ(watch.deadline(), start);
  EXPECT_EQ(watch.is_known(ann(), start + 12s, start), next::proceed);
  EXPECT_EQ(watch.deadline(), start + 12s);
  EXPECT_EQ(watch.is_known(ann(), time_point::max(), start + 12s), next::proceed);
  EXPECT_EQ(watch.deadline(), start + 42s);
  EXPECT_EQ(watch.is_known(ann(), start, start + 42s), next::proceed);
  EXPECT_EQ(watch.deadline(), start + 43s) << "not at every turn";
}

TEST(credential_watch, asks_about_a_token_that_is_not_known_any_more_and_goes_by_the_answer) {
  credential_watch watch{ann(), start};
  EXPECT_EQ(watch.is_not_known(start, today), next::ask);
  EXPECT_EQ(watch.deadline(), time_point::max());
  EXPECT_EQ(watch.verdict_received(good(ann()), start + 1s), next::proceed);
  EXPECT_EQ(watch.deadline(), start + 31s);
  EXPECT_EQ(watch.is_not_known(start + 31s, today), next::ask);
  EXPECT_EQ(watch.verdict_received(token_verdict::bad("revoked"), start + 32s), next::end);
}

TEST(credential_watch, goes_on_for_a_while_when_nobody_can_tell) {
  credential_watch watch{ann(), start};
  EXPECT_EQ(watch.is_known(ann(), start + 30s, start), next::proceed);
  const auto away = token_verdict::unavailable("away");
  for (auto at = start + 30s; at < start + credential_watch::longest_doubt; at += 30s) {
    EXPECT_EQ(watch.is_not_known(at, today), next::ask);
    EXPECT_EQ(watch.verdict_received(away, at), next::proceed);
    EXPECT_EQ(watch.deadline(), at + 30s);
  }
  EXPECT_EQ(watch.is_not_known(start + credential_watch::longest_doubt - 1ns, today), next::ask);
  EXPECT_EQ(watch.verdict_received(away, start + credential_watch::longest_doubt), next::end);
  EXPECT_EQ(watch.is_not_known(start + credential_watch::longest_doubt, today), next::end);
}

TEST(credential_watch, leaves_a_stream_whose_caller_expires_to_the_session) {
  credential_watch watch{with([](auto& one) { one.expires = today; }), start};
  EXPECT_EQ(watch.is_not_known(start, today + leeway - 1s), next::ask);
  EXPECT_EQ(watch.is_not_known(start, today + leeway), next::proceed);
  EXPECT_EQ(watch.deadline(), time_point::max());
}

TEST(credential_watch, ends_what_another_caller_or_one_with_other_rights_would_not_have_begun) {
  const auto goes_on_for = [](caller who) {
    return credential_watch{ann(), start}.verdict_received(good(std::move(who)), start) == next::proceed;
  };
  EXPECT_TRUE(goes_on_for(with([](auto& one) { one.scopes = {"write", "read"}; })));
  EXPECT_TRUE(goes_on_for(with([](auto& one) { one.expires = today, one.claims = R"({"a":1})"; })));
  EXPECT_FALSE(goes_on_for(with([](auto& one) { one.subject = "bob"; })));
  EXPECT_FALSE(goes_on_for(with([](auto& one) { one.client = "other"; })));
  EXPECT_FALSE(goes_on_for(with([](auto& one) { one.scopes = {"read"}; })));
  EXPECT_FALSE(goes_on_for(with([](auto& one) { one.groups = {}; })));
  EXPECT_FALSE(goes_on_for(with([](auto& one) { one.audiences = {"https://other.example.com"}; })));
  EXPECT_FALSE(goes_on_for(nullptr));
}

} // namespace troupe::tests::credential_watch_test
