import { randomBytes } from 'node:crypto';
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { runLoad } from '../load/load-job.ts';
import { startMeshOneProcess } from '../targets/mesh-targets.ts';
import { freePort, residentMb, startServer } from '../targets/server-process.ts';
import type { Target } from '../targets/target.ts';
import type { Figure, Part, PartOptions } from './part.ts';

const modelMs = 20_000;
const fewer = 2_000;
const many = 10_000;
/** Runs of the account that may execute or wait in the round with many clients. */
const admitted = { RUNS_ACCOUNT_MAX_CONCURRENT: '2000', RUNS_ACCOUNT_MAX_QUEUED: '100' };

/** Clients that all come at once, each with a session of its own, and a model that takes 20 s; then as many that come within ten seconds. */
export const crowd: Part = {
  name: 'crowd',
  measure: async (options) => {
    const bareMs = await measureBare(options);
    const floor = { label: `${many} clients at once, a bare Node server: answered, p99 ms`, value: bareMs };
    const goals = { acceptedMs: Math.max(acceptedGoalMs, bareMs + refusedGoalMs), refusedMs: bareMs + refusedGoalMs };
    return [
      ...(await measureCrowd(options, { clients: fewer, ...usualGoals })),
      floor,
      ...(await measureCrowd(options, { clients: many, ...goals })),
      ...(await measureCrowd(options, { clients: many, ...usualGoals, arrivalMs: 10_000 })),
    ];
  },
};

const acceptedGoalMs = 2_000;
const memoryGoalKb = 60;
/** Time for which another account sends runs, from the arrival of the crowd on. */
const besideSeconds = 3;
const besideGoalMs = 500;
/** More than a bare server needs for so many connections: they and their clients share this machine. */
const refusedGoalMs = 100;
const usualGoals = { acceptedMs: acceptedGoalMs, refusedMs: refusedGoalMs };

interface Round {
  readonly clients: number;
  readonly acceptedMs: number;
  readonly refusedMs: number;
  /** Time within which they come, evenly; absent: all at once. */
  readonly arrivalMs?: number;
}

/** The same crowd at a server that only parses a body and sends it back. */
async function measureBare({ say }: PartOptions): Promise<number> {
  say(`${many} clients at once: bare server`);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const argv = [fileURLToPath(new URL('../targets/bare-http.ts', import.meta.url)), String(port)];
  await using _server = await startServer({ argv, env: process.env, readyUrl: url });
  const place = { url, app: 'echo', token: '' };
  return p99(
    await Promise.all(Array.from({ length: many }, (_, number) => run(place, `s${number}`, { waitMs: modelMs }))),
  );
}

async function measureCrowd(
  { say, signal }: PartOptions,
  { clients, arrivalMs = 0, ...goals }: Round,
): Promise<Figure[]> {
  const crowd = `${clients} clients ${arrivalMs === 0 ? 'at once' : `within ${arrivalMs / 1_000} s`}`;
  await using target = await startMeshOneProcess(clients === many ? admitted : {});
  say(`${clients} clients: sessions`);
  const sessions = await createSessions(target, clients);
  // The hash of its password takes tens of megabytes, which are not of the crowd.
  const token = await signUp(target.url);
  signal.throwIfAborted();
  const before = residentMb(target.pids);
  say(crowd);
  let peak = before;
  const over = new AbortController();
  const watch = (async () => {
    for (; !over.signal.aborted; await sleep(100)) peak = Math.max(peak, residentMb(target.pids));
  })();
  const come = async (session: string, number: number) => {
    if (arrivalMs > 0) await sleep((arrivalMs * number) / clients);
    return run(target, session, { waitMs: modelMs });
  };
  const coming = Promise.all([Promise.all(sessions.map(come)), strangerMs({ ...target, token }, signal)]);
  const [answers, besideMs] = await coming.finally(() => over.abort());
  await watch;
  const accepted = answers.filter(({ status }) => status === 200);
  const refused = answers.filter(({ status }) => status === 429);
  const label = (text: string) => `${crowd}, model of 20 s: ${text}`;
  const kilobytes = ((peak - before) * 1000) / Math.max(1, accepted.length);
  return [
    {
      label: label('accepted and answered'),
      value: accepted.filter(({ isWhole }) => isWhole).length,
      atLeast: accepted.length,
    },
    { label: label('refused with 429'), value: refused.length },
    { label: label('neither'), value: clients - accepted.length - refused.length, atMost: 0 },
    { label: label('accepted, p99 ms'), value: p99(accepted), atMost: goals.acceptedMs },
    { label: label('memory for each accepted, kB'), value: kilobytes, atMost: memoryGoalKb },
    { label: label('run of another account meanwhile, p99 ms'), value: besideMs, atMost: besideGoalMs },
    ...(refused.length > 0 ? [{ label: label('refused, p50 ms'), value: median(refused) }] : []),
    ...(refused.length > 0 ? [{ label: label('refused, p99 ms'), value: p99(refused), atMost: goals.refusedMs }] : []),
  ];
}

/** p99 of the runs of another account, one after the other over one connection. They come from a process of their own, which the crowd's clients do not slow down. */
async function strangerMs(
  { url, app, token }: Place & { readonly token: string },
  signal: AbortSignal,
): Promise<number> {
  const load = { url, app, token, kind: 'run', connections: 1, warmUpSeconds: 0 } as const;
  return (await runLoad({ ...load, seconds: besideSeconds }, signal)).p99Ms;
}

const shortMs = 1_000;

/** Connections over which the crowd's 10,000 runs come. */
const connections = 1_000;

/**
 * How long the runs of one account take while another sends 10,000: over a thousand connections, each with its next run as soon as it is free, and each over a
 * connection of its own, all at once. The latter are more than the system lets wait for a server (`net.core.somaxconn`).
 */
export const fairness: Part = {
  name: 'fairness',
  measure: async (options) => [
    ...(await measureFairness(options, { label: `${connections} connections`, connections, isGoal: true })),
    ...(await measureFairness(options, { label: `${many} connections at once`, connections: many, isGoal: false })),
  ],
};

interface Sending {
  readonly label: string;
  readonly connections: number;
  readonly isGoal: boolean;
}

async function measureFairness(
  { say, signal }: PartOptions,
  { label, connections, isGoal }: Sending,
): Promise<Figure[]> {
  await using target = await startMeshOneProcess({});
  const other = { ...target, token: await signUp(target.url) };
  const [own] = await createSessions(other, 1);
  say('quiet');
  const quiet = await slowest(other, own ?? '', signal);
  const sessions = await createSessions(target, many);
  say(`beside an account that sends 10,000 runs over ${label}`);
  let answered = 0;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const crowdOfOne = Promise.all(
    sessions.map(async (session) => {
      for (;;) {
        const { status } = await run(target, session, { waitMs: shortMs, agent });
        if (status === 200) break;
        await sleep(1_000 + Math.random() * 1_000);
      }
      answered += 1;
    }),
  );
  await sleep(500);
  const beside = await slowest(other, own ?? '', signal);
  const besideAfter = answered;
  await crowdOfOne;
  agent.destroy();
  return [
    { label: `${label}: run of 1 s, quiet, slowest of 5, ms`, value: quiet },
    {
      label: `${label}: run of 1 s beside 10,000 of another account, slowest of 5, ms`,
      value: beside,
      ...(isGoal && { atMost: 2 * quiet }),
    },
    { label: `${label}: runs of the other account answered meanwhile`, value: besideAfter, atMost: many - 1 },
    { label: `${label}: runs of the other account answered in the end`, value: answered, atLeast: many },
  ];
}

/** Longest of about five runs one after another, in milliseconds. They come from a process of their own, which the crowd's clients do not slow down. */
async function slowest({ url, app, token }: Target, session: string, signal: AbortSignal): Promise<number> {
  const text = messageOf(shortMs);
  const load = { url, app, token: token ?? '', kind: 'run', connections: 1, warmUpSeconds: 0, seconds: 5 } as const;
  const { p99Ms } = await runLoad({ ...load, session, text }, signal);
  return p99Ms;
}

interface Answer {
  /** 0 when the connection failed. */
  readonly status: number;
  /** Time to the headers, in milliseconds. */
  readonly acceptedMs: number;
  /** The last event of the run arrived. */
  readonly isWhole: boolean;
}

interface Running {
  readonly waitMs: number;
  /** Absent: a connection of its own. */
  readonly agent?: Agent;
}

async function run(target: Place, session: string, { waitMs, agent }: Running): Promise<Answer> {
  const started = performance.now();
  const newMessage = { role: 'user', parts: [{ text: messageOf(waitMs) }] };
  const body = { appName: target.app, userId: 'u1', sessionId: session, newMessage };
  try {
    const answer = await send(target, { path: '/run_sse', body, ...(agent && { agent }) });
    const acceptedMs = performance.now() - started;
    const text = await textOf(answer);
    return { status: answer.statusCode ?? 0, acceptedMs, isWhole: text.includes('done') };
  } catch {
    return { status: 0, acceptedMs: performance.now() - started, isWhole: false };
  }
}

/** A message whose run takes so long. */
function messageOf(waitMs: number): string {
  return `[[wait:${waitMs}]] done`;
}

const pool = new Agent({ keepAlive: true, maxSockets: 16 });

async function createSessions(target: Target, count: number): Promise<string[]> {
  const path = `/apps/${target.app}/users/u1/sessions`;
  const create = async (): Promise<string> => {
    const answer = await send(target, { path, body: {}, agent: pool });
    return (JSON.parse(await textOf(answer)) as { id: string }).id;
  };
  const ids: string[] = [];
  while (ids.length < count)
    ids.push(...(await Promise.all(Array.from({ length: Math.min(200, count - ids.length) }, create))));
  return ids;
}

type Place = Pick<Target, 'url' | 'app' | 'token'>;

interface Sent {
  readonly path: string;
  readonly body: object;
  /** Absent: a connection of its own. */
  readonly agent?: Agent;
}

function send({ url, token }: Place, { path, body, agent }: Sent): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  request(url + path, { method: 'POST', agent: agent ?? false, headers }, resolve)
    .once('error', reject)
    .end(JSON.stringify(body));
  return promise;
}

async function textOf(answer: IncomingMessage): Promise<string> {
  answer.setEncoding('utf8');
  let whole = '';
  for await (const chunk of answer) whole += chunk as string;
  return whole;
}

async function signUp(url: string): Promise<string> {
  const account = { email: 'quiet@example.com', password: randomBytes(16).toString('hex') };
  const post = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await answer.json()) as { access_token?: string };
  };
  await post('/api/users/', { ...account, first_name: 'Ada', last_name: 'Lovelace' });
  return (await post('/api/auth/token', account)).access_token ?? '';
}

function p99(answers: readonly Answer[]): number {
  return quantile(answers, 0.99);
}

function median(answers: readonly Answer[]): number {
  return quantile(answers, 0.5);
}

function quantile(answers: readonly Answer[], part: number): number {
  const times = answers.map(({ acceptedMs }) => acceptedMs).toSorted((a, b) => a - b);
  return times[Math.floor(times.length * part)] ?? 0;
}
