#include "scenarios/swarm_bounds.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "scenarios/document.h"
#include "scenarios/reading.h"
#include "scenarios/text_tools.h"

namespace mirrorproof::scenarios {
namespace {

constexpr int kMostActions = 10'000'000;

void read_range(const Cursor& field, int low, int high, sim::SwarmRange& range, Problems& problems) {
  const std::optional<int> least = field["min"].integer(low, high);
  const std::optional<int> most = field["max"].integer(low, high);
  // Naming one end moves the other out of its way.
  if (least) {
    range = {*least, std::max(*least, range.max)};
  }
  if (most) {
    range = {least ? range.min : std::min(*most, range.min), *most};
  }
  if (range.min > range.max) {
    problems.add(field["max"].pointer(), fmt::format("{}", range.max),
                 fmt::format("at least the \"min\" of {}", range.min));
    range.max = range.min;
  }
}

void read_versions(const Cursor& field, sim::SwarmOptions& options, Problems& problems) {
  const auto version = [](const Cursor& name) {
    const std::optional<std::string> text = name.string();
    return text ? parse_kafka_version(*text) : std::nullopt;
  };
  options.oldest = version(field["from"]).value_or(options.oldest);
  options.newest = version(field["to"]).value_or(options.newest);
  if (options.newest < options.oldest) {
    problems.add(field["to"].exists() ? field["to"].pointer() : field.pointer(),
                 in_quotes(kafka_version_name(options.newest)),
                 fmt::format("{} or newer", kafka_version_name(options.oldest)));
  }
}

void read_fault(const std::string& name, const Cursor& value, sim::SwarmOptions& options,
                Problems& problems) {
  const std::optional<sim::ActionClass> kind = parse_enum<sim::ActionClass>(name);
  if (!kind || sim::is_protocol_class(*kind)) {
    return;
  }
  sim::SwarmLimit& limit = options.limits[static_cast<std::size_t>(*kind)];
  if (const std::optional<int> most = value.integer(0, 1'000'000'000)) {
    limit.most = *most;
  } else if (const std::optional<bool> on = value.boolean()) {
    if (*on && !sim::may_be_in_every_seed(*kind)) {
      problems.add(value.pointer(), "true",
                   fmt::format("false or a number: {} fits only some of the worlds that seeds draw", name));
    }
    limit.most = *on ? limit.most : 0;
    limit.always = *on;
  }
}

}  // namespace

std::vector<Problem> read_swarm_bounds(std::string_view text, std::string_view file_name,
                                       sim::SwarmOptions& options) {
  return read_document(
      text, file_name, SchemaName::swarm_bounds, [&options](const Cursor& root, Problems& problems) {
        read_range(root["clusters"], 1, kMaxClusters, options.clusters, problems);
        read_range(root["brokers"], 1, kMaxBrokers, options.brokers, problems);
        if (root["destination_brokers"].exists()) {
          sim::SwarmRange range = options.brokers;
          read_range(root["destination_brokers"], 1, kMaxBrokers, range, problems);
          options.destination_brokers = range;
        }
        read_range(root["partitions"], 1, kMaxBrokers, options.partitions, problems);
        read_range(root["actions"], sim::kLeastSwarmActions, kMostActions, options.actions, problems);
        read_versions(root["versions"], options, problems);
        if (const Cursor subjects = root["subjects"]; subjects.exists()) {
          options.subjects = {};
          for (const Cursor& name : subjects.elements()) {
            if (const auto subject = read_enum<sim::SwarmSubject>(name)) {
              options.subjects.set(static_cast<std::size_t>(*subject));
            }
          }
        }
        options.faults = read_enum<sim::FaultClass>(root["fault_class"]).value_or(options.faults);
        for (const auto& [name, value] : root["faults"].members()) {
          read_fault(name, value, options, problems);
        }
        if (problems.empty() && sim::possible_subjects(options).none()) {
          problems.add(root["subjects"].pointer(), "only subjects that the other bounds rule out",
                       "one that fits: elections need 1 cluster, old_source, source_ule and failback 2 "
                       "(old_source versions "
                       "before 2.7 too), mixed at least 2");
        }
      });
}

std::vector<Problem> read_swarm_bounds_file(const std::string& path, sim::SwarmOptions& options) {
  const FileText file = read_document_file(path, "a file with swarm bounds");
  if (file.problem) {
    return {*file.problem};
  }
  return read_swarm_bounds(file.text, path, options);
}

bool parse_version_range(std::string_view text, sim::SwarmOptions& options) {
  const std::size_t dots = text.find("..");
  const auto from = parse_kafka_version(text.substr(0, dots));
  const auto to = dots == std::string_view::npos ? from : parse_kafka_version(text.substr(dots + 2));
  if (!from || !to || *to < *from) {
    return false;
  }
  options.oldest = *from;
  options.newest = *to;
  return true;
}

}  // namespace mirrorproof::scenarios
