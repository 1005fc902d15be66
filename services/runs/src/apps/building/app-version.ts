import type { AnsweringAgent } from '@agentmesh/proto/run-record';
import type { App } from './app.ts';

/** Facts that runs of an app tell about it, and the same as JSON, which is made once for all runs. */
export interface AppVersion {
  readonly agent: AnsweringAgent;
  readonly json: Uint8Array;
}

/** An app that serves runs. */
export interface ServedApp extends App {
  readonly version: AppVersion;
}

export function appVersion(agent: AnsweringAgent): AppVersion {
  return { agent, json: Buffer.from(JSON.stringify(agent)) };
}
