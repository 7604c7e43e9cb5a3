#include "reports/action_text.h"

#include <fmt/format.h>

#include "scenarios/text_tools.h"

namespace mirrorproof::reports {
namespace {

using C = sim::ActionClass;

constexpr std::size_t kLongestName = 100;

std::string cluster_name(const sim::Setup& setup, ClusterId cluster) {
  return cluster < 0 || static_cast<std::size_t>(cluster) >= setup.clusters.size()
             ? "?"
             : scenarios::printable(setup.clusters[static_cast<std::size_t>(cluster)].name, kLongestName);
}

/// A broker that is left open is the leader.
std::string broker_name(const sim::Setup& setup, ClusterId cluster, BrokerId broker) {
  const std::string name = cluster_name(setup, cluster);
  return broker == kNoBroker ? name + "'s leader" : fmt::format("{}/{}", name, broker);
}

std::string reader_name(const sim::Setup& setup, std::int16_t reader) {
  const auto index = static_cast<std::size_t>(reader);
  return reader < 0 || index >= setup.readers.size()
             ? "a reader"
             : "reader " + scenarios::printable(setup.readers[index].name, kLongestName);
}

/// What sets a write apart from a plain one with acks=all.
std::string write_text(const sim::Action& action) {
  std::string text;
  if (action.producer >= 0) {
    text = fmt::format(" as producer {}{}", action.producer,
                       action.has(sim::ActionFlag::transactional) ? " in a transaction" : "");
  }
  if (action.has(sim::ActionFlag::acks_none)) {
    text += " (acks=0)";
  } else if (!action.has(sim::ActionFlag::acks_all)) {
    text += " (acks=1)";
  }
  return text;
}

std::string sentence(const sim::Setup& setup, const sim::Action& action) {
  const std::string cluster = cluster_name(setup, action.cluster);
  const std::string broker = broker_name(setup, action.cluster, action.broker);
  const std::string other = broker_name(setup, action.other_cluster, action.other_broker);
  const std::string other_cluster = cluster_name(setup, action.other_cluster);
  switch (action.kind) {
    case C::fetcher_send:
      return fmt::format("{} sends its next request to {}", broker, other);
    case C::server_handle:
      return fmt::format("{} handles {}'s request", other, broker);
    case C::fetcher_receive:
      return fmt::format("{} gets {}'s answer", broker, other);
    case C::fetcher_backoff:
      return fmt::format("{} may ask {} again", broker, other);
    case C::isr_shrink:
      return fmt::format("{} proposes to drop broker {} from the ISR", broker, action.other_broker);
    case C::alter_partition:
      return fmt::format("the controller decides on the ISR that {} proposes", broker);
    case C::metadata_apply:
      return action.number > 1 ? fmt::format("{} applies {} metadata records at once", broker, action.number)
                               : fmt::format("{} applies its next metadata record", broker);
    case C::fence:
      return fmt::format("the controller fences {}", broker);
    case C::unfence:
      return fmt::format("the controller lets {} back in", broker);
    case C::mirror_step:
      return fmt::format("{} takes the next step of its mirror's work", broker);
    case C::epoch_bump:
      return fmt::format("{}'s controller raises the leader epoch", cluster);
    case C::position_write:
      return fmt::format("{}'s coordinator stores the last mirror position", cluster);
    case C::source_refresh:
      return fmt::format("{} asks {} for the source's leaders", broker, other);
    case C::produce:
      return fmt::format("a client writes {} to {}{}",
                         action.number == 1 ? "1 record" : fmt::format("{} records", action.number), broker,
                         write_text(action));
    case C::group_look_up:
      return fmt::format("{} looks up its log to sync group offsets", cluster);
    case C::group_write:
      return fmt::format("{} commits the group offsets of its source", cluster);
    case C::produce_again:
      return fmt::format("producer {} sends its last batch to {} once more", action.producer, broker);
    case C::produce_late:
      return fmt::format("a batch of producer {}'s last transaction reaches {} late", action.producer,
                         broker);
    case C::end_transaction:
      return fmt::format("producer {} {} its transaction at {}", action.producer,
                         action.has(sim::ActionFlag::abort) ? "aborts" : "commits", broker);
    case C::read:
      return fmt::format("{} reads from {}", reader_name(setup, action.producer), broker);
    case C::commit_group_offset:
      return fmt::format("{} commits its position for its group", reader_name(setup, action.producer));
    case C::resume_reader:
      return fmt::format("{} goes on in {} from what its group has committed",
                         reader_name(setup, action.producer), cluster);
    case C::recreate_topic:
      return fmt::format("{} deletes the topic and creates it again", cluster);
    case C::coordinator_failover:
      return fmt::format("{}'s mirror coordinator moves to another broker", cluster);
    case C::recover_mirror:
      return fmt::format("the operator tries {}'s failed mirror of {} again", cluster, other_cluster);
    case C::delete_mirror:
      return fmt::format("the operator deletes {}'s mirror of {}", cluster, other_cluster);
    case C::clean_election:
      return fmt::format("{} is to lead, by a clean election", broker);
    case C::unclean_election:
      return fmt::format("{} is to lead, by an unclean election", broker);
    case C::preferred_election:
      return fmt::format("{}: the first replica is to lead again", cluster);
    case C::set_min_insync_replicas:
      return fmt::format("{} sets min.insync.replicas to {}", cluster, action.number);
    case C::reassign:
      return fmt::format("{} assigns the replicas {}", cluster,
                         fmt::join(sim::unpacked_replicas(action.number), ", "));
    case C::crash:
      return fmt::format("{} crashes", broker);
    case C::restart:
      return fmt::format("{} starts again", broker);
    case C::power_loss:
      return fmt::format("{} loses power", broker);
    case C::shut_down:
      return fmt::format("{} shuts down in order", broker);
    case C::flush:
      return fmt::format("{} flushes its logs", broker);
    case C::change_version:
      return fmt::format("{} is restarted with Kafka {}", broker,
                         kafka_version_name(KafkaVersion{static_cast<std::int8_t>(action.number)}));
    case C::drop_connection:
      return fmt::format("the connection from {} to {} breaks", broker, other);
    case C::late_read:
      return fmt::format("the records of {}'s answer to {} are read from its log only now", other, broker);
    case C::cut_clusters:
      return fmt::format("{} and {} are cut off from each other", cluster, other_cluster);
    case C::heal_clusters:
      return fmt::format("{} and {} reach each other again", cluster, other_cluster);
    case C::cut_controller:
      return fmt::format("{} is cut off from its controller", broker);
    case C::heal_controller:
      return fmt::format("{} reaches its controller again", broker);
    case C::delete_records:
      return fmt::format("{} deletes the records below {}", cluster, action.number);
    case C::compact:
      return fmt::format("{}'s log cleaner takes the records of the batch at {}", broker, action.number);
    case C::cancel_reassignment:
      return fmt::format("{} cancels the reassignment under way", cluster);
    case C::start_mirror:
      return fmt::format("the operator starts {}'s mirror of {}", cluster, other_cluster);
    case C::stop_mirror:
      return fmt::format("the operator stops {}'s mirror of {}", cluster, other_cluster);
    case C::pause_mirror:
      return fmt::format("the operator pauses {}'s mirror of {}", cluster, other_cluster);
    case C::resume_mirror:
      return fmt::format("the operator resumes {}'s mirror of {}", cluster, other_cluster);
  }
  return "";
}

}  // namespace

std::string action_text(const sim::Setup& setup, const sim::Action& action) {
  std::string mark;
  if (setup.partitions.size() > 1 && action.partition != kNoPartition) {
    const std::string& name = setup.partitions[static_cast<std::size_t>(action.partition)].name;
    mark = " [" + scenarios::printable(name, kLongestName) + "]";
  }
  return fmt::format("{}: {}{}", to_string(action.kind), sentence(setup, action), mark);
}

std::string step_text(const sim::Setup& setup, const sim::ScriptStep& step) {
  const auto held = [&] {
    return fmt::format("{}'s {}", broker_name(setup, step.action.cluster, step.action.broker),
                       to_string(step.held));
  };
  switch (step.kind) {
    case sim::StepKind::action:
      return action_text(setup, step.action);
    case sim::StepKind::settle:
      return "settle: until nothing changes any more";
    case sim::StepKind::converge:
      return "converge: everything is healed, then until nothing changes any more";
    case sim::StepKind::random:
      return fmt::format("random: {} actions", step.count);
    case sim::StepKind::hold:
      return "hold: " + held();
    case sim::StepKind::release:
      return "release: " + held();
    case sim::StepKind::mark:
      return "mark";
  }
  return "";
}

}  // namespace mirrorproof::reports
