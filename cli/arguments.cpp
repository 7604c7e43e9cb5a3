#include "cli/arguments.h"

#include <fmt/format.h>

#include <charconv>

#include "reports/duration.h"
#include "scenarios/text_tools.h"

namespace mirrorproof::cli {
namespace {

std::string refusal(std::string_view found, std::string_view expected) {
  return fmt::format("found {}, expected {}", scenarios::in_quotes(found), expected);
}

}  // namespace

std::optional<std::uint64_t> parse_number(std::string_view text, std::uint64_t low, std::uint64_t high) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size() && !text.empty();
  return whole && value >= low && value <= high ? std::optional(value) : std::nullopt;
}

std::optional<reports::Shard> parse_shard(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) {
    return std::nullopt;
  }
  const auto count = parse_number(text.substr(slash + 1), 1, reports::kMostShards);
  const auto index = count ? parse_number(text.substr(0, slash), 1, *count) : std::nullopt;
  return index ? std::optional(reports::Shard{*index - 1, *count}) : std::nullopt;
}

CLI::Option* add_number(CLI::App& app, const std::string& name, std::optional<std::uint64_t>& value,
                        std::uint64_t low, std::uint64_t high, const std::string& description) {
  const auto read = [&value, name, low, high](const std::string& text) {
    value = parse_number(text, low, high);
    if (!value) {
      throw CLI::ValidationError(name, refusal(text, fmt::format("an integer from {} to {}", low, high)));
    }
  };
  return app.add_option_function<std::string>(name, read, description)->type_name("N");
}

CLI::Option* add_duration(CLI::App& app, const std::string& name,
                          std::optional<std::chrono::milliseconds>& value, const std::string& description) {
  const auto read = [&value, name](const std::string& text) {
    value = reports::parse_duration(text);
    if (!value) {
      throw CLI::ValidationError(name, refusal(text, "a duration such as 500ms, 60s, 5m or 2h"));
    }
  };
  return app.add_option_function<std::string>(name, read, description)->type_name("TIME");
}

CLI::Option* add_shard(CLI::App& app, const std::string& name, std::optional<reports::Shard>& value,
                       const std::string& description) {
  const auto read = [&value, name](const std::string& text) {
    value = parse_shard(text);
    if (!value) {
      throw CLI::ValidationError(name, refusal(text, "a shard such as 1/4 (the first of four)"));
    }
  };
  return app.add_option_function<std::string>(name, read, description)->type_name("I/N");
}

void add_output_options(CLI::App& app, OutputOptions& options) {
  app.add_flag("--json", options.json, "Print one JSON document and nothing else");
  app.add_flag("--no-color", options.no_color, "No colour, even on a terminal (NO_COLOR does the same)");
}

void add_protocol_options(CLI::App& app, reports::ProtocolOverride& override) {
  app.add_option("--preset", override.preset, "Protocol to start from: as_proposed, prototype or hardened")
      ->type_name("NAME");
  app.add_option("--protocol", override.settings,
                 "Change a protocol option, such as alignment=epoch_only; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->delimiter(',');
}

}  // namespace mirrorproof::cli
