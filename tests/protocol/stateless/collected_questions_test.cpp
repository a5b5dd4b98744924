// Questions of a server that follow each other, and are asked in one round.

#include "tests/support/face_talk.hpp"

using namespace troupe::tests;

namespace {

const std::string asks_form = R"({"method":"elicitation/create","params":{"message":"?"}})";
const std::string accepted_both = R"("q1":)" + accepted + R"(,"q2":)" + accepted;

parked_talk collecting() {
  auto rules = face_rules();
  rules.collect = 10ms;
  return parked_talk{std::move(rules)};
}

} // namespace

// 2026-07-28, multi round-trip requests
TEST(collected_questions, are_asked_together) {
  auto t = collecting();
  EXPECT_EQ(t.server(question("1")), told{});
  EXPECT_EQ(t.it.deadline(), t.now + 10ms);
  EXPECT_EQ(t.after(9ms), told{});
  EXPECT_EQ(t.server(question("2")), told{});
  EXPECT_EQ(t.after(1ms), told{input_required(5, "7", R"("q1":)" + asks_form + R"(,"q2":)" + asks_form, 5, 1)});
  EXPECT_EQ(t.retries(6, 5, 1, accepted_both),
            (told{to_server(result("1", accepted)), to_server(result("2", accepted))}));
}

TEST(collected_questions, are_not_asked_when_they_do_not_matter_any_more) {
  auto t = collecting();
  t.server(question("1"));
  EXPECT_EQ(t.server(result("5")), told{answered(5, result("7", "{" + complete + "}"))});
  EXPECT_EQ(t.after(1h), told{});
  EXPECT_TRUE(t.it.is_idle());
  auto other = collecting();
  other.server(question("1"));
  EXPECT_EQ(other.server(cancelled("1")), told{});
  EXPECT_EQ(other.after(1h), told{});
  EXPECT_EQ(other.it.calls_in_flight(), 1u);
  EXPECT_EQ(other.server(result("5")), told{answered(5, result("7", "{" + complete + "}"))});
}

TEST(collected_questions, are_answered_when_the_client_goes_before_it_is_asked) {
  auto t = collecting();
  t.server(question("1"));
  EXPECT_EQ(t.closes(5), (told{to_server(result("1", R"({"action":"cancel"})")),
                               to_server(cancelled_text("5", "The client closed its request"))}));
  EXPECT_EQ(t.after(1h), told{});
  EXPECT_TRUE(t.it.is_idle());
}
