import { setTimeout as sleep } from 'node:timers/promises';
import type { EventJson } from '@agentmesh/proto/event';
import { textOf } from '../../../caller.ts';
import type { Client } from '../clients/client.ts';
import { createLane } from '../clients/lane.ts';
import {
  checkEnd,
  checkLedger,
  endedRun,
  eventsOf,
  readRun,
  readSession,
  type RunJson,
  startRun,
} from '../clients/runs.ts';
import type { Story } from '../clients/story.ts';

interface Sent {
  readonly result: string;
  readonly status: number;
}

interface Asked {
  readonly run: RunJson | undefined;
  readonly sent: readonly Sent[];
}

/** Longest time until a run asks its question. */
const patienceMs = 60_000;

/** Runs that wait for an answer, and clients that answer at the same time. One answer counts, and the run goes on once. */
export const createAnswers = () =>
  createLane<Asked>({
    name: 'answers',
    app: 'echo',
    act: async (client, story) => {
      const run = await startRun(client, story, { text: '[[tool:request_input {}]]' });
      const asked = run && (await untilWaiting(client, story, run.invocationId));
      const sent = asked === undefined ? [] : await answer(client, story, asked);
      return { run, sent };
    },
    check: async (client, story, { run, sent }) => {
      if (run === undefined) return undefined;
      await checkLedger(client, story, [run]);
      const ended = await endedRun(client, story, run.invocationId);
      const events = eventsOf(await readSession(client, story), run.invocationId);
      if (ended === undefined || sent.length === 0) return undefined;
      if (ended.status === 'waiting') client.tally.violate(story, 'the run waits though it was answered');
      else checkEnd(client, story, { run: ended, events });
      checkSent(client, story, { sent, events });
      return undefined;
    },
  });

/** Undefined when the run ended without a question. */
async function untilWaiting(client: Client, story: Story, id: string): Promise<RunJson | undefined> {
  const giveUpAt = performance.now() + patienceMs;
  for (;;) {
    const run = await readRun(client, story, id);
    if (run?.status === 'waiting') return run;
    if (run === undefined || !['queued', 'running'].includes(run.status)) return undefined;
    if (performance.now() > giveUpAt) {
      client.tally.violate(story, `run ${id} is ${run.status} for a minute`);
      return undefined;
    }
    await sleep(50);
  }
}

/** Three answers at the same time. */
async function answer(
  client: Client,
  story: Story,
  { invocationId, waitingFor: [call] = [] }: RunJson,
): Promise<Sent[]> {
  const send = async (result: string): Promise<Sent> => {
    const body = { functionResponse: { id: call?.functionCallId, name: call?.name, response: { result } } };
    const request = { method: 'POST', path: `/runs/${invocationId}/answer`, body };
    const same = (run: unknown): unknown => (run as RunJson).invocationId;
    const told = await client.once(request, { certain: [202, 409], story, same });
    return { result, status: told?.status ?? 0 };
  };
  return Promise.all(['first', 'second', 'third'].map(send));
}

function checkSent(
  client: Client,
  story: Story,
  { sent, events }: { readonly sent: readonly Sent[]; readonly events: readonly EventJson[] },
): void {
  const { tally } = client;
  const accepted = sent.filter(({ status }) => status === 202);
  tally.count('answers accepted', accepted.length);
  tally.count('answers refused', sent.filter(({ status }) => status === 409).length);
  if (accepted.length !== 1) tally.violate(story, `${accepted.length} answers were accepted`);
  const stored = events.filter(({ author }) => author === 'user').slice(1);
  if (stored.length !== 1) tally.violate(story, `${stored.length} answers are stored`);
  const said = JSON.stringify(stored[0]?.content ?? {});
  for (const { result } of accepted)
    if (!said.includes(`"${result}"`)) tally.violate(story, `the ${result} answer was accepted, and ${said} is stored`);
  const spoken = events.filter(
    (event) => event.author !== 'user' && event.errorCode === undefined && textOf(event) !== '',
  );
  if (spoken.length > 1) tally.violate(story, `the run went on ${spoken.length} times`);
}
