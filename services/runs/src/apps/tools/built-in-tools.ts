import { type BaseTool, ExitLoopTool, PreloadMemoryTool } from '@google/adk/core';
import type { GuardedFetch } from '@agentmesh/lib/outbound';
import { createGeminiTool } from './gemini-tool.ts';
import { createGetCurrentTime } from './get-current-time.ts';
import { createHttpGet } from './http-get.ts';
import { LoadArtifacts } from './load-artifacts.ts';
import { LoadMemory } from './load-memory.ts';
import { createRequestCredential, REQUEST_CREDENTIAL } from './request-credential.ts';
import { createGetUserChoice, createRequestInput } from './request-input.ts';
import { createSaveArtifact, SAVE_ARTIFACT } from './save-artifact.ts';
import { createSetState, SET_STATE } from './set-state.ts';

/** Dependencies of the built-in tools. */
export interface ToolDeps {
  /** Fetches addresses that users and agents give. */
  readonly fetch: GuardedFetch;
  readonly now?: () => Date;
}

export type ToolFactory = (deps: ToolDeps) => BaseTool;

/** Tools that an app may name in YAML. */
export const builtInTools: ReadonlyMap<string, ToolFactory> = new Map<string, ToolFactory>([
  ['get_current_time', createGetCurrentTime],
  ['http_get', createHttpGet],
  ['exit_loop', () => new ExitLoopTool()],
  ['request_input', createRequestInput],
  ['get_user_choice', createGetUserChoice],
  [REQUEST_CREDENTIAL, createRequestCredential],
  ['load_memory', () => new LoadMemory()],
  ['preload_memory', () => new PreloadMemoryTool()],
  ['load_artifacts', () => new LoadArtifacts()],
  [SAVE_ARTIFACT, createSaveArtifact],
  [SET_STATE, createSetState],
  ['google_search', () => createGeminiTool('google_search')],
  ['url_context', () => createGeminiTool('url_context')],
  ['google_maps_grounding', () => createGeminiTool('google_maps_grounding')],
  ['enterprise_web_search', () => createGeminiTool('enterprise_web_search')],
]);

/** Every name that `tools` in YAML may hold. ADK itself gives `transfer_to_agent` to agents that have others to transfer to. */
export const toolNames: readonly string[] = [...builtInTools.keys(), 'transfer_to_agent'];
