import { setTimeout as sleep } from 'node:timers/promises';
import { type FakeMcpServer, startMcpServer } from '../../fakes/mcp/index.ts';

/** The tools of a server outside of the mesh, and a list of the work that they did. */
export interface Effects extends AsyncDisposable {
  /** Address of the server. */
  readonly url: string;
  /** Takes the calls of an order out of the list, oldest first: `pay 1` is the first step, done by the tool `pay`. */
  take(order: string): readonly string[];
}

const inputSchema = {
  type: 'object',
  properties: { order: { type: 'string' }, step: { type: 'number' }, ms: { type: 'number' } },
  required: ['order', 'step', 'ms'],
};

const tools = [
  { name: 'pay', description: 'Pays.', inputSchema },
  { name: 'look', description: 'Looks.', inputSchema, annotations: { idempotentHint: true } },
];

interface Call {
  readonly name: string;
  readonly arguments: { readonly order: string; readonly step: number; readonly ms: number };
}

/** Starts a server whose tools note the call at once and answer `ms` milliseconds later. */
export async function openEffects(): Promise<Effects> {
  const server: FakeMcpServer = await startMcpServer();
  const done = new Map<string, string[]>();
  server.tools = tools;
  server.odd.set('tools/call', {
    answer: async (params) => {
      const { name, arguments: args } = params as unknown as Call;
      done.set(args.order, [...(done.get(args.order) ?? []), `${name} ${args.step}`]);
      server.forget();
      await sleep(args.ms);
      return { content: [{ type: 'text', text: `${name} is done` }] };
    },
  });
  return {
    url: server.url,
    take: (order) => {
      const calls = done.get(order) ?? [];
      done.delete(order);
      return calls;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
