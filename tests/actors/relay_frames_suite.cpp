// Frames between two processes during a handover, as bytes.

#define CAF_SUITE relay_frames

#include "actors/handover/process_link.hpp"
#include "tests/support/caf_test.hpp"

#include <string>
#include <variant>

namespace troupe::tests::relay_frames_suite {

using namespace troupe::actors;

namespace {

struct frames_fixture {
  caf::actor_system_config config;
  caf::actor_system system{config.set("scheduler.max-threads", std::size_t{1})};

  std::string written(relay_word what) { return frame_of(system, what); }
};

relay_request asking() {
  relay_request result;
  result.from = {1, 2};
  result.exchange = 3;
  result.head.session = "session";
  result.body.messages.push_back({.kind = protocol::message_kind::request, .text = R"({"id":5})"});
  result.body.messages.back().id = "5";
  return result;
}

} // namespace

CAF_TEST_FIXTURE_SCOPE(relay_frames_tests, frames_fixture)

CAF_TEST(each word is read as it was written) {
  auto request = read_frame(system, written(asking()));
  CAF_REQUIRE(request && std::holds_alternative<relay_request>(*request));
  CAF_CHECK_EQUAL(std::get<relay_request>(*request).head.session, "session");
  CAF_CHECK_EQUAL(std::get<relay_request>(*request).body.messages.front().text, R"({"id":5})");
  auto taken = read_frame(system, written(relay_taken{{1, 2}, 3, 4}));
  CAF_REQUIRE(taken && std::holds_alternative<relay_taken>(*taken));
  CAF_CHECK_EQUAL(std::get<relay_taken>(*taken).bytes, 4U);
  auto closed = read_frame(system, written(relay_closed{{1, 2}, 3}));
  CAF_REQUIRE(closed && std::holds_alternative<relay_closed>(*closed));
  CAF_CHECK_EQUAL(std::get<relay_closed>(*closed).exchange, 3U);
  auto answer = read_frame(system, written(relay_answer{.exchange = 3, .text = "text"}));
  CAF_REQUIRE(answer && std::holds_alternative<relay_answer>(*answer));
  CAF_CHECK_EQUAL(std::get<relay_answer>(*answer).text, "text");
}

CAF_TEST(what is cut off or longer is no word) {
  for (auto& whole : {written(asking()), written(relay_answer{.exchange = 3, .text = "text"})}) {
    for (std::size_t size = 0; size < whole.size(); ++size)
      CAF_CHECK(!read_frame(system, whole.substr(0, size)));
    CAF_CHECK(!read_frame(system, whole + "x"));
  }
}

CAF_TEST(what begins with no word is none) {
  auto text = written(relay_closed{{1, 2}, 3});
  for (int first = 4; first < 256; ++first) {
    text.front() = static_cast<char>(first);
    CAF_CHECK(!read_frame(system, text));
  }
}

CAF_TEST(whatever the bytes are they are read to an end) {
  auto text = written(asking());
  for (std::size_t at = 1; at < text.size(); ++at)
    for (const char byte : {'\x7f', '\xff'}) {
      auto wrong = text;
      wrong[at] = byte;
      auto word = read_frame(system, wrong);
      CAF_CHECK(!word || std::holds_alternative<relay_request>(*word));
    }
}

CAF_TEST_FIXTURE_SCOPE_END()

} // namespace troupe::tests::relay_frames_suite
