/** A mistake in the fields of an agent. */
export interface AgentFault {
  /** Field, and keys and indexes inside it; empty for the agent as a whole. */
  readonly path: readonly string[];
  /** Text that may be shown to a user. */
  readonly reason: string;
}

/** Ends a write whose fields cannot be used: its transaction is rolled back. */
export class AgentFaults extends Error {
  override readonly name = 'AgentFaults';
  readonly faults: readonly AgentFault[];

  constructor(faults: readonly AgentFault[]) {
    super('The agent cannot be used.');
    this.faults = faults;
  }
}
