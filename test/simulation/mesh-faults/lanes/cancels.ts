import { randomUUID } from 'node:crypto';
import { textOf } from '../../../caller.ts';
import type { Client } from '../clients/client.ts';
import { createLane } from '../clients/lane.ts';
import {
  checkEnd,
  checkLedger,
  checkTurns,
  endedRun,
  eventsOf,
  readSession,
  type RunJson,
  startRun,
} from '../clients/runs.ts';
import type { Story } from '../clients/story.ts';
import { answerTo } from './book.ts';

interface Cancelling {
  readonly texts: ReadonlyMap<string, string>;
  readonly runs: readonly (RunJson | undefined)[];
  /** The run that was cancelled, as each of the answers had it. */
  readonly told: readonly RunJson[];
}

/** Runs that are cancelled while they are executed or wait for their turn, once or twice at the same time, and a run that comes next. */
export const createCancels = () =>
  createLane<Cancelling>({
    name: 'cancels',
    app: 'echo',
    act: async (client, story) => {
      const runs: (RunJson | undefined)[] = [];
      const texts = new Map<string, string>();
      const start = async (text: string): Promise<RunJson | undefined> => {
        const run = await startRun(client, story, { text, over: { streaming: true } });
        runs.push(run);
        if (run !== undefined) texts.set(run.invocationId, text);
        return run;
      };
      const running = await start(`${randomUUID()} some words before [[wait:${client.below(2_000)}]] and some after`);
      const waiting = client.random() < 0.3 ? await start(randomUUID()) : undefined;
      await client.pause(1_200);
      const cancelled = waiting ?? running;
      const times = client.random() < 0.3 ? 2 : 1;
      const told = await Promise.all(Array.from({ length: times }, () => cancel(client, story, cancelled)));
      await start(randomUUID());
      return { texts, runs, told: told.filter((run) => run !== undefined) };
    },
    check: async (client, story, { texts, runs, told }) => {
      const session = await readSession(client, story);
      checkTurns(client, story, session);
      await checkLedger(client, story, runs);
      for (const { invocationId } of runs.filter((one) => one !== undefined)) {
        const run = await endedRun(client, story, invocationId);
        if (run === undefined) continue;
        const events = eventsOf(await readSession(client, story), invocationId);
        checkEnd(client, story, { run, events });
        checkTold(client, story, { run, told });
        const text = events
          .filter(({ author }) => author !== 'user')
          .map(textOf)
          .join('');
        if (!answerTo(texts.get(invocationId) ?? '').startsWith(text))
          client.tally.violate(story, `run ${invocationId} kept what was not said: ${text}`);
      }
      return undefined;
    },
  });

async function cancel(client: Client, story: Story, run: RunJson | undefined): Promise<RunJson | undefined> {
  if (run === undefined) return undefined;
  const request = { method: 'POST', path: `/runs/${run.invocationId}/cancel`, body: {} };
  const answer = await client.until(request, [200], story);
  if (answer === undefined) return undefined;
  client.tally.count('cancels');
  return answer.body as RunJson;
}

/** A run that was not over when a cancellation was acknowledged ends as cancelled; a run that was over stays as it is. */
function checkTold(
  client: Client,
  story: Story,
  { run, told }: { readonly run: RunJson; readonly told: readonly RunJson[] },
): void {
  const answers = told.filter(({ invocationId }) => invocationId === run.invocationId);
  for (const { status } of answers) {
    const expected = status === 'queued' || status === 'running' ? 'cancelled' : status;
    if (run.status !== expected)
      client.tally.violate(story, `run ${run.invocationId} was ${status} when it was cancelled, and is ${run.status}`);
  }
  if (answers.length === 0 && run.status !== 'completed' && run.status !== 'failed')
    client.tally.violate(story, `run ${run.invocationId} is ${run.status}, and nobody cancelled it`);
}
