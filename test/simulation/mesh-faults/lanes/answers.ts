import { setTimeout as sleep } from 'node:timers/promises';
import type { EventJson } from '@agentmesh/proto/event';
import { textOf } from '../../../caller.ts';
import { type Client, isUnknown } from '../clients/client.ts';
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
const mostRounds = 50;

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

/** Three answers at a time, until one of them may have been stored. An answer whose outcome nobody knows is not sent again. */
async function answer(
  client: Client,
  story: Story,
  { invocationId, waitingFor: [call] = [] }: RunJson,
): Promise<Sent[]> {
  const sent: Sent[] = [];
  const send = async (): Promise<void> => {
    const result = `answer ${sent.length}`;
    const place = sent.push({ result, status: 0 }) - 1;
    const body = { functionResponse: { id: call?.functionCallId, name: call?.name, response: { result } } };
    const { status } = await client.send({ method: 'POST', path: `/runs/${invocationId}/answer`, body }, story);
    sent[place] = { result, status };
  };
  for (let round = 0; round < mostRounds; round += 1) {
    await Promise.all([send(), send(), send()]);
    if (sent.some(({ status }) => status === 202)) break;
    if ((await readRun(client, story, invocationId))?.status !== 'waiting') break;
    await sleep(200);
  }
  return sent;
}

function checkSent(
  client: Client,
  story: Story,
  { sent, events }: { readonly sent: readonly Sent[]; readonly events: readonly EventJson[] },
): void {
  const { tally } = client;
  const accepted = sent.filter(({ status }) => status === 202);
  const possible = accepted.length > 0 ? accepted : sent.filter(({ status }) => isUnknown(status));
  tally.count('answers accepted', accepted.length);
  tally.count('answers refused', sent.filter(({ status }) => status === 409).length);
  if (accepted.length > 1) tally.violate(story, `${accepted.length} answers were accepted`);
  for (const { status } of sent)
    if (![202, 409].includes(status) && !isUnknown(status)) tally.violate(story, `an answer was answered ${status}`);
  const stored = events.filter(({ author }) => author === 'user').slice(1);
  if (stored.length !== 1) tally.violate(story, `${stored.length} answers are stored`);
  const said = JSON.stringify(stored[0]?.content ?? {});
  if (!possible.some(({ result }) => said.includes(`"${result}"`)))
    tally.violate(
      story,
      `the stored answer is ${said}, and ${possible.map(({ result }) => result).join()} was accepted`,
    );
  const spoken = events.filter(
    (event) => event.author !== 'user' && event.errorCode === undefined && textOf(event) !== '',
  );
  if (spoken.length > 1) tally.violate(story, `the run went on ${spoken.length} times`);
}
