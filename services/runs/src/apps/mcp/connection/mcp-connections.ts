import { forAccount } from '@agentmesh/lib/outbound';
import { unlessAborted } from '@agentmesh/lib/wait';
import type { ConnectDeps, McpCall, McpConnection } from './connect.ts';
import { type ConnectionBounds, KeptConnections } from './kept-connections.ts';
import type { ListedTools } from './listed-tools.ts';
import { McpFailure } from './mcp-failure.ts';
import { hasForgottenSession, isAnswer, toMcpFailure } from './to-mcp-failure.ts';
import type { McpTarget } from './mcp-server.ts';

/** Connections with servers of the Model Context Protocol, kept for further calls. Every failure is an McpFailure, or the reason of the signal. */
export interface McpConnections extends AsyncDisposable {
  listTools(target: McpTarget, signal: AbortSignal): Promise<ListedTools>;
  callTool(target: McpTarget, call: McpCall, signal: AbortSignal): Promise<unknown>;
}

interface Bounds extends ConnectionBounds {
  /** Calls of one account that are under way. */
  readonly mostCalls: number;
}

const usual: Bounds = {
  most: 256,
  mostOfAccount: 16,
  mostPrograms: 32,
  mostCalls: 64,
  idleMs: 60_000,
  pauseMs: 10_000,
};

export function createMcpConnections(deps: ConnectDeps, bounds: Partial<Bounds> = {}): McpConnections {
  const all = { ...usual, ...bounds };
  const kept = new KeptConnections(deps, all);
  const calls = new Map<string, number>();
  const use = async <T>(asked: Use<T>): Promise<T> => {
    const { accountId } = asked.target;
    const present = calls.get(accountId) ?? 0;
    if (present >= all.mostCalls) throw new McpFailure('Too many calls of MCP servers are under way.');
    calls.set(accountId, present + 1);
    try {
      return await forAccount(accountId, () => useAtMostTwice(kept, asked));
    } catch (error) {
      asked.signal.throwIfAborted();
      throw toMcpFailure(error);
    } finally {
      const left = (calls.get(accountId) ?? 1) - 1;
      if (left === 0) calls.delete(accountId);
      else calls.set(accountId, left);
    }
  };
  return {
    listTools: (target, signal) => use({ target, signal, isList: true, work: (one) => one.listTools(signal) }),
    callTool: (target, call, signal) => use({ target, signal, work: (one) => one.callTool(call, signal) }),
    [Symbol.asyncDispose]: () => kept.closeAll(),
  };
}

interface Use<T> {
  readonly target: McpTarget;
  readonly signal: AbortSignal;
  readonly work: (connection: McpConnection) => Promise<T>;
  /** A server that cannot list its tools is not asked again for some seconds. */
  readonly isList?: boolean;
}

/** A server that has forgotten the session has done nothing, so the work is done again on a new connection. */
async function useAtMostTwice<T>(kept: KeptConnections, use: Use<T>): Promise<T> {
  try {
    return await useOnce(kept, use);
  } catch (error) {
    if (!hasForgottenSession(error)) throw error;
    return useOnce(kept, use);
  }
}

async function useOnce<T>(kept: KeptConnections, { target, signal, work, isList = false }: Use<T>): Promise<T> {
  const entry = kept.take(target);
  try {
    return await work(await unlessAborted(entry.connection, signal));
  } catch (error) {
    if (!signal.aborted && isList && !hasForgottenSession(error)) kept.pause(entry, toMcpFailure(error));
    else if (!signal.aborted && !isAnswer(error)) kept.drop(entry);
    throw error;
  } finally {
    kept.giveBack(entry);
  }
}
