import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual, promisify } from 'node:util';
import { AgentMesh, type RunEvent, type RunStream } from '@agentmesh/client';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { newAccount } from '../../caller.ts';
import { homelessEnvironment } from '../../plain-environment.ts';
import { hasPython, installPythonClient } from '../../python-client.ts';
import { CuttingProxy } from '../../sdk/cutting-proxy.ts';

const url = inject('meshUrl');
const isFull = process.env.VERIFY === 'full';
/** Cuts that each client has to survive, and words of a run, each an event. */
const [leastCuts, words] = isFull ? [1_000, 500] : [12, 100];
/** Longest stretch of answers between two cuts, in bytes: longer than the last event, which has all words. */
const mostBytes = 12_000;
/** The run goes on while its events are watched, and for a while after the last word. */
const text =
  Array.from({ length: words }, (_, n) => (n % 50 === 0 ? '[[wait:200]]' : `word${n} `)).join('') + '[[wait:1500]]';
const command = fileURLToPath(new URL('../../../cli/src/main.ts', import.meta.url));
const watcher = fileURLToPath(new URL('../../../sdk/python/tests/watch_run.py', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'agentmesh-cuts-'));
const runProgram = promisify(execFile);

interface Watched {
  /** All events that were seen, partial ones too. */
  readonly events: readonly RunEvent[];
  readonly status: string | undefined;
}

let token: string;
let direct: AgentMesh;
let python: string | undefined;

beforeAll(async () => {
  token = (await newAccount(url)).token ?? '';
  direct = new AgentMesh({ url, token });
  if (hasPython) python = await installPythonClient(folder);
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true }));

async function watchByLibrary(proxied: string, runId: string): Promise<Watched> {
  const run = new AgentMesh({ url: proxied, token, backoffMs: 1, tries: 50 }).runs.watch(runId);
  return { events: await collect(run), status: run.record?.status };
}

async function watchByCommand(proxied: string, runId: string): Promise<Watched> {
  const env = { ...homelessEnvironment, HOME: folder, AGENTMESH_URL: proxied, AGENTMESH_TOKEN: token };
  const options = { env, maxBuffer: 64 * 1024 * 1024 };
  const { stdout } = await runProgram(process.execPath, [command, 'tail', runId, '--json'], options);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as RunEvent & { record?: { status: string } });
  return { events: lines.slice(0, -1), status: lines.at(-1)?.record?.status };
}

async function watchByPython(proxied: string, runId: string): Promise<Watched> {
  const env = { ...process.env, PYTHONPYCACHEPREFIX: join(folder, 'compiled') };
  const options = { env, maxBuffer: 64 * 1024 * 1024 };
  const { stdout } = await runProgram(python ?? '', [watcher, proxied, token, runId], options);
  return JSON.parse(stdout) as Watched;
}

const watchers = [
  ['the client for TypeScript', watchByLibrary],
  ['agentmesh tail', watchByCommand],
  ...(hasPython ? [['the client for Python', watchByPython] as const] : []),
] as const;

const isPartial = (event: RunEvent | undefined): boolean => event?.gap === undefined && event?.partial === true;

/** The events that were seen out of place, or not at all. Partial events may be missing behind a gap, and before the whole event that has their words. */
function differences(seen: readonly RunEvent[], events: readonly RunEvent[]): readonly RunEvent[] {
  const left = [...events];
  const others: RunEvent[] = [];
  for (const [index, event] of seen.entries()) {
    if (event.gap !== undefined) continue;
    if (seen[index - 1]?.gap !== undefined || !isPartial(event))
      while (isPartial(left[0]) && !isDeepStrictEqual(left[0], event)) left.shift();
    if (!isDeepStrictEqual(left.shift(), event)) others.push(event);
  }
  return [...others, ...left];
}

/** A run that waits for another one of its session until `begin`: partial events are for those who watch when they come. */
async function queueRun() {
  const place = { app: 'echo', user: 'u1' };
  const { id: session } = await direct.sessions.create(place);
  const first = await direct.runs.start({ ...place, session, text: '[[wait:60000]]' });
  const run = direct.runs.stream({ ...place, session, text, streaming: true });
  return { run, begin: () => direct.runs.cancel(first) };
}

/** Resolves when the server has answered the watcher. */
async function nextAnswer(proxy: CuttingProxy): Promise<void> {
  const { answers } = proxy;
  await expect.poll(() => proxy.answers, { timeout: 30_000 }).toBeGreaterThan(answers);
}

async function collect(run: RunStream): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of run) events.push(event);
  return events;
}

describe.each(watchers)('%s', (_, watch) => {
  test(
    'has each event once, in order, and one end, however often its connections are cut',
    async () => {
      await using proxy = await CuttingProxy.start(url, mostBytes);
      while (proxy.cuts < leastCuts) {
        const { run, begin } = await queueRun();
        const [seen, events] = await Promise.all([
          watch(proxy.url, await run.id),
          nextAnswer(proxy)
            .then(begin)
            .then(() => collect(run)),
        ]);
        expect(events.length).toBeGreaterThan(words * 0.95);
        expect(seen.status).toBe('completed');
        expect(differences(seen.events, events)).toEqual([]);
      }
    },
    isFull ? 1_200_000 : 60_000,
  );
});
