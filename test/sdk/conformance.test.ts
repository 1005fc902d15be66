import { AgentMesh, AgentMeshError, type List, type RunStream } from '@agentmesh/client';
import { describe, expect, test } from 'vitest';
import { CaseServer, cutsOf } from './case-server.ts';
import { type CaseSight, type ClientCase, readCases } from './cases.ts';

type Verb = (...args: readonly unknown[]) => unknown;

/** Plays a case once and returns what the program sees, in the form of `sees`. */
async function play({ call, token, server: steps }: ClientCase, cutAt?: number): Promise<CaseSight> {
  await using server = await CaseServer.start(steps, cutAt);
  const tokens = typeof token === 'string' ? [token] : [...(token ?? ['t'])];
  const source = typeof token === 'string' ? token : () => tokens.shift() ?? '';
  const mesh = new AgentMesh({ url: server.url, token: source, backoffMs: 1 });
  const seen = await see(mesh, call).catch((error: unknown) => ({ error: errorOf(error) }));
  expect(server.faults).toEqual([]);
  expect(server.left).toBe(0);
  return seen;
}

async function see(mesh: AgentMesh, { verb, args }: ClientCase['call']): Promise<CaseSight> {
  const [group = '', name = ''] = verb.split('.');
  const verbs = (mesh as unknown as Record<string, Record<string, Verb>>)[group];
  const made = verbs?.[name]?.(...args);
  if (verb === 'runs.watch' || verb === 'runs.stream') return seeStream(made as RunStream);
  const value: unknown = verb.endsWith('.list') ? await (made as List<unknown>).all() : await made;
  return value === undefined ? {} : { value };
}

/** Reads the words and the events at the same time: both readers share one connection. */
async function seeStream(run: RunStream): Promise<CaseSight> {
  const [ids, gaps]: [string[], string[]] = [[], []];
  let text = '';
  const readText = async (): Promise<void> => {
    for await (const piece of run.text) text += piece;
  };
  const readEvents = async (): Promise<void> => {
    for await (const event of run) {
      if (event.gap === undefined) ids.push(event.id ?? '');
      else gaps.push(event.gap.upTo);
    }
  };
  await Promise.all([readText(), readEvents()]);
  const { record } = await run.final();
  return { ids, text, status: record.status, ...(gaps.length > 0 && { gaps }) };
}

function errorOf(error: unknown): NonNullable<CaseSight['error']> {
  if (!(error instanceof AgentMeshError)) throw error;
  const { code, status, message } = error;
  return { class: error.constructor.name, code, status, message };
}

describe.each(['requests.json', 'streams.json'])('the cases of %s', (file) => {
  test.each(readCases(file))('$name', async (it) => {
    const { afterMs = 0, ...sees } = it.sees;
    for (const cutAt of cutsOf(it)) {
      const startedMs = performance.now();
      expect({ cutAt, ...(await play(it, cutAt)) }).toMatchObject({ cutAt, ...sees });
      expect(performance.now() - startedMs).toBeGreaterThanOrEqual(afterMs);
    }
  });
});

test('a stream of 500 events that is cut a thousand times has each once, in order, and one end', async () => {
  const texts = Array.from({ length: 500 }, (_, n) => `event ${n} ${'word '.repeat(n % 40)}`);
  const frames = texts.map((text, n) => ({
    id: String(n + 1),
    data: { id: `id-${n}`, author: 'echo', content: { parts: [{ text }] } },
  }));
  const end = { id: '500-end1', event: 'end', data: { invocationId: 'e-1', status: 'completed' } };
  let cuts = 0;
  while (cuts < 1000) {
    await using server = await CaseServer.start([{ stream: { frames: [...frames, end], cuts: 40 + (cuts % 400) } }]);
    const run = new AgentMesh({ url: server.url, token: 't', backoffMs: 1 }).runs.watch('e-1');
    const ids: string[] = [];
    for await (const event of run) ids.push(event.gap === undefined ? (event.id ?? '') : 'gap');
    expect(ids).toEqual(frames.map(({ data }) => data.id));
    expect((await run.final()).record.status).toBe('completed');
    cuts += server.requests - 1;
  }
});
