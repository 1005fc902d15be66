import { timerSeconds } from '@agentmesh/lib/service';
import { addressList } from '@agentmesh/lib/outbound';

/** The settings of the tools, to be spread into those of the service. */
export const toolSettings = {
  RUNS_HTTP_GET_ALLOW: addressList({
    default: [],
    desc: 'hosts and CIDRs that http_get may reach though they are not public',
  }),
  RUNS_MCP_ALLOW: addressList({
    default: [],
    desc: 'hosts and CIDRs that MCP servers and remote agents may have though they are not public',
  }),
  RUNS_TOOL_TIMEOUT_SECONDS: timerSeconds({ default: 120, desc: 'how long a call of a tool may take' }),
};

export interface ToolsConfig {
  /** Addresses that `http_get` may reach though they are not public. */
  readonly allow: string[];
  /** The same for MCP servers and remote agents. */
  readonly mcpAllow: string[];
  /** Longest time in milliseconds that a tool may take. */
  readonly timeoutMs: number;
}

/** The tools' configuration from the service's cleaned settings. */
export function readToolsConfig(settings: {
  readonly RUNS_HTTP_GET_ALLOW: string[];
  readonly RUNS_MCP_ALLOW: string[];
  readonly RUNS_TOOL_TIMEOUT_SECONDS: number;
}): ToolsConfig {
  const timeoutMs = settings.RUNS_TOOL_TIMEOUT_SECONDS * 1_000;
  return { allow: settings.RUNS_HTTP_GET_ALLOW, mcpAllow: settings.RUNS_MCP_ALLOW, timeoutMs };
}
