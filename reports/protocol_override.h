#pragma once
// Protocol options given as words, on top of what a scenario says; and as JSON.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "model/protocol_options.h"

namespace mirrorproof::reports {

struct ProtocolOverride {
  std::string preset;                 ///< empty: start from what is there
  std::vector<std::string> settings;  ///< "alignment=epoch_only"
  bool empty() const { return preset.empty() && settings.empty(); }
};

/// Changes `options`; returns every problem, in words ("--protocol alignment=x: found \"x\", expected one of
/// ...").
std::vector<std::string> apply(const ProtocolOverride& override, ProtocolOptions& options);

/// Every option by its name.
nlohmann::ordered_json protocol_options_json(const ProtocolOptions& options);

}  // namespace mirrorproof::reports
