import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createClient, type LoadClient } from '../../load/load-client.ts';
import { meshSeparate } from '../../targets/mesh-targets.ts';
import { cpuSeconds } from '../../targets/server-process.ts';
import type { Target } from '../../targets/target.ts';
import type { Figure, PartOptions } from '../part.ts';
import type { Watched } from './viewers.ts';

const viewers = 200;
const words = 10_000;
const program = fileURLToPath(new URL('viewers.ts', import.meta.url));

/** One run that streams word by word, and 200 viewers at a gateway, which is one process and so uses one core. */
export async function measureFanOut({ say, signal }: PartOptions): Promise<Figure[]> {
  await using target = await meshSeparate.start();
  const gateway = target.pids.slice(-1);
  const client = createClient({ url: target.url, app: 'echo', connections: 4, token: target.token ?? '' });
  await fanOut(target, client, { words: words / 5, signal });
  say(`${words} words for ${viewers} viewers`);
  const before = cpuSeconds(gateway);
  const { events, gaps, seconds } = await fanOut(target, client, { words, signal });
  const cpu = cpuSeconds(gateway) - before;
  return [
    { label: `events to ${viewers} viewers of one run, per second`, value: events / seconds, atLeast: 100_000 },
    { label: `events to ${viewers} viewers of one run, per second of the gateway’s CPU`, value: events / cpu },
    { label: `gaps per viewer in ${words} partial events`, value: gaps / viewers },
  ];
}

interface FanOut {
  readonly words: number;
  readonly signal: AbortSignal;
}

/** The first run keeps the session busy until all viewers of the second one are there. */
async function fanOut(target: Target, client: LoadClient, { words: count, signal }: FanOut): Promise<Watched> {
  const sessionId = await client.createSession();
  const start = async (text: string): Promise<string> => {
    const newMessage = { role: 'user', parts: [{ text }] };
    const body = { appName: 'echo', userId: 'u1', sessionId, newMessage, streaming: true };
    const { text: run } = await client.request('/runs', body);
    return (JSON.parse(run) as { invocationId: string }).invocationId;
  };
  const busy = await start('[[wait:60000]]');
  const run = await start(Array.from({ length: count }, (_, number) => `word${number}`).join(' '));
  const child = spawn(process.execPath, [program, target.url, run, target.token ?? '', String(viewers)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    signal,
  });
  child.once('error', () => undefined);
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === 'open') await client.request(`/runs/${busy}/cancel`, {});
    else return JSON.parse(line) as Watched;
  }
  throw new Error('the viewers did not come to the end of the run');
}
