import type { MissingTools } from '../../models/use/model-caller.ts';
import type { McpCall } from './connection/connect.ts';
import type { ListedTools } from './connection/listed-tools.ts';

/** A use of the server of a toolset. */
export interface McpUse {
  readonly accountId: string;
  /** A value of the session's state. */
  readonly state: (key: string) => unknown;
  readonly signal: AbortSignal;
  /** Told when the server cannot be used. */
  readonly missing?: MissingTools | undefined;
}

/** The server of a toolset, as agents reach it. Every failure is an McpFailure, or the reason of the signal. */
export interface McpLink {
  listTools(use: McpUse): Promise<ListedTools>;
  callTool(use: McpUse, call: McpCall): Promise<unknown>;
}
