// The script: one ScriptStep for each element of "steps".

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/reading.h"
#include "scenarios/step_shape.h"
#include "scenarios/text_tools.h"

namespace mirrorproof::scenarios {
namespace {

constexpr std::int64_t kMaxRounds = 1'000'000;
constexpr std::int64_t kMaxActions = 10'000'000;
constexpr std::int64_t kMaxRecords = 1'000;

struct Endpoint {
  ClusterId cluster = kNoCluster;
  BrokerId broker = kNoBroker;
  friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

class StepReader {
 public:
  StepReader(const Cursor& step, Reading& reading) : step_(step), reading_(reading) {}

  /// Nothing if some field is missing or wrong (and reported).
  std::optional<sim::ScriptStep> read() {
    const std::optional<std::string> what = step_["do"].string();
    if (!what) {
      return std::nullopt;
    }
    out_.pointer = step_.pointer();
    out_.note = step_["note"].string().value_or("");
    const bool ok = read_special(*what) || read_action(*what);
    return ok ? std::optional(std::move(out_)) : std::nullopt;
  }

 private:
  bool read_special(const std::string& what) {
    if (what == "settle") {
      out_.kind = sim::StepKind::settle;
      out_.count = step_["rounds"].integer(1, kMaxRounds).value_or(0);
      return true;
    }
    if (what == "converge") {
      out_.kind = sim::StepKind::converge;
      out_.count = step_["rounds"].integer(1, kMaxRounds).value_or(0);
      return true;
    }
    if (what == "random") {
      out_.kind = sim::StepKind::random;
      reading_.readers_moved.assign(reading_.scenario.setup.readers.size(), true);
      out_.count = step_["actions"].integer(1, kMaxActions).value_or(0);
      return true;
    }
    if (what == "mark") {
      out_.kind = sim::StepKind::mark;
      return true;
    }
    if (what == "hold" || what == "release") {
      out_.kind = what == "hold" ? sim::StepKind::hold : sim::StepKind::release;
      out_.held = read_enum<sim::Held>(step_["what"]).value_or(sim::Held::fetch);
      return cluster() && broker("broker");
    }
    return false;
  }

  bool read_action(const std::string& what) {
    const std::optional<sim::ActionClass> action = parse_enum<sim::ActionClass>(what);
    if (!action) {
      return false;
    }
    out_.kind = sim::StepKind::action;
    out_.action.kind = *action;
    switch (shape_of(*action)) {
      case StepShape::connection:
        return connection();
      case StepShape::backoff:
        return connection() && backoff_partition();
      case StepShape::isr_shrink:
        return cluster() && partition() && leader() && follower();
      case StepShape::at_leader:
        return cluster() && partition() && leader();
      case StepShape::produce:
        out_.action.number = step_["records"].integer(1, kMaxRecords).value_or(1);
        return cluster() && partition() && leader() && producer(false) && acks();
      case StepShape::produce_again:
        return cluster() && partition() && leader() && producer(true) && acks();
      case StepShape::end_transaction:
        if (step_["abort"].boolean().value_or(false)) {
          set(sim::ActionFlag::abort);
        }
        return cluster() && partition() && leader() && producer(true);
      case StepShape::read:
      case StepShape::at_reader:
        return reader() && reader_leader();
      case StepShape::resume_reader:
        return reader() && moves_reader() && cluster();
      case StepShape::at_cluster:
        return cluster();
      case StepShape::metadata_apply:
        out_.action.number = step_["records"].integer(1, kMaxRecords).value_or(0);
        return cluster() && broker("broker");
      case StepShape::at_broker:
        return cluster() && broker("broker");
      case StepShape::at_partition:
        return cluster() && partition();
      case StepShape::election:
        return cluster() && partition() && replica("broker");
      case StepShape::change_version:
        return cluster() && broker("broker") && version();
      case StepShape::between_clusters:
        return between_clusters();
      case StepShape::delete_records:
        out_.action.number = step_["log_start"].integer<Offset>(0, kMaxNotatedOffset).value_or(0);
        return cluster() && partition();
      case StepShape::min_isr:
        out_.action.number = step_["min_insync_replicas"].integer(1, kMaxBrokers).value_or(0);
        return cluster() && partition();
      case StepShape::compact:
        out_.action.number = step_["offset"].integer<Offset>(0, kMaxNotatedOffset).value_or(0);
        return cluster() && partition() && replica("broker");
      case StepShape::reassign:
        return cluster() && partition() && replicas();
      case StepShape::mirror_order:
        return mirror_order();
    }
    return false;
  }

  bool cluster() {
    const std::optional<ClusterId> id = reading_.cluster(step_["cluster"]);
    out_.action.cluster = id.value_or(kNoCluster);
    return id.has_value();
  }

  bool broker(std::string_view field) {
    const std::optional<BrokerId> id = reading_.broker(step_[field], out_.action.cluster);
    out_.action.broker = id.value_or(kNoBroker);
    return id.has_value();
  }

  bool partition() {
    const auto id = reading_.partition_of(step_["partition"], step_, out_.action.cluster);
    out_.action.partition = id.value_or(kNoPartition);
    return id.has_value();
  }

  void set(sim::ActionFlag flag) { out_.action.flags |= static_cast<std::uint8_t>(flag); }

  bool producer(bool needed) {
    const std::optional<int> id = step_["producer"].integer(0, 32767);
    out_.action.producer = static_cast<std::int16_t>(id.value_or(-1));
    if (!step_["transactional"].boolean().value_or(false)) {
      return id.has_value() || !needed;
    }
    set(sim::ActionFlag::transactional);
    if (!id) {
      reading_.problems.add(step_.pointer(), "a transactional write without \"producer\"",
                            "the id of its producer");
    }
    return id.has_value();
  }

  bool acks() {
    const std::string acks = step_["acks"].string().value_or("all");
    if (acks == "all") {
      set(sim::ActionFlag::acks_all);
    } else if (acks == "0") {
      set(sim::ActionFlag::acks_none);
    }
    return true;
  }

  bool reader() {
    const Cursor name = step_["reader"];
    const std::optional<std::string> wanted = name.string();
    const auto& readers = reading_.scenario.setup.readers;
    const auto found = std::find_if(readers.begin(), readers.end(), [&](const sim::ReaderSetup& reader) {
      return wanted && reader.name == *wanted;
    });
    if (found == readers.end()) {
      if (wanted && reading_.readers_known) {
        std::vector<std::string> names;
        names.reserve(readers.size());
        for (const sim::ReaderSetup& reader : readers) {
          names.push_back(reader.name);
        }
        reading_.problems.add(name.pointer(), "an unknown reader " + in_quotes(*wanted),
                              names.empty() ? "a reader that \"readers\" declares"
                                            : one_of({names.begin(), names.end()}, *wanted));
      }
      return false;
    }
    out_.action.producer = static_cast<std::int16_t>(found - readers.begin());
    out_.action.cluster = found->cluster;
    out_.action.partition = found->partition;
    return true;
  }

  bool moves_reader() {
    std::vector<bool>& moved = reading_.readers_moved;
    moved.resize(reading_.scenario.setup.readers.size());
    moved[static_cast<std::size_t>(out_.action.producer)] = true;
    return true;
  }

  /// Who has moved on names a broker of the cluster it is in when the step runs.
  bool reader_leader() {
    const auto reader = static_cast<std::size_t>(out_.action.producer);
    const bool moved = reader < reading_.readers_moved.size() && reading_.readers_moved[reader];
    if (!moved || !step_["broker"].exists()) {
      return leader();
    }
    const std::optional<BrokerId> id = step_["broker"].integer<BrokerId>(0, kMaxBrokers - 1);
    out_.action.broker = id.value_or(kNoBroker);
    return id.has_value();
  }

  bool replica(std::string_view field) {
    return broker(field) && reading_.check_replica(step_[field], out_.action.broker, out_.action.cluster,
                                                   out_.action.partition);
  }

  /// The new assignment; from here on its brokers may be named as replicas.
  bool replicas() {
    ReplicaList target;
    BrokerSet named;
    for (const Cursor& number : step_["replicas"].elements()) {
      const std::optional<BrokerId> id = reading_.broker(number, out_.action.cluster);
      if (!id) {
        return false;
      }
      if (named.contains(*id)) {
        reading_.problems.add(number.pointer(), fmt::format("broker {} again", *id), "each broker once");
        return false;
      }
      if (target.size() == ReplicaList::static_capacity) {
        return false;
      }
      named.insert(*id);
      target.push_back(*id);
    }
    reading_.assign(out_.action.cluster, out_.action.partition, named);
    out_.action.number = sim::packed_replicas(target);
    return !target.empty();
  }

  bool leader() { return !step_["broker"].exists() || replica("broker"); }

  bool follower() {
    const Cursor number = step_["follower"];
    const std::optional<BrokerId> id = reading_.broker(number, out_.action.cluster);
    if (!id || !reading_.check_replica(number, *id, out_.action.cluster, out_.action.partition)) {
      return false;
    }
    if (*id == out_.action.broker) {
      reading_.problems.add(number.pointer(), fmt::format("broker {}, the leader", *id), "a follower");
      return false;
    }
    out_.action.other_broker = *id;
    return true;
  }

  bool version() {
    const std::optional<KafkaVersion> wanted = reading_.version(step_["version"]);
    if (!wanted) {
      return false;
    }
    const auto& mirrors = reading_.scenario.setup.mirrors;
    const bool is_destination = std::any_of(
        mirrors.begin(), mirrors.end(),
        [&](const sim::MirrorSetup& mirror) { return mirror.destination == out_.action.cluster; });
    if (is_destination && !can_mirror(*wanted)) {
      reading_.problems.add(
          step_["version"].pointer(),
          fmt::format("{} for a broker of {}, the destination of a mirror", describe(step_["version"].json()),
                      in_quotes(reading_.cluster_name(out_.action.cluster))),
          "4.3 or newer: older brokers cannot mirror");
      return false;
    }
    out_.action.number = wanted->index;
    return true;
  }

  std::optional<Endpoint> endpoint(std::string_view field) {
    const Cursor place = step_[field];
    const std::optional<std::string> text = place.string();
    if (!text || !reading_.clusters_known) {
      return std::nullopt;
    }
    const auto& clusters = reading_.scenario.setup.clusters;
    std::vector<std::string> names;
    for (std::size_t c = 0; c < clusters.size(); ++c) {
      for (std::size_t b = 0; b < clusters[c].brokers.size(); ++b) {
        names.push_back(fmt::format("{}/{}", clusters[c].name, b));
        if (names.back() == *text) {
          return Endpoint{static_cast<ClusterId>(c), static_cast<BrokerId>(b)};
        }
      }
    }
    reading_.problems.add(place.pointer(), "an unknown broker " + in_quotes(*text),
                          "cluster/broker: " + one_of({names.begin(), names.end()}, *text));
    return std::nullopt;
  }

  bool connection() {
    const std::optional<Endpoint> client = endpoint("client");
    const std::optional<Endpoint> server = endpoint("server");
    if (!client || !server) {
      return false;
    }
    const Cursor place = step_["server"];
    if (*client == *server) {
      reading_.problems.add(place.pointer(), "the client itself", "another broker");
      return false;
    }
    const bool refresh = out_.action.kind == sim::ActionClass::source_refresh;
    if (client->cluster == server->cluster) {
      if (refresh) {
        reading_.problems.add(place.pointer(), "a broker of the client's own cluster",
                              "a broker of a cluster that the client's cluster mirrors");
        return false;
      }
    } else if (!reading_.may_mirror(server->cluster, client->cluster)) {
      if (!reading_.mirrors_known) {
        return false;
      }
      reading_.problems.add(place.pointer(),
                            fmt::format("a broker of {}, which {} does not mirror",
                                        in_quotes(reading_.cluster_name(server->cluster)),
                                        in_quotes(reading_.cluster_name(client->cluster))),
                            refresh ? "a broker of a cluster that the client's cluster mirrors"
                                    : "a broker of the same cluster, or of one that it mirrors");
      return false;
    }
    out_.action.cluster = client->cluster;
    out_.action.broker = client->broker;
    out_.action.other_cluster = server->cluster;
    out_.action.other_broker = server->broker;
    return true;
  }

  /// A partition that both ends host.
  bool backoff_partition() {
    return partition() &&
           reading_.partition_of(step_["partition"], step_, out_.action.other_cluster).has_value();
  }

  bool between_clusters() {
    const std::vector<Cursor> both = step_["clusters"].elements();
    if (both.size() != 2) {
      return false;
    }
    const std::optional<ClusterId> one = reading_.cluster(both[0]);
    const std::optional<ClusterId> other = reading_.cluster(both[1]);
    if (!one || !other) {
      return false;
    }
    if (*one == *other) {
      reading_.problems.add(both[1].pointer(), "the same cluster again", "two clusters");
      return false;
    }
    out_.action.cluster = *one;
    out_.action.other_cluster = *other;
    return true;
  }

  bool mirror_order() {
    const std::optional<ClusterId> source = reading_.cluster(step_["source"]);
    const std::optional<ClusterId> destination = reading_.cluster(step_["destination"]);
    if (!source || !destination) {
      return false;
    }
    out_.action.cluster = *destination;
    out_.action.other_cluster = *source;
    const Cursor name = step_["partition"];
    const std::optional<PartitionId> id = reading_.partition(name, step_);
    if (!id) {
      return false;
    }
    out_.action.partition = *id;
    if (!reading_.may_mirror(*source, *destination, *id)) {
      if (reading_.mirrors_known) {
        reading_.problems.add(
            step_.pointer(),
            fmt::format("no mirror of {} from {} to {}",
                        in_quotes(reading_.scenario.setup.partitions[static_cast<std::size_t>(*id)].name),
                        in_quotes(reading_.cluster_name(*source)),
                        in_quotes(reading_.cluster_name(*destination))),
            "one that \"mirrors\" declares, or the reverse of one");
      }
      return false;
    }
    return out_.action.kind != sim::ActionClass::start_mirror ||
           reading_.check_destination(step_["destination"], *destination);
  }

  const Cursor& step_;
  Reading& reading_;
  sim::ScriptStep out_;
};

}  // namespace

void read_steps(const Cursor& steps, Reading& reading) {
  for (const Cursor& element : steps.elements()) {
    if (std::optional<sim::ScriptStep> step = StepReader(element, reading).read()) {
      reading.scenario.setup.steps.push_back(std::move(*step));
    }
  }
}

}  // namespace mirrorproof::scenarios
