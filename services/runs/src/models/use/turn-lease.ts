/** The lease of a run's turn, by the monotonic clock of its executor. */
export interface TurnLease {
  /**
   * To be asked before an effect outside of the run: a call of a model or a tool, a partial event for a viewer. Undefined while the lease holds. When it is
   * over, because this process was stopped or cut off, another executor may have taken the run: then the lease is renewed. Rejects with the reason why the
   * attempt ends when the turn is lost, or the lease cannot be renewed.
   */
  hold(): Promise<void> | undefined;
}
