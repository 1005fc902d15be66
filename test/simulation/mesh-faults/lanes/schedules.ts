import { once } from 'node:events';
import type { Client } from '../clients/client.ts';
import { createLane } from '../clients/lane.ts';
import { endedRun, type RunJson } from '../clients/runs.ts';
import type { Story } from '../clients/story.ts';

interface ScheduleJson {
  readonly id: string;
  readonly next_times: readonly string[];
  readonly missed_ticks: number;
}

const periodMs = 2_000;
const message = { role: 'user', parts: [{ text: 'tick' }] };

/** A schedule of every other second, from its creation until it is paused: each tick has one run, or is reported as missed. */
export const createSchedules = () =>
  createLane<ScheduleJson | undefined>({
    name: 'schedules',
    app: 'echo',
    act: async (client, story) => {
      const { appName } = story.session;
      const userId = ticksOf(story);
      const sessionId = client.random() < 0.5 ? { sessionId: 'all-ticks' } : {};
      const body = { cron: `*/${periodMs / 1_000} * * * * *`, appName, userId, newMessage: message, ...sessionId };
      const request = { method: 'POST', path: '/api/schedules', body };
      const same = (made: unknown): unknown => (made as ScheduleJson).id;
      const made = await client.once(request, { certain: [201], story, same });
      if (made === undefined) return undefined;
      if (!client.over.aborted) await once(client.over, 'abort');
      const schedule = made.body as ScheduleJson;
      await client.until({ method: 'POST', path: `/api/schedules/${schedule.id}/pause`, body: {} }, [200], story);
      return schedule;
    },
    check: async (client, story, schedule) => {
      if (schedule !== undefined) await checkTicks(client, story, schedule);
      return undefined;
    },
  });

async function checkTicks(client: Client, story: Story, { id, next_times: [first] }: ScheduleJson): Promise<void> {
  const { tally } = client;
  const path = `/api/schedules/${id}`;
  const answer = await client.until({ method: 'GET', path }, [200], story);
  const missed = (answer?.body as ScheduleJson | undefined)?.missed_ticks ?? 0;
  const runs = await runsOf(client, story);
  for (const { invocationId } of runs) await endedRun(client, story, invocationId);
  const times = runs
    .map(({ customMetadata }) => Date.parse(String(customMetadata?.['scheduled_at'])))
    .toSorted((a, b) => a - b);
  tally.count('ticks', times.length);
  tally.count('ticks missed', missed);
  const last = times.at(-1);
  if (last === undefined) return;
  if (new Set(times).size < times.length) tally.violate(story, `a tick of schedule ${id} has two runs`);
  const expected = (last - Date.parse(first ?? '')) / periodMs + 1;
  if (new Set(times).size + missed !== expected)
    tally.violate(story, `schedule ${id} has ${times.length} runs and ${missed} missed ticks, of ${expected}`);
  await client.until({ method: 'DELETE', path }, [204, 404], story);
}

async function runsOf(client: Client, story: Story): Promise<RunJson[]> {
  const path = `/runs?app=${story.session.appName}&user=${ticksOf(story)}&limit=500`;
  const answer = await client.until({ method: 'GET', path }, [200], story);
  return (answer?.body ?? []) as RunJson[];
}

/** The user of the sessions that ticks make. */
function ticksOf({ session: { userId } }: Story): string {
  return `${userId}-ticks`;
}
