import type { BaseAgent } from '@google/adk';

/** One version of an application: its agents are built once and run many times at once. */
export interface App {
  readonly name: string;
  /** The texts it was made of. */
  readonly source: string;
  readonly root: BaseAgent;
  /** AppInfo as public JSON; absent when the root agent is a workflow. */
  readonly infoJson?: Uint8Array;
  /** Its tree of agents as public JSON. */
  readonly graphJson: Uint8Array;
}
