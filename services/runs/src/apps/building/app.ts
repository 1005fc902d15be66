import type { BaseAgent } from '@google/adk/core';
import type { AgentRun, AgentRunOptions } from '../turns/agent-run.ts';
import type { AppSettings } from '../definition/settings/app-settings.ts';
import type { AgentToolset } from './mcp-tools.ts';
import type { SummaryModel } from '../files/summary-model.ts';

/** One version of an application. It runs many times at once. */
export interface App {
  readonly name: string;
  /** Stands for all that it was made of: equal sources make an equal app. */
  readonly source: string;
  /** Name of its root agent: the author of events that no agent wrote. */
  readonly rootName: string;
  readonly description: string;
  /** Language of its root file. */
  readonly language: 'yaml' | 'typescript' | 'javascript';
  /** Files of code that it was made of, relative to its folder. */
  readonly files?: readonly string[];
  /** Its agents, where they run in this process. Absent: they run in a worker. */
  readonly root?: BaseAgent;
  readonly settings: AppSettings;
  /** The model for summaries of its sessions; absent when its files name no model. */
  readonly summaryModel?: SummaryModel | undefined;
  /** Begins an attempt. */
  open(options: AgentRunOptions): AgentRun;
  /** To be called when another version serves, or none. */
  retire?(): void;
  /** AppInfo as public JSON, without the tools of MCP servers; absent when the root agent is a workflow. */
  readonly infoJson?: Uint8Array;
  /** The tools of MCP servers that its files name. */
  readonly toolsets?: readonly AgentToolset[];
  /** Its tree of agents as public JSON. */
  readonly graphJson: Uint8Array;
}
