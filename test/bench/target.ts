/** A server under load: ours or a peer's, both behind the ADK API server's contract. */
export interface Target extends AsyncDisposable {
  readonly name: string;
  /** http:// address without a trailing slash. */
  readonly url: string;
  /** The app whose agent answers at once with one fixed text. */
  readonly app: string;
  readonly token?: string;
  /** The process, or the processes, that do the work. */
  readonly pids: readonly number[];
}

/** How a target is started; it is stopped by disposing it. */
export interface Candidate {
  readonly name: string;
  start(): Promise<Target>;
}
