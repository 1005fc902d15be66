import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { Caller } from '../caller.ts';
import { type Hostility, startHostileModel } from '../fakes/hostile-model.ts';
import { startMcpServer } from '../fakes/mcp/index.ts';

/** A model whose answer never ends, an MCP server whose list of tools never does, or a model that does nothing wrong. */
export type Hostile = Hostility | 'tools' | 'echo';

/** Runs of one account, of which many are under way at once. */
export interface Attack {
  readonly kind: Hostile;
  readonly url: string;
  readonly token: string;
  readonly app: string;
  readonly atOnce: number;
  /** Runs one after the other, as often as others are at once. */
  readonly each: number;
}

export type Request = Attack | 'open';

/** The servers, what came of an attack, or how many answers of the model are open. */
export type Told =
  | { readonly modelUrl: string; readonly mcpUrl: string }
  | { readonly codes: readonly string[]; readonly lists: number }
  | { readonly open: number };

// The servers and the clients of an attacker are on other machines than the mesh. Where it is measured, on Linux, they get the time that the mesh leaves, and no process of the mesh waits for them;
// on a busy machine that would be none.
if (process.env['VERIFY'] === 'full') execFileSync('chrt', ['-a', '-i', '-p', '0', String(process.pid)]);
const [model, mcp] = [await startHostileModel(), await startMcpServer()];
const tools = Array.from({ length: 100 }, (_, index) => ({ name: `t${index}`, inputSchema: { type: 'object' } }));
mcp.odd.set('tools/list', {
  result: { resultType: 'complete', ttlMs: 0, cacheScope: 'private', tools, nextCursor: 'more' },
});

/** The codes of the errors that runs ended with, one after the other; blank for none. */
async function runEach(caller: Caller, attack: Attack): Promise<string[]> {
  const codes: string[] = [];
  while (codes.length < attack.each) codes.push(await run(caller, attack));
  return codes;
}

async function run(caller: Caller, { kind, app }: Attack): Promise<string> {
  const session = await caller.createSession(app, { state: { t: randomUUID() } });
  const frames = await caller.runSse(session, 'hello', { streaming: kind !== 'body' });
  const code = frames.findLast((frame) => 'errorCode' in frame)?.errorCode;
  return typeof code === 'string' ? code : '';
}

function countLists(): number {
  return mcp.calls.filter(({ method }) => method === 'tools/list').length;
}

async function answer(request: Request): Promise<Told> {
  if (request === 'open') return { open: model.open };
  const caller = new Caller(request.url, request.token);
  const codes = await Promise.all(Array.from({ length: request.atOnce }, () => runEach(caller, request)));
  return { codes: [...new Set(codes.flat())], lists: countLists() };
}

const tell = (told: Told): void => void process.send?.(told);
process.on('message', (request: Request) => {
  answer(request).then(tell, (error: unknown) => {
    throw error;
  });
});
process.on('disconnect', () => process.exit());
tell({ modelUrl: model.url, mcpUrl: mcp.url });
