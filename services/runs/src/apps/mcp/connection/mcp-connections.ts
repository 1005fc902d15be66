import { forAccount } from '@agentmesh/lib/outbound';
import { Turns, unlessAborted } from '@agentmesh/lib/wait';
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
  /** Calls of one account that are under way. More wait for one of them to end. */
  readonly mostCalls: number;
  /** Longest wait in milliseconds of a call for others of its account. */
  readonly waitMs: number;
}

const usual: Bounds = {
  most: 256,
  mostOfAccount: 16,
  mostPrograms: 32,
  mostCalls: 64,
  waitMs: 30_000,
  idleMs: 60_000,
  pauseMs: 10_000,
};

export function createMcpConnections(deps: ConnectDeps, bounds: Partial<Bounds> = {}): McpConnections {
  const all = { ...usual, ...bounds };
  const kept = new KeptConnections(deps, all);
  const turns = new Turns({ ofLine: all.mostCalls });
  const use = async <T>(asked: Omit<Use<T>, 'patience'>): Promise<T> => {
    const { target, signal } = asked;
    const waits: AbortSignal[] = [];
    const patience = (): AbortSignal => {
      const late = AbortSignal.timeout(all.waitMs);
      waits.push(late);
      return AbortSignal.any([signal, late]);
    };
    try {
      const turn = await turns.wait(target.accountId, patience);
      try {
        return await forAccount(target.accountId, () => useAtMostTwice(kept, { ...asked, patience }));
      } finally {
        turn.end();
      }
    } catch (error) {
      signal.throwIfAborted();
      if (waits.some((late) => late.aborted && late.reason === error))
        throw new McpFailure('Too many calls of MCP servers are under way.');
      throw toMcpFailure(error);
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
  /** Ends a wait for other calls of the account. */
  readonly patience: () => AbortSignal;
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

async function useOnce<T>(
  kept: KeptConnections,
  { target, signal, patience, work, isList = false }: Use<T>,
): Promise<T> {
  const entry = await kept.take(target, patience);
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
