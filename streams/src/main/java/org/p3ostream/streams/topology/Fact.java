package org.p3ostream.streams.topology;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;

/** Something that happened in the run, cut down to what the accounting needs. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "fact")
@JsonSubTypes({
  @JsonSubTypes.Type(value = RolloutFact.class, name = "rollout"),
  @JsonSubTypes.Type(value = LedgerFact.class, name = "ledger")
})
sealed interface Fact permits RolloutFact, LedgerFact {}
