// The cost of a session with several servers, in allocations. A change of the cost fails here, and the new numbers are
// recorded here.

#include "protocol/catalog/catalog.hpp"
#include "tests/bench/costs/counts.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

using namespace troupe;
using namespace troupe::protocol;

namespace {

constexpr time_point now{std::chrono::hours{1}};

std::string request(std::string id, std::string method, std::string params = "{}") {
  return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + R"(","params":)" + params + "}";
}

/// A session of servers whose two tools each are known from earlier sessions.
class session_of {
public:
  explicit session_of(int servers) {
    bench::leave_out_this_thread(false);
    auto before = bench::costs_so_far().held_bytes;
    std::vector<catalog_server> all;
    for (int id = 1; id <= servers; ++id)
      all.push_back({.id = static_cast<std::uint64_t>(id), .name = name(id), .prefix = name(id), .known = can});
    catalog_ = std::make_unique<catalog>(catalog_limits{.version = "1.0"}, std::exchange(all, {}));
    says(request("0", "initialize", R"({"protocolVersion":"2025-11-25","capabilities":{}})"));
    held = bench::costs_so_far().held_bytes - before;
  }

  /// The allocations of the catalog until the client has its answer.
  std::size_t allocations_of(std::string text) {
    allocations_ = 0;
    says(std::move(text));
    return allocations_;
  }

  /// Bytes allocated by the session once its client was initialized.
  std::size_t held = 0;

private:
  static std::string name(int id) { return "s" + std::to_string(id); }

  void says(std::string text) {
    auto from = gateway_message(std::move(text));
    carry_out(counted([&] { return catalog_->client_sent(std::move(from), now); }));
  }

  template <class Fact>
  catalog_effects counted(Fact fact) {
    auto before = bench::costs_so_far().allocations;
    auto result = fact();
    allocations_ += bench::costs_so_far().allocations - before;
    return result;
  }

  void carry_out(const catalog_effects& all) {
    for (auto& one : all)
      if (auto told = std::get_if<send_to_member>(&one); told && told->what.kind == message_kind::request)
        answer(told->server, told->what);
  }

  void answer(std::uint64_t server, const message& asked) {
    auto result = asked.method == "initialize"   ? can
                  : asked.method == "tools/list" ? R"({"tools":[{"name":"echo"},{"name":"add"}]})"
                                                 : "{}";
    auto from = gateway_message(R"({"jsonrpc":"2.0","id":)" + asked.id + R"(,"result":)" + result + "}");
    carry_out(counted([&] { return catalog_->server_sent(server, std::move(from), now); }));
  }

  static const std::string can;

  std::unique_ptr<catalog> catalog_;
  std::size_t allocations_ = 0;
};

const std::string session_of::can = R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{},"prompts":{}}})";

void expect_at_most(std::size_t seen, std::size_t recorded, const char* what) {
  std::cout << what << ": " << seen << '\n';
  EXPECT_LE(seen, recorded) << what << ": if that is right, record it";
}

} // namespace

TEST(catalog_costs, of_a_session_are_at_most_those_recorded) {
  expect_at_most(session_of{1}.held, 1624, "bytes of a session of one server");
  expect_at_most(session_of{2}.held, 1920, "bytes of a session of two servers");
}

TEST(catalog_costs, of_a_list_of_ten_servers_are_at_most_those_recorded) {
  session_of ten{10};
  ten.allocations_of(request("1", "tools/list"));
  expect_at_most(ten.allocations_of(request("2", "tools/list")), 193, "allocations");
}

TEST(catalog_costs, of_a_call_are_at_most_those_recorded) {
  session_of two{2};
  auto call = [&](std::string id) {
    return two.allocations_of(request(std::move(id), "tools/call", R"({"name":"s1__echo","arguments":{}})"));
  };
  call("1");
  call("2");
  expect_at_most(call("3"), 11, "allocations");
}
