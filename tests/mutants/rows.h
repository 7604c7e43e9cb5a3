#pragma once
// What the judge is tested with: one row for each fault compiled in (model/mutant.h), and one for each wrong
// variant of the protocol that an option switches on.

#include <cstdint>
#include <string>
#include <vector>

#include "model/mutant.h"
#include "model/protocol_options.h"

namespace mirrorproof::mutants {

struct Row {
  std::string name;   ///< kebab-case
  std::string rule;   ///< of protocol.md, or a KIP; empty for variants
  std::string fault;  ///< in one sentence
  Mutant mutant = Mutant::none;
  std::string base_name;   ///< what the fault is put into, for a person
  ProtocolOptions base;    ///< right as far as the fault goes
  ProtocolOptions faulty;  ///< the base; for a variant with its option changed
  std::string unhunted;    ///< why no seed is tried: who catches it otherwise, or why nobody can
};

/// In the order of model/mutant_list.inc.
std::vector<Row> mutant_rows();
/// Every wrong value of an option (docs/scenarios.md).
std::vector<Row> variant_rows();

}  // namespace mirrorproof::mutants
