import { setTimeout as delay } from 'node:timers/promises';
import { type Caller, type SessionJson, sessionPath, textOf } from '../caller.ts';

interface MixedLoad {
  readonly caller: Caller;
  readonly clients: number;
  /** Services that are not there, whose requests are left out. */
  readonly without?: readonly string[];
  readonly isOver: (count: number) => boolean;
  /** Mean pause of a client between two of its requests, so that few are under way at the same time, or they leave others a part of the machine. Default: none. */
  readonly pauseMs?: number;
  /** Called after each request with the time at which it was sent, in the milliseconds of `performance.now()`. */
  readonly onAnswer?: (sentMs: number, isFailed: boolean) => void;
}

type Step = readonly [
  service: string,
  /** Undefined where there is nothing to ask for. */
  send: (n: number) => Promise<{ readonly status: number; readonly body: unknown } | undefined>,
];

/** Clients that go through the steps again and again until `isOver`, each in a session of its own. Answers the requests that failed, and how many were made. */
export async function mixedLoad({ caller, clients, without = [], isOver, pauseMs = 0, onAnswer }: MixedLoad) {
  const failed: string[] = [];
  let count = 0;
  const client = async (_: unknown, number: number): Promise<void> => {
    const session = await caller.createSession();
    const steps = stepsOf(caller, session, number).filter(([service]) => !without.includes(service));
    for (let n = 0; !isOver(count); n++) {
      for (const [service, send] of steps) {
        const sentMs = performance.now();
        const answer = await send(n);
        if (answer === undefined) continue;
        const { status, body } = answer;
        count += 1;
        onAnswer?.(sentMs, status !== 200);
        if (status !== 200) failed.push(`${service}: ${status} ${JSON.stringify(body)}`);
        if (pauseMs > 0) await delay(2 * pauseMs * Math.random());
      }
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return { failed, count };
}

function stepsOf(caller: Caller, session: SessionJson, number: number): Step[] {
  const artifacts = `${sessionPath(session)}/artifacts`;
  const part = { inlineData: { mimeType: 'text/plain', data: 'aGVsbG8=' } };
  let isSaved = false;
  const save = async (n: number) => {
    const answer = await caller.request('POST', artifacts, { filename: `${n}.txt`, artifact: part });
    isSaved = answer.status === 200;
    return answer;
  };
  return [
    ['runs', (n) => runs(caller, session, `run ${number}-${n} [[wait:${(n % 4) * 100}]]`)],
    ['sessions', () => caller.request('POST', '/apps/echo/users/u1/sessions', {})],
    ['artifacts', save],
    ['artifacts', async (n) => (isSaved ? caller.request('GET', `${artifacts}/${n}.txt`) : undefined)],
    ['sessions', () => caller.request('GET', sessionPath(session))],
    ['memory', () => caller.request('GET', '/apps/echo/users/u1/memory?query=run')],
    ['runs', () => caller.request('GET', '/api/agents')],
    ['sessions', () => caller.request('GET', '/runs?limit=1')],
  ];
}

/** A run counts as failed when its answer is not the text. */
async function runs(caller: Caller, session: SessionJson, text: string) {
  const { status, body } = await caller.run(session, text);
  return { status: Array.isArray(body) && textOf(body.at(-1)).includes(text.split(' [')[0] ?? '') ? status : 0, body };
}
