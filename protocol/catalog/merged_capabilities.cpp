#include "protocol/catalog/merged_capabilities.hpp"

#include "protocol/text/json.hpp"

namespace troupe::protocol {

bool server_capabilities::has(list_group group) const {
  return group == list_group::tools ? tools : group == list_group::prompts ? prompts : resources;
}

server_capabilities read_server_capabilities(std::string_view result) {
  auto has = [&](std::string_view name) {
    auto value = find_member(result, {"capabilities", name});
    return value && value->front() == '{';
  };
  auto subscribe = find_member(result, {"capabilities", "resources", "subscribe"}) == "true";
  return {has("tools"), has("prompts"), has("resources"), subscribe, has("logging"), has("completions")};
}

server_capabilities merged(const server_capabilities& a, const server_capabilities& b) {
  return {a.tools || b.tools,         a.prompts || b.prompts, a.resources || b.resources,
          a.subscribe || b.subscribe, a.logging || b.logging, a.completions || b.completions};
}

std::string capabilities_text(const server_capabilities& what) {
  std::string result = "{";
  auto add = [&](bool present, std::string_view text) {
    if (present)
      (result += result.size() > 1 ? "," : "") += text;
  };
  add(what.tools, R"("tools":{"listChanged":true})");
  add(what.prompts, R"("prompts":{"listChanged":true})");
  add(what.resources && what.subscribe, R"("resources":{"subscribe":true,"listChanged":true})");
  add(what.resources && !what.subscribe, R"("resources":{"listChanged":true})");
  add(what.logging, R"("logging":{})");
  add(what.completions, R"("completions":{})");
  return result += "}";
}

} // namespace troupe::protocol
