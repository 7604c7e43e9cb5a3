#pragma once
// Rows of the kinds "cluster" and "leader_query" of fetcher-behaviours.json.

#include "vector_file.h"

namespace mirrorproof::vectors {

void run_cluster_row(const Json& row);
void run_leader_query_row(const Json& row);

}  // namespace mirrorproof::vectors
