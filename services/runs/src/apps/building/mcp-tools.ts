import type { FunctionDeclaration } from '@google/genai';
import type { McpToolset } from '../mcp/mcp-toolset.ts';

/** A toolset of an agent of an app. */
export interface AgentToolset {
  readonly agentName: string;
  readonly toolset: McpToolset;
}

interface Info {
  readonly agents: Record<string, { tools: { functionDeclarations: FunctionDeclaration[] }[] }>;
}

/** Longest time in milliseconds that the servers of an app have to list their tools. */
const timeoutMs = 5_000;

/** An AppInfo record with the tools that the app's MCP servers list now, without a session's headers. A server that is away adds none. */
export async function addMcpTools(
  infoJson: Uint8Array,
  toolsets: readonly AgentToolset[],
  { accountId, signal }: { readonly accountId: string; readonly signal: AbortSignal },
): Promise<Uint8Array> {
  if (toolsets.length === 0) return infoJson;
  const info = JSON.parse(Buffer.from(infoJson).toString()) as Info;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const use = { accountId, state: () => undefined, signal: limit };
  const listed = await Promise.all(toolsets.map(async ({ toolset }) => toolset.declarations(use).catch(() => [])));
  signal.throwIfAborted();
  for (const [index, { agentName }] of toolsets.entries()) {
    const tools = (listed[index] ?? []).map((declaration) => ({ functionDeclarations: [declaration] }));
    info.agents[agentName]?.tools.push(...tools);
  }
  return new TextEncoder().encode(JSON.stringify(info));
}
