#include "actors/cluster/members_file.hpp"

#include "net/private_folder.hpp"
#include "net/watched_file.hpp"
#include "protocol/cluster/remembered_members.hpp"

#include <cstddef>
#include <filesystem>
#include <system_error>
#include <utility>
#include <variant>

namespace troupe::actors {

std::optional<std::vector<std::string>> members_file::read() const {
  std::error_code ignored;
  if (!std::filesystem::exists(path_, ignored))
    return std::nullopt;
  const auto ignore = [this](std::string name, std::string value) {
    log_(log_level::warning, "the file of members is ignored: this node looks for the others as on its first start",
         {{"file", path_}, {std::move(name), std::move(value)}});
    return std::nullopt;
  };
  const auto now = net::watched_file{path_, protocol::longest_members_text}.look();
  if (!now || !now->why_not.empty())
    return ignore("why", now ? now->why_not : "it is empty");
  auto result = protocol::read_members(now->text, node_);
  if (const auto* line = std::get_if<std::size_t>(&result))
    return ignore("wrong line", std::to_string(*line));
  return std::get<std::vector<std::string>>(std::move(result));
}

void members_file::write(const std::vector<std::string>& addresses) {
  newest_.with([&](auto& newest) { newest = protocol::members_text(node_, addresses); });
  writer_.post([this] { write_newest(); });
}

void members_file::write_newest() {
  const auto text = newest_.with([](auto& newest) { return std::exchange(newest, std::nullopt); });
  if (!text)
    return;
  const auto why = net::replace_file(path_, *text);
  if (!std::exchange(is_failing_, !why.empty()) && !why.empty())
    log_(log_level::warning, "the file of members cannot be written: this node looks for the others at its next start",
         {{"file", path_}, {"why", why}});
}

} // namespace troupe::actors
