import { type BaseTool, ExitLoopTool, PreloadMemoryTool } from '@google/adk';
import type { GuardedFetch } from '../outbound/index.ts';
import { createGetCurrentTime } from './get-current-time.ts';
import { createHttpGet } from './http-get.ts';
import { LoadMemory } from './load-memory.ts';
import { createRequestInput } from './request-input.ts';
import { createSetState, SET_STATE } from './set-state.ts';

/** What the built-in tools need from the service. */
export interface ToolDeps {
  /** Fetches addresses that users and agents give. */
  readonly fetch: GuardedFetch;
  readonly now?: () => Date;
}

export type ToolFactory = (deps: ToolDeps) => BaseTool;

/** Tools that an app may name in YAML. `set_state` is also given to every agent of an echo model. */
export const builtInTools: ReadonlyMap<string, ToolFactory> = new Map<string, ToolFactory>([
  ['get_current_time', createGetCurrentTime],
  ['http_get', createHttpGet],
  ['exit_loop', () => new ExitLoopTool()],
  ['request_input', createRequestInput],
  ['load_memory', () => new LoadMemory()],
  ['preload_memory', () => new PreloadMemoryTool()],
  [SET_STATE, createSetState],
]);

/** Names that YAML may list and that need no tool of ours: ADK's agent-transfer flow offers them where they apply. */
export const flowTools: ReadonlySet<string> = new Set(['transfer_to_agent']);

/** Tools of services that a mesh may lack, by the word of the service each needs. */
export const laterTools: ReadonlyMap<string, string> = new Map([
  ['load_artifacts', 'artifacts'],
  ['save_artifact', 'artifacts'],
]);
