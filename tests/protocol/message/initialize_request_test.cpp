// Valid and invalid `initialize` requests.

#include "protocol/message/initialize_request.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace troupe::tests::initialize_request_test {

using namespace protocol;

namespace {

const std::string client_info = R"({"name":"c","version":"1"})";

std::string with_params(const std::string& params) {
  return R"({"jsonrpc":"2.0","id":"i","method":"initialize","params":)" + params + "}";
}

std::string params(const std::string& info, const std::string& capabilities = "{}",
                   const std::string& version = "\"2025-11-25\"") {
  return R"({"protocolVersion":)" + version + R"(,"capabilities":)" + capabilities + R"(,"clientInfo":)" + info + "}";
}

/// The reason of a refusal; empty for a valid request.
std::string fault_of(std::string text) {
  auto why = refuse_initialize(std::get<message>(read_message(std::move(text))));
  if (!why)
    return {};
  EXPECT_EQ(why->status, 400);
  EXPECT_EQ(why->code, -32602);
  EXPECT_EQ(why->id, "\"i\"");
  const std::string begin = "Invalid params: initialize: ";
  EXPECT_EQ(why->text.substr(0, begin.size()), begin);
  return why->text.substr(begin.size());
}

} // namespace

TEST(initialize_request, is_taken_with_its_three_members_and_whatever_else_it_has) {
  EXPECT_EQ(fault_of(with_params(params(client_info))), "");
  EXPECT_EQ(fault_of(with_params(params(R"({"name":"","version":"","title":7,"icons":[]})",
                                        R"({"sampling":{},"experimental":{"x":1},"x":2})", "\"\""))),
            "");
  EXPECT_EQ(fault_of(with_params(R"({"_meta":{"progressToken":1},"x":[],"clientInfo":{"version":"1","name":"c"},)"
                                 R"("capabilities":{},"protocolVersion":"1"})")),
            "");
}

// 2025-11-25, schema, "InitializeRequest"
TEST(initialize_request, is_refused_by_the_name_of_what_is_missing_or_of_another_type) {
  EXPECT_EQ(fault_of(R"({"jsonrpc":"2.0","id":"i","method":"initialize"})"), "params is missing; it is an object");
  struct row {
    std::string params, fault;
  };
  for (auto& [params, fault] : std::vector<row>{
           {"{}", "params.protocolVersion is missing; it is a string"},
           {params(client_info, "{}", "1"), "params.protocolVersion must be a string"},
           {params(client_info, "{}", "null"), "params.protocolVersion must be a string"},
           {params(client_info, "[]"), "params.capabilities must be an object"},
           {params(client_info, "null"), "params.capabilities must be an object"},
           {R"({"protocolVersion":"1","clientInfo":{}})", "params.capabilities is missing; it is an object"},
           {R"({"protocolVersion":"1","capabilities":{}})", "params.clientInfo is missing; it is an object"},
           {params("\"c\""), "params.clientInfo must be an object"},
           {params("{}"), "params.clientInfo.name is missing; it is a string"},
           {params(R"({"name":1,"version":"1"})"), "params.clientInfo.name must be a string"},
           {params(R"({"name":"c"})"), "params.clientInfo.version is missing; it is a string"},
           {params(R"({"name":"c","version":1.0})"), "params.clientInfo.version must be a string"},
           {params(R"({"name":"c","version":"1","name":2})"), "params.clientInfo.name is there twice"},
           {R"({"protocolVersion":"1","capabilities":{},"capabilit\u0069es":1})",
            "params.capabilities is there twice"}})
    EXPECT_EQ(fault_of(with_params(params)), fault) << params;
}

TEST(initialize_request, has_at_most_64_KiB) {
  auto empty = with_params(params(R"({"version":"1","name":""})")).size();
  for (std::size_t size : {65535U, 65536U, 65537U}) {
    auto text = with_params(params(R"({"version":"1","name":")" + std::string(size - empty, 'x') + "\"}"));
    ASSERT_EQ(text.size(), size);
    EXPECT_EQ(fault_of(text), size > 65536 ? "it has more than 65536 bytes" : "") << size;
  }
}

} // namespace troupe::tests::initialize_request_test
