/** A server under load, ours or a peer's. Both serve the contract of the ADK API server. */
export interface Target extends AsyncDisposable {
  readonly name: string;
  /** http:// address without a trailing slash. */
  readonly url: string;
  /** Name of the app whose agent answers at once with one fixed text. */
  readonly app: string;
  readonly token?: string;
  /** Ids of the server's processes. */
  readonly pids: readonly number[];
}

/** A target that can be started. Dispose stops it. */
export interface Candidate {
  readonly name: string;
  start(): Promise<Target>;
}
