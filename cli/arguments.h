#pragma once
// Arguments in our own notation, read strictly: whole numbers without surprises, durations with units.

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/terminal.h"
#include "reports/campaign.h"
#include "reports/protocol_override.h"

namespace mirrorproof::cli {

/// Decimal digits only, within [low, high].
std::optional<std::uint64_t> parse_number(std::string_view text, std::uint64_t low, std::uint64_t high);
/// "2/4": the second of four, as {1, 4}.
std::optional<reports::Shard> parse_shard(std::string_view text);

/// Options that read into `value`; anything else is a usage error that says what was found and expected.
CLI::Option* add_number(CLI::App& app, const std::string& name, std::optional<std::uint64_t>& value,
                        std::uint64_t low, std::uint64_t high, const std::string& description);
CLI::Option* add_duration(CLI::App& app, const std::string& name,
                          std::optional<std::chrono::milliseconds>& value, const std::string& description);
CLI::Option* add_shard(CLI::App& app, const std::string& name, std::optional<reports::Shard>& value,
                       const std::string& description);

void add_output_options(CLI::App& app, OutputOptions& options);
void add_protocol_options(CLI::App& app, reports::ProtocolOverride& override);

}  // namespace mirrorproof::cli
