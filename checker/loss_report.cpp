#include "checker/loss_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "checker/describe.h"

namespace mirrorproof::checker {
namespace {

std::string loss_text(const LossReported& loss) {
  return fmt::format("{} records of offsets {} to {} ({})", loss.records, loss.first, loss.end - 1,
                     loss.kind == LossKind::discarded ? "discarded" : "never to be copied");
}

bool same_loss(const LossReported& left, const LossReported& right) {
  return left.kind == right.kind && left.first == right.first && left.end == right.end &&
         left.records == right.records;
}

}  // namespace

LossReport::Loss LossReport::loss_of(const Event& event, const LossReported& what) {
  Loss loss;
  loss.event.id = event.id;
  loss.event.cluster = event.cluster;
  loss.event.broker = event.broker;
  loss.event.partition = event.partition;
  loss.event.step = event.step;
  loss.what = what;
  return loss;
}

void LossReport::truncated(const Replay& replay, const Event& event, const Truncated& cut,
                           const std::vector<LogEntry>& removed) {
  if (!replay.header().reports_losses || !cut.by_mirror) {
    return;
  }
  if (!removed.empty()) {
    std::int64_t records = 0;
    for (const LogEntry& entry : removed) {
      records += entry.batch.record_count();
    }
    losses_.push_back(loss_of(event, {LossKind::discarded, removed.front().batch.base_offset,
                                      removed.back().batch.next_offset(), records}));
  }
  if (cut.target > cut.log_end_before && cut.reason == TruncationReason::out_of_range) {
    losses_.push_back(loss_of(
        event, {LossKind::never_copied, cut.log_end_before, cut.target, cut.target - cut.log_end_before}));
  }
}

void LossReport::reported(const Event& event, const LossReported& loss) {
  reports_.push_back(loss_of(event, loss));
}

void LossReport::end_step(const Replay& replay, Findings& findings) {
  for (const Loss& loss : losses_) {
    const auto found = std::find_if(reports_.begin(), reports_.end(), [&loss](const Loss& report) {
      return report.event.cluster == loss.event.cluster && report.event.partition == loss.event.partition &&
             same_loss(report.what, loss.what);
    });
    if (found != reports_.end()) {
      reports_.erase(found);
      continue;
    }
    findings.report(Invariant::loss_report, "loss-not-reported", loss.event, [&] {
      return fmt::format("{}: lost {}, and does not say so", replica_name(replay.header(), loss.event),
                         loss_text(loss.what));
    });
  }
  for (const Loss& report : reports_) {
    if (!replay.header().reports_losses) {
      break;
    }
    findings.report(Invariant::loss_report, "reported-loss-did-not-happen", report.event, [&] {
      return fmt::format("{}: reports {}, which did not happen", replica_name(replay.header(), report.event),
                         loss_text(report.what));
    });
  }
  losses_.clear();
  reports_.clear();
}

}  // namespace mirrorproof::checker
