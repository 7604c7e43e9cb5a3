// The section "readers".

#include <algorithm>
#include <set>

#include "scenarios/reading.h"
#include "scenarios/text_tools.h"

namespace mirrorproof::scenarios {
namespace {

int group_index(const Cursor& name, sim::Setup& setup) {
  const std::optional<std::string> text = name.string();
  if (!text) {
    return -1;
  }
  const auto found = std::find(setup.groups.begin(), setup.groups.end(), *text);
  if (found == setup.groups.end()) {
    setup.groups.push_back(*text);
    return static_cast<int>(setup.groups.size()) - 1;
  }
  return static_cast<int>(found - setup.groups.begin());
}

}  // namespace

void read_readers(const Cursor& readers, Reading& reading) {
  std::set<std::string> taken;
  for (const Cursor& entry : readers.elements()) {
    const std::optional<std::string> name = entry["name"].string();
    const std::optional<ClusterId> cluster = reading.cluster(entry["cluster"]);
    if (!name || !cluster) {
      reading.readers_known = false;
      continue;
    }
    if (!taken.insert(*name).second) {
      reading.problems.add(entry["name"].pointer(), "the name " + in_quotes(*name) + " again",
                           "another name for each reader");
    }
    const std::optional<PartitionId> partition = reading.partition_of(entry["partition"], entry, *cluster);
    if (!partition) {
      reading.readers_known = false;
      continue;
    }
    sim::ReaderSetup reader;
    reader.name = *name;
    reader.cluster = *cluster;
    reader.partition = *partition;
    reader.read_committed = entry["isolation"].string().value_or("") == "read_committed";
    reader.sends_epochs = entry["epochs"].boolean().value_or(true);
    reader.group = group_index(entry["group"], reading.scenario.setup);
    reading.scenario.setup.readers.push_back(std::move(reader));
  }
}

}  // namespace mirrorproof::scenarios
