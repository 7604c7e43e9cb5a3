#include "provenance/verifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "provenance/facts.h"

namespace mirrorproof::provenance {
namespace {

std::optional<ClusterId> cluster_named(const TraceHeader& header, const std::string& name) {
  for (std::size_t i = 0; i < header.clusters.size(); ++i) {
    if (header.clusters[i].name == name) {
      return static_cast<ClusterId>(i);
    }
  }
  return std::nullopt;
}

template <class Payload>
const Payload* payload_of(const Event* event) {
  return event == nullptr ? nullptr : std::get_if<Payload>(&event->payload);
}

class Verifier {
 public:
  Verifier(const Certificate& certificate, const Trace& trace)
      : certificate_(certificate), header_(trace.header), watched_(watched()), facts_(trace, watched_) {
    if (!facts_.problem().empty()) {
      refuse("", facts_.problem());
      return;
    }
    expect(certificate.scenario == header_.scenario, "/scenario", "the trace is of another scenario");
    expect(certificate.seed == header_.seed, "/seed", "the trace is of another seed");
    expect(certificate.events == trace.events.size(), "/events", "the trace has another number of events");
    check_completeness();
    for (std::size_t i = 0; i < certificate.truncations.size(); ++i) {
      check_truncation(certificate.truncations[i], fmt::format("/truncations/{}", i));
    }
  }

  Verification take() {
    result_.truncations = certificate_.truncations.size();
    result_.uncertified = certificate_.uncertified.size();
    for (const TruncationClaim& claim : certificate_.truncations) {
      result_.records += claim.records.size();
    }
    return std::move(result_);
  }

 private:
  void refuse(const std::string& at, std::string_view why) {
    if (result_.refusals.size() < kMaxRefusals) {
      result_.refusals.push_back(fmt::format("{}: {}", at, why));
    }
  }
  bool expect(bool condition, const std::string& at, std::string_view why) {
    if (!condition) {
      refuse(at, why);
    }
    return condition;
  }

  /// A cluster that the trace does not know gives a key that no batch has.
  BatchKey key_of(const RecordClaim& claim) const {
    const ClusterId cluster = cluster_named(header_, claim.first_cluster).value_or(kNoCluster);
    return {RecordId::make(cluster, claim.first_serial).packed, claim.base_offset, claim.last_offset};
  }
  std::set<BatchKey> watched() const {
    std::set<BatchKey> keys;
    for (const TruncationClaim& truncation : certificate_.truncations) {
      for (const RecordClaim& record : truncation.records) {
        keys.insert(key_of(record));
      }
    }
    return keys;
  }

  /// Every mirror truncation of the trace is spoken of, once.
  void check_completeness() {
    std::set<EventId> named;
    const auto name = [&](EventId event, const std::string& at) {
      expect(facts_.mirror_cuts().contains(event), at, "no event in which a mirror removed records");
      expect(named.insert(event).second, at, "the truncation is named twice");
    };
    for (std::size_t i = 0; i < certificate_.truncations.size(); ++i) {
      name(certificate_.truncations[i].event, fmt::format("/truncations/{}/event", i));
    }
    for (std::size_t i = 0; i < certificate_.uncertified.size(); ++i) {
      name(certificate_.uncertified[i], fmt::format("/uncertified/{}", i));
    }
    for (const auto& [event, removed] : facts_.mirror_cuts()) {
      expect(named.contains(event), "/truncations",
             fmt::format("the mirror truncation of event {} is left out", event));
    }
  }

  void check_truncation(const TruncationClaim& claim, const std::string& at) {
    const Event* event = facts_.event(claim.event);
    const auto* cut = payload_of<Truncated>(event);
    const auto source = cluster_named(header_, claim.source);
    if (cut == nullptr || !facts_.mirror_cuts().contains(claim.event)) {
      return;  // refused already
    }
    const auto cluster = cluster_named(header_, claim.cluster);
    const bool here = cluster && *cluster == event->cluster && claim.broker == event->broker &&
                      header_.partitions[static_cast<std::size_t>(event->partition)].name == claim.partition;
    if (!expect(here, at, "the event happened on another replica") ||
        !expect(source && *source != event->cluster, at + "/source", "no other cluster of the trace")) {
      return;
    }
    expect(claim.offset == cut->target, at + "/offset", "the log was cut at another offset");
    check_answer(claim, *event, *cut, *source, at);

    const std::vector<Batch>& removed = facts_.mirror_cuts().at(claim.event);
    if (!expect(removed.size() == claim.records.size(), at + "/records",
                fmt::format("{} batches were removed, {} are named", removed.size(), claim.records.size()))) {
      return;
    }
    for (std::size_t i = 0; i < removed.size(); ++i) {
      const RecordClaim& record = claim.records[i];
      const std::string below = fmt::format("{}/records/{}", at, i);
      const bool same = key_of(record) == BatchKey{removed[i].first_id.packed, removed[i].base_offset,
                                                   removed[i].last_offset} &&
                        record.epoch == removed[i].epoch;
      if (expect(same, below, "other records were removed")) {
        check_record(record, *event, *source, below);
      }
    }
  }

  /// sent, handled and received are one exchange of `client` with a broker of the cluster; nullptr after
  /// refusing.
  const RequestHandled* check_exchange(const Exchange& exchange, const Event& client, ClusterId server,
                                       const std::string& at) {
    const Event* sent = facts_.event(exchange.sent);
    const Event* handled = facts_.event(exchange.handled);
    const Event* received = facts_.event(exchange.received);
    const auto* request = payload_of<RequestSent>(sent);
    const auto* answer = payload_of<RequestHandled>(handled);
    const auto at_client = [&client](const Event& event) {
      return event.cluster == client.cluster && event.broker == client.broker &&
             event.partition == client.partition;
    };
    const bool fits =
        request != nullptr && answer != nullptr && payload_of<ResponseReceived>(received) != nullptr &&
        at_client(*sent) && at_client(*received) && handled->cluster == server &&
        handled->partition == client.partition && request->server_cluster == server &&
        request->server_broker == handled->broker && facts_.needs(exchange.received, exchange.handled) &&
        facts_.needs(exchange.handled, exchange.sent);
    return expect(fits, at, "these events are not the request, the answer and the receipt of one exchange")
               ? answer
               : nullptr;
  }

  void check_answer(const TruncationClaim& claim, const Event& event, const Truncated& cut, ClusterId source,
                    const std::string& at) {
    if (!claim.answer) {
      const bool answered = std::any_of(event.causes.begin(), event.causes.end(), [this](EventId cause) {
        return payload_of<ResponseReceived>(facts_.event(cause)) != nullptr;
      });
      expect(!answered, at + "/answer", "the truncation goes back to an answer, and none is named");
      return;
    }
    const RequestHandled* answer = check_exchange(*claim.answer, event, source, at + "/answer");
    if (answer == nullptr ||
        !expect(facts_.needs(claim.event, claim.answer->received), at + "/answer/received",
                "the truncation does not go back to this receipt")) {
      return;
    }
    const bool epochs = cut.reason == TruncationReason::diverging_epoch ||
                        cut.reason == TruncationReason::offset_for_leader_epoch;
    if (!epochs || answer->answer.epoch < 0) {
      return;
    }
    for (const RecordClaim& record : claim.records) {
      expect(record.last_offset >= answer->answer.end_offset || record.epoch > answer->answer.epoch,
             at + "/answer", "the answer leaves a place for a record that was removed");
    }
  }

  void check_record(const RecordClaim& claim, const Event& cut, ClusterId source, const std::string& at) {
    const BatchKey key = key_of(claim);
    expect(facts_.origin(key) == claim.origin, at + "/origin", "the records came into the world elsewhere");
    check_arrival(claim, key, cut, at);
    const std::optional<Epoch> epoch = check_held(claim, key, cut, source, at + "/held");
    if (epoch) {
      check_killer(claim, key, cut, source, *epoch, at);
    }
    check_path(claim, cut.id, at + "/path");
  }

  void check_arrival(const RecordClaim& claim, const BatchKey& key, const Event& cut, const std::string& at) {
    const Place place{cut.cluster, cut.broker, cut.partition};
    const auto* append = payload_of<Appended>(facts_.event(claim.arrived));
    if (!expect(append != nullptr && facts_.arrival(place, key, cut.id) == claim.arrived, at + "/arrived",
                "the records came to this replica in another event")) {
      return;
    }
    const bool copied = append->origin == AppendOrigin::mirror || append->origin == AppendOrigin::replication;
    if (!expect(copied == claim.fetch.has_value(), at + "/fetch",
                copied ? "the records were fetched, and no exchange is named" : "nothing was fetched") ||
        !copied) {
      return;
    }
    const RequestHandled* answer = check_exchange(*claim.fetch, cut, append->source_cluster, at + "/fetch");
    if (answer == nullptr) {
      return;
    }
    expect(facts_.event(claim.fetch->handled)->broker == append->source_broker, at + "/fetch/handled",
           "another broker served the records");
    expect(answer->first_offset >= 0 && answer->first_offset <= key.base_offset, at + "/fetch/handled",
           "the answer did not carry the records");
    expect(facts_.needs(claim.arrived, claim.fetch->received), at + "/fetch/received",
           "the records were appended because of another receipt");
  }

  /// The epoch of the reign in which a broker of the source held the records; nothing after refusing.
  std::optional<Epoch> check_held(const RecordClaim& claim, const BatchKey& key, const Event& cut,
                                  ClusterId source, const std::string& at) {
    const Event* appended = facts_.event(claim.held_appended);
    const Event* leader = facts_.event(claim.held_leader);
    const auto* append = payload_of<Appended>(appended);
    const auto* became = payload_of<BecameLeader>(leader);
    const bool one_replica = append != nullptr && became != nullptr && appended->cluster == source &&
                             leader->cluster == source && appended->broker == leader->broker &&
                             appended->partition == cut.partition && leader->partition == cut.partition;
    if (!expect(one_replica, at, "not an append and a take-over of one broker of the source")) {
      return std::nullopt;
    }
    const Place place{source, leader->broker, cut.partition};
    const EventId later = std::max(claim.held_appended, claim.held_leader);
    const bool held =
        facts_.held(place, key, later) && facts_.arrival(place, key, later + 1) == claim.held_appended;
    if (!expect(held, at + "/appended", "the broker did not hold the records because of this event")) {
      return std::nullopt;
    }
    // A mirror's append tells the source's epoch.
    const bool in_epoch = append->origin == AppendOrigin::mirror || append->leader_epoch == became->epoch;
    const bool in_reign = claim.held_appended < claim.held_leader ||
                          (in_epoch && facts_.led_throughout(place, claim.held_leader, claim.held_appended));
    return expect(in_reign, at + "/became_leader", "the broker did not lead while it held the records")
               ? std::optional(became->epoch)
               : std::nullopt;
  }

  void check_killer(const RecordClaim& claim, const BatchKey& key, const Event& cut, ClusterId source,
                    Epoch held_in, const std::string& at) {
    const Event* killer = facts_.event(claim.killer);
    if (!expect(killer != nullptr && killer->cluster == source && killer->partition == cut.partition &&
                    killer->id < cut.id,
                at + "/killer", "not an event of the source before the truncation")) {
      return;
    }
    const std::vector<TakeOver> reigns = facts_.take_overs(source, cut.partition, cut.id);
    EventId lost = claim.killer;
    Epoch lost_in = held_in;
    if (const auto* upstream = payload_of<Truncated>(killer); upstream != nullptr) {
      const Place place{source, killer->broker, cut.partition};
      const bool certified =
          std::any_of(certificate_.truncations.begin(), certificate_.truncations.end(),
                      [&](const TruncationClaim& other) {
                        return other.event == claim.killer &&
                               std::any_of(other.records.begin(), other.records.end(),
                                           [&](const RecordClaim& record) { return key_of(record) == key; });
                      });
      expect(certified && claim.heir == 0, at + "/killer",
             "no certified truncation of the source that removed these records");
      expect(facts_.event(claim.held_leader)->broker == killer->broker &&
                 facts_.arrival(place, key, killer->id) != 0,
             at + "/killer", "the source's leader did not lose the records in this event");
    } else {
      const auto* election = payload_of<Election>(killer);
      if (!expect(election != nullptr && election->kind == ElectionKind::unclean && election->epoch > held_in,
                  at + "/killer", "not an unclean election after the records were held")) {
        return;
      }
      if (!check_heir(claim, key, cut, source, *election, held_in, reigns, at) ||
          !check_latest(claim, cut, source, *election, at)) {
        return;
      }
      if (const auto* became = payload_of<BecameLeader>(facts_.event(claim.heir)); became != nullptr) {
        lost = claim.heir;
        lost_in = became->epoch;
      }
    }
    // Nobody brought them back, as far as whoever truncated could know.
    for (const TakeOver& reign : reigns) {
      const Place place{source, reign.broker, cut.partition};
      const bool back = reign.event > lost && reign.event < cut.id && reign.epoch > lost_in &&
                        facts_.held(place, key, reign.event) && facts_.in_past(reign.event, cut.id);
      expect(!back, at + "/killer",
             fmt::format("the take-over of event {} brought the records back", reign.event));
    }
  }

  /// The first to take over after the killer lacks the records, and nobody reigned in between.
  bool check_heir(const RecordClaim& claim, const BatchKey& key, const Event& cut, ClusterId source,
                  const Election& election, Epoch held_in, const std::vector<TakeOver>& reigns,
                  const std::string& at) {
    const auto first = std::find_if(reigns.begin(), reigns.end(), [&election](const TakeOver& reign) {
      return reign.epoch >= election.epoch;
    });
    if (claim.heir == 0) {
      const bool lacks =
          election.leader != kNoBroker &&
          !facts_.held({source, election.leader, cut.partition}, key, std::numeric_limits<EventId>::max());
      return expect(first == reigns.end() && lacks, at + "/heir",
                    "somebody took over after the killer, or its heir has the records");
    }
    if (!expect(first != reigns.end() && first->event == claim.heir, at + "/heir",
                "not the first take-over of the source after the killer")) {
      return false;
    }
    const bool between = std::any_of(reigns.begin(), first, [&](const TakeOver& reign) {
      return reign.epoch > held_in && reign.epoch < first->epoch;
    });
    return expect(!between, at + "/held/became_leader", "somebody else led before the killer") &&
           expect(!facts_.held({source, first->broker, cut.partition}, key, first->event), at + "/heir",
                  "the heir has the records");
  }

  /// Of several unclean elections before the heir's take-over the last one is what made it leader: those
  /// before it gave the partition to nobody.
  bool check_latest(const RecordClaim& claim, const Event& cut, ClusterId source, const Election& election,
                    const std::string& at) {
    const auto* became = payload_of<BecameLeader>(facts_.event(claim.heir));
    const Epoch until = became == nullptr ? std::numeric_limits<Epoch>::max() : became->epoch;
    const auto unclean = facts_.unclean_elections(source, cut.partition, cut.id);
    const auto later = std::find_if(unclean.begin(), unclean.end(), [&](const auto& other) {
      const bool known = claim.heir != 0 || other.first < cut.id;
      return known && other.second > election.epoch && other.second <= until;
    });
    return expect(
        later == unclean.end(), at + "/killer",
        later == unclean.end()
            ? std::string{}
            : fmt::format("the unclean election of event {} came between it and its heir", later->first));
  }

  void check_path(const RecordClaim& claim, EventId cut, const std::string& at) {
    if (!expect(claim.path.size() >= 2 && claim.path.front() == claim.killer && claim.path.back() == cut, at,
                "the path does not lead from the killer to the truncation")) {
      return;
    }
    for (std::size_t i = 1; i < claim.path.size(); ++i) {
      const EventId cause = claim.path[i - 1];
      const EventId effect = claim.path[i];
      if (!expect(cause != 0 && (facts_.needs(effect, cause) || facts_.previous(effect) == cause),
                  fmt::format("{}/{}", at, i), "the event does not need the one before it on the path")) {
        return;
      }
    }
  }

  const Certificate& certificate_;
  const TraceHeader& header_;
  std::set<BatchKey> watched_;
  Facts facts_;
  Verification result_;
};

}  // namespace

Verification verify(const Certificate& certificate, const Trace& trace) {
  return Verifier(certificate, trace).take();
}

}  // namespace mirrorproof::provenance
