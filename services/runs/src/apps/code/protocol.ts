import type { EndedSpan } from '@agentmesh/lib/spans';
import type { Event } from '@google/adk/core';
import type { Content, GenerateContentConfig } from '@google/genai';
import type { McpCall } from '../mcp/connection/connect.ts';
import type { AgentFile } from '../files/load-agent-files.ts';
import type { Mistake } from '../definition/mistake.ts';

/** Argument of a worker that sees spans. */
export const tracedFlag = '--traced';

/** Most spans of a run that a worker tells. */
export const mostSpans = 400;

/** Most characters of a line that code of a run prints. */
export const longestPrint = 4_200;

/** The app that a worker loads. */
export interface LoadRequest {
  readonly kind: 'load';
  readonly appName: string;
  /** Its folder, links resolved. */
  readonly folder: string;
  /** File of the folder that exports the root agent. Absent: the agents are described in `definition`. */
  readonly entry?: string;
  /** The agents of `root_agent.yaml`, which name exports of modules. */
  readonly definition?: AgentFile;
  readonly maxModelCalls: number;
  readonly toolTimeoutMs: number;
  /** See ModelsConfig. */
  readonly modelCooldownMs?: number;
}

/** A granted turn, for the agents in a worker. */
export interface RunRequest {
  readonly kind: 'run';
  /** Number of the run in this worker. */
  readonly run: number;
  readonly invocationId: string;
  readonly key: {
    readonly accountId: string;
    readonly appName: string;
    readonly userId: string;
    readonly sessionId: string;
  };
  readonly stateJson: Uint8Array;
  /** Events as public JSON, or in ADK's form. */
  readonly events: readonly (Uint8Array | Event)[];
  readonly messageJson: Uint8Array;
  readonly streaming: boolean;
  readonly maxModelCalls: number;
  /** See AgentRunOptions. */
  readonly earlierModelCalls: number;
  /** See Turn. */
  readonly isTakeover: boolean;
  /** Whether the host wants the spans of the run. */
  readonly isTraced: boolean;
}

/** Message of the host to a worker. */
export type HostMessage =
  | LoadRequest
  | RunRequest
  /** Lets a run go on that waits. `absorbed`: its last event if the host has changed it. */
  | { readonly kind: 'next'; readonly run: number; readonly absorbed?: Event }
  | { readonly kind: 'reset'; readonly run: number; readonly keys: readonly string[] }
  | {
      readonly kind: 'deltas';
      readonly run: number;
      readonly others: readonly Uint8Array[];
      readonly own: readonly Uint8Array[];
    }
  /** Messages that were added to the run: see AgentSession. */
  | { readonly kind: 'messages'; readonly run: number; readonly messages: readonly Uint8Array[] }
  | { readonly kind: 'abort'; readonly run: number }
  | { readonly kind: 'reply'; readonly call: number; readonly outcome: Outcome }
  | { readonly kind: 'chunk'; readonly call: number; readonly piece: object }
  | { readonly kind: 'ping'; readonly ping: number };

/** Facts of an app that was loaded. */
export interface Loaded {
  readonly kind: 'loaded';
  readonly rootName: string;
  readonly description: string;
  /** See App. */
  readonly infoJson?: Uint8Array;
  readonly graphJson: Uint8Array;
  /** The settings that the entry exports, as a JSON object that nobody has checked. Absent without them. */
  readonly settingsJson?: Uint8Array;
  /** Files of the folder that were read, relative to it. */
  readonly files: readonly string[];
}

/** How something ended that may fail. */
export type Outcome = { readonly value: unknown } | { readonly error: CodeError };

/** An error that crosses the border of a process. */
export interface CodeError {
  readonly name: string;
  readonly message: string;
}

/** Error that a tool of a run has thrown. */
export interface ToolFault extends CodeError {
  readonly kind: 'fault';
  readonly run: number;
  readonly tool: string;
  readonly stack: string;
}

/** An event of a run. `waits`: the worker goes on when the host asks for the next one. `last`: no other follows. */
export interface RunEvent {
  readonly kind: 'event';
  readonly run: number;
  readonly event: Event;
  readonly waits: boolean;
  readonly last: boolean;
}

/** Message of a worker to its host. */
export type WorkerMessage =
  | Loaded
  | { readonly kind: 'refused'; readonly mistakes: readonly Mistake[]; readonly files: readonly string[] }
  | RunEvent
  /** The spans of a run, before its end. */
  | { readonly kind: 'spans'; readonly run: number; readonly spans: readonly EndedSpan[] }
  | { readonly kind: 'done'; readonly run: number; readonly error?: CodeError }
  | { readonly kind: 'call'; readonly run: number; readonly call: number; readonly request: HostCall }
  | { readonly kind: 'drop'; readonly call: number }
  /** A tool was begun, or has ended. */
  | { readonly kind: 'tool'; readonly run: number; readonly tool: string; readonly begun: boolean }
  /** A tool has thrown. */
  | ToolFault
  /** Code of a run has printed something. */
  | {
      readonly kind: 'print';
      readonly run: number;
      readonly level: 'debug' | 'info' | 'warn' | 'error';
      readonly text: string;
    }
  /** So many more lines of a run were printed beyond its bounds. */
  | { readonly kind: 'unprinted'; readonly run: number; readonly lines: number }
  /** A toolset has failed: the run does without its tools. */
  | { readonly kind: 'missing'; readonly run: number; readonly name: string; readonly reason: string }
  | { readonly kind: 'pong'; readonly ping: number }
  | { readonly kind: 'crash'; readonly message: string };

/** Request of code to its host. The host answers for the session, user and app of the run alone. */
export type HostCall =
  | {
      readonly to: 'model';
      readonly model: string;
      readonly contents: Content[];
      readonly config: GenerateContentConfig;
      readonly stream: boolean;
      readonly mostRetries?: number;
    }
  | { readonly to: 'artifacts' | 'memory'; readonly method: string; readonly args: readonly unknown[] }
  | FetchCall
  | McpServerCall
  | RemoteAgentCall;

/** A GET of an address that agents give; answered by FetchAnswer. */
export interface FetchCall {
  readonly to: 'fetch';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxBodyBytes: number;
}

export interface FetchAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array;
  readonly truncated: boolean;
}

/** A call of an MCP server, or without `tool` the list of its tools. */
export interface McpServerCall {
  readonly to: 'mcp';
  /** Place of its entry in the app's files: see `mcpEntries`. */
  readonly server: number;
  /** The values of the state that become headers. */
  readonly state: Readonly<Record<string, unknown>>;
  readonly tool?: McpCall;
}

/** A message to a remote agent; its replies are chunks. */
export interface RemoteAgentCall {
  readonly to: 'agent';
  /** Name of the agent in the app's files. */
  readonly agent: string;
  readonly events: readonly Event[];
  readonly state: Readonly<Record<string, unknown>>;
}
