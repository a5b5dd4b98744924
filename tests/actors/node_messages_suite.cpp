// Messages between nodes have the same bytes in each version that knows them.

#define CAF_SUITE node_messages

#include "actors/cluster_messages.hpp"
#include "actors/gateway/cluster_keys.hpp"
#include "protocol/trace/trace_position.hpp"
#include "tests/actors/node_messages.hpp"
#include "tests/support/caf_test.hpp"

#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>
#include <caf/scoped_execution_unit.hpp>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace troupe::tests::node_messages_suite {

using namespace troupe::actors;
using troupe::tests::pinned_interfaces;
using troupe::tests::pinned_keys;
using troupe::tests::pinned_messages;

namespace {

/// Instructions for a failing test.
constexpr const char* what_to_do =
    " is not what it was: nodes of the release before cannot read it. Leave it as it is, and add a message of its own: "
    "see protocol/cluster/node_identity.hpp";

constexpr const char* hex_digits = "0123456789abcdef";

/// Letters, digits and punctuation unchanged, other bytes as `\` and two digits, in lines of limited length.
std::string shown(const std::vector<char>& bytes) {
  std::string result;
  for (auto byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    if (value > ' ' && value < 0x7f && byte != '\\')
      result.push_back(byte);
    else
      result.append({'\\', hex_digits[value / 16], hex_digits[value % 16]});
  }
  return result;
}

std::vector<char> unshown(const std::string& text) {
  std::vector<char> result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\') {
      result.push_back(static_cast<char>(std::stoi(text.substr(at + 1, 2), nullptr, 16)));
      at += 2;
    } else if (text[at] != '\n') {
      result.push_back(text[at]);
    }
  }
  return result;
}

/// The actor system of a node, which knows the message types.
class node_system {
public:
  node_system() : config_{make_config()}, system_{*config_}, unit_{&system_} {}
  caf::actor_system& system() { return system_; }

  /// The message as CAF sends it, with the name of its type; empty when it cannot be serialized.
  std::vector<char> written(caf::message what) {
    std::vector<char> result;
    caf::binary_serializer to{&unit_, result};
    return to(what) ? std::vector<char>{} : result;
  }
  /// Empty when the bytes cannot be read.
  caf::message read(const std::vector<char>& bytes) {
    caf::message result;
    caf::binary_deserializer from{&unit_, bytes};
    return from(result) ? caf::message{} : result;
  }

private:
  static std::unique_ptr<caf::actor_system_config> make_config() {
    auto result = std::make_unique<caf::actor_system_config>();
    result->set("scheduler.max-threads", std::size_t{1});
    register_messages(*result);
    return result;
  }

  std::unique_ptr<caf::actor_system_config> config_;
  caf::actor_system system_;
  caf::scoped_execution_unit unit_;
};

// -- messages with something in each of their fields ------------------------------------------------------

const protocol::node_life from{0x1122334455667788U, 0x99aabbccddeeff00U};
constexpr std::uint64_t number = 0x0102030405060708U;

protocol::caller ann() {
  protocol::principal who{.issuer = "https://issuer", .subject = "ann", .client = "app"};
  who.scopes = {"read", "write"};
  who.groups = {"staff"};
  who.claims = R"({"a":1})";
  who.audiences = {"https://here"};
  who.expires = protocol::calendar_time{std::chrono::seconds{1'800'000'000}};
  return std::make_shared<const protocol::principal>(std::move(who));
}

protocol::message call() {
  protocol::message one{.kind = protocol::message_kind::request, .text = {}};
  one.text = R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"_meta":{"progressToken":6}}})";
  one.id = "5";
  one.method = "tools/call";
  one.reference = "6";
  one.claims_modern = true;
  one.id_at = {21, 1};
  one.reference_at = {78, 1};
  protocol::request_trace trace{.at = {.high = 1, .low = 2, .span = 3, .is_sampled = true, .is_random = true}};
  trace.at.state = "vendor=1";
  trace.at.baggage = "k=v";
  trace.is_in_text = true;
  trace.client = "10.0.0.1";
  trace.version = "2026-07-28";
  one.trace = std::make_shared<const protocol::request_trace>(std::move(trace));
  return one;
}

protocol::message progress() {
  protocol::message one{.text = R"({"jsonrpc":"2.0","method":"notifications/progress"})"};
  one.method = "notifications/progress";
  return one;
}

protocol::message answer() {
  protocol::message one{.kind = protocol::message_kind::response, .text = R"({"jsonrpc":"2.0","id":7,"result":{}})"};
  one.id = "7";
  return one;
}

std::shared_ptr<const protocol::request_envelope> envelope() {
  protocol::request_envelope one{.version = "2026-07-28", .can = {true, false, true, false, true, true}};
  one.log_level = protocol::severity::emergency;
  one.arguments = {{"Region", "eu"}, {"Kind", "b"}};
  one.affinity = "handle";
  return std::make_shared<const protocol::request_envelope>(std::move(one));
}

relay_request asked(relay_request::kind is) {
  relay_request one{
      .from = from, .exchange = number, .is = is, .head = {.server = "a", .session = "s"}, .last = "t-1-2"};
  one.head.caller = ann();
  one.head.counted_as = "10.0.0.1";
  if (is == relay_request::kind::operate)
    one.order = {std::exchange(one.head.server, {}), std::exchange(one.head.session, {}), std::exchange(one.last, {})};
  return one;
}

relay_request posted() {
  auto one = asked(relay_request::kind::post);
  one.body = {{call(), progress(), answer()}, true};
  one.head.via = protocol::transport::stateless;
  one.leaves = true;
  one.envelope = envelope();
  one.head.is_anonymous_remote = true;
  one.token = "token";
  return one;
}

relay_answer said(relay_answer::kind is) {
  relay_answer one{.exchange = number, .is = is, .text = "text", .session = "s"};
  one.why = {503, -32603, "why not", "5", {{"Retry-After", "1"}, {"Allow", "GET"}}, R"({"b":1})"};
  one.report = {"-32603", "a", std::chrono::nanoseconds{number}};
  return one;
}

/// The handles in it are null here, because CAF would write the ids of this process.
peer_hello greeting() { return {{from, "node:7946", true, {"10.0.0.1:7946", "10.0.0.2:7946"}, true}, {}, {}}; }

struct sample {
  std::string name;
  caf::message what;
};

std::vector<sample> samples() {
  using asks = relay_request::kind;
  using says = relay_answer::kind;
  const std::vector<std::pair<std::string, asks>> requests{
      {"post", asks::post}, {"listen", asks::listen}, {"end", asks::end}, {"operate", asks::operate}};
  const std::vector<std::pair<std::string, says>> answers{
      {"reply", says::reply}, {"accepted", says::accepted}, {"ended", says::ended}, {"rejected", says::rejected},
      {"begin", says::begin}, {"event", says::event},       {"end", says::end},     {"lost", says::lost}};
  std::vector<sample> all{{"peer_hello", caf::make_message(greeting())},
                          {"relay_request full", caf::make_message(posted())},
                          {"relay_request empty", caf::make_message(relay_request{})}};
  for (auto& [name, kind] : requests)
    all.push_back({"relay_request " + name, caf::make_message(asked(kind))});
  all.push_back({"relay_taken", caf::make_message(relay_taken{from, number, 4096})});
  all.push_back({"relay_closed", caf::make_message(relay_closed{from, number})});
  all.push_back({"session_taken", caf::make_message(session_taken{"s"})});
  for (auto& [name, kind] : answers)
    all.push_back({"relay_answer " + name, caf::make_message(said(kind))});
  return all;
}

std::string pinned_for(const std::string& name) {
  for (auto& [known, text] : pinned_messages)
    if (known == name)
      return text;
  return {};
}

/// The message types that two nodes compare during the handshake.
template <class Actor>
std::string interface_of(caf::actor_system& system) {
  std::string result;
  for (auto& one : system.message_types<Actor>())
    result += one + '\n';
  return result;
}

} // namespace

CAF_TEST(each message between nodes is written as the release before reads it) {
  node_system node;
  for (auto& [name, what] : samples()) {
    const auto bytes = node.written(what);
    if (bytes.empty() || bytes != unshown(pinned_for(name)))
      CAF_ERROR(name << what_to_do << "; now it is: " << shown(bytes));
  }
}

CAF_TEST(each message that the release before writes is read as it was meant) {
  node_system node;
  for (auto& [name, text] : pinned_messages) {
    const auto read = node.read(unshown(text));
    if (read.empty() || node.written(read) != unshown(text))
      CAF_ERROR(name << what_to_do << "; read again it is: " << shown(node.written(read)));
  }
}

CAF_TEST(no message between nodes is without its bytes here) {
  std::set<std::string> shown_names;
  for (auto& [name, what] : samples())
    shown_names.insert(name.substr(0, name.find(' ')));
  std::set<std::string> names;
#define TROUPE_NAME(type) names.insert(#type);
  TROUPE_NODE_MESSAGES(TROUPE_NAME)
#undef TROUPE_NAME
  CAF_CHECK_EQUAL(names, shown_names);
  CAF_CHECK_EQUAL(samples().size(), pinned_messages.size());
}

// A node drops the link to a peer whose interface lacks messages that its own gate has.
CAF_TEST(what nodes take of each other is the same as in the release before) {
  node_system node;
  const auto found = interface_of<gate_actor>(node.system()) + interface_of<remote_router_actor>(node.system());
  if (found != pinned_interfaces)
    CAF_ERROR("gate_actor or remote_router_actor" << what_to_do << "; now they are: " << found);
}

CAF_TEST(what nodes make of the cluster s key is the same as in the release before) {
  cluster_options options;
  options.key = "the secret of a cluster of tests";
  const cluster_keys keys{options};
  std::string found = keys.for_links().front() + '\n' + keys.for_cursors().front() + '\n';
  const auto seals = keys.session_seals("id");
  for (auto byte : seals.front())
    found += {hex_digits[std::to_integer<int>(byte) / 16], hex_digits[std::to_integer<int>(byte) % 16]};
  if (found != pinned_keys)
    CAF_ERROR("what is made of the cluster's key" << what_to_do << "; now it is: " << found);
}

} // namespace troupe::tests::node_messages_suite
