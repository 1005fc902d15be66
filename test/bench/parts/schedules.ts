import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type Caller, newAccount } from '../../caller.ts';
import { startMeshOneProcess } from '../targets/mesh-targets.ts';
import type { Figure, Part, PartOptions } from './part.ts';

interface RunJson {
  readonly createTime: number;
  readonly customMetadata: { readonly scheduled_at: string };
}

const ofAccount = 100;
const seconds = 10;
const settings = { SCHEDULES_MIN_SECONDS: '1', SCHEDULES_RUNS_PER_HOUR: '1000000' };

/** Schedules of each second: how late their ticks start, and those of an account that has one beside five that have 100 each. */
export const schedules: Part = {
  name: 'schedules',
  measure: async (options) => {
    await using target = await startMeshOneProcess(settings);
    const pair = [await newAccount(target.url), await newAccount(target.url)];
    const all = await latenesses(pair, ofAccount, options);
    const label = `${pair.length * ofAccount} schedules of each second`;
    const figures: Figure[] = [
      { label: `${label}, ticks that started, share`, value: all.length / (pair.length * ofAccount * seconds) },
      { label: `${label}, latest start in s`, value: Math.max(...all), atMost: 2 },
    ];
    const noisy = await Promise.all(Array.from({ length: 5 }, () => newAccount(target.url)));
    const stranger = await newAccount(target.url);
    const noise = latenesses(noisy, ofAccount, options);
    const [own] = await Promise.all([latenesses([stranger], 1, options), noise]);
    return [
      ...figures,
      { label: 'one schedule beside 500 of five accounts, latest start in s', value: Math.max(...own) },
    ];
  },
};

/** Seconds by which the ticks of some seconds started late. The schedules are deleted. */
async function latenesses(
  accounts: readonly Caller[],
  number: number,
  { say, signal }: PartOptions,
): Promise<number[]> {
  say(`${accounts.length} accounts with ${number} schedules of each second, for ${seconds} s`);
  const from = Math.ceil(Date.now() / 1_000) + 15;
  const ids = await Promise.all(accounts.map((caller) => createSchedules(caller, number)));
  if (Date.now() / 1_000 > from) throw new Error('the schedules were not made in time');
  // Ticks that are late still start meanwhile.
  await sleep((from + seconds + 5) * 1_000 - Date.now(), undefined, { signal });
  await Promise.all(accounts.map((caller, index) => deleteSchedules(caller, ids[index] ?? [])));
  const runs = (await Promise.all(accounts.map((caller) => runsSince(caller, from)))).flat();
  return runs
    .map((run) => ({ tick: Date.parse(run.customMetadata.scheduled_at) / 1_000, start: run.createTime }))
    .filter(({ tick }) => tick >= from && tick < from + seconds)
    .map(({ tick, start }) => start - tick);
}

async function createSchedules(caller: Caller, number: number): Promise<string[]> {
  const newMessage = { role: 'user', parts: [{ text: 'tick' }] };
  const body = { cron: '* * * * * *', timezone: 'UTC', appName: 'echo', userId: 'u1', newMessage };
  const ids: string[] = [];
  for (let one = 0; one < number; one += 1) {
    const { body: made } = await caller.request<{ id: string }>('POST', '/api/schedules', body);
    ids.push(made.id);
  }
  return ids;
}

async function deleteSchedules(caller: Caller, ids: readonly string[]): Promise<void> {
  for (const id of ids) await caller.request('DELETE', `/api/schedules/${id}`);
}

async function runsSince(caller: Caller, from: number): Promise<RunJson[]> {
  const runs: RunJson[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { headers, body }: Answer<RunJson[]> = await caller.request<RunJson[]>(
      'GET',
      `/runs?since=${from}&limit=500${page}`,
    );
    runs.push(...body);
    cursor = headers.get('x-next-cursor');
  }
  return runs;
}
