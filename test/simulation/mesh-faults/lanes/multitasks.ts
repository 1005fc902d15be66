import { randomUUID } from 'node:crypto';
import { type SessionJson, textOf } from '../../../caller.ts';
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

type Multitask = 'enqueue' | 'reject' | 'interrupt';

interface Asked {
  readonly multitask: Multitask;
  readonly text: string;
  /** Undefined when it was refused. */
  readonly run: RunJson | undefined;
}

/** Runs that are sent to one session one after the other, each with another wish about those that are not over. */
export const createMultitasks = () =>
  createLane<Asked[]>({
    name: 'multitasks',
    app: 'echo',
    act: async (client, story) => {
      const asked: Asked[] = [];
      for (let count = 2 + client.below(3); count > 0; count -= 1) {
        asked.push(await ask(client, story));
        await client.pause(250);
      }
      return asked;
    },
    check: async (client, story, asked) => {
      const accepted = asked.filter((one) => one.run !== undefined);
      await checkLedger(
        client,
        story,
        accepted.map(({ run }) => run),
      );
      const runs = await Promise.all(accepted.map(({ run }) => endedRun(client, story, run?.invocationId ?? '')));
      const session = await readSession(client, story);
      checkTurns(client, story, session);
      checkOrder(client, story, { session, asked: accepted });
      checkRefused(client, story, { session, asked });
      runs.forEach((run, index) => {
        if (run === undefined) return;
        checkEnd(client, story, { run, events: eventsOf(session, run.invocationId) });
        const interrupts = accepted.slice(index + 1).some(({ multitask }) => multitask === 'interrupt');
        const statuses = ['completed', 'failed', ...(interrupts ? ['interrupted'] : [])];
        if (!statuses.includes(run.status)) client.tally.violate(story, `run ${run.invocationId} is ${run.status}`);
      });
      return undefined;
    },
  });

async function ask(client: Client, story: Story): Promise<Asked> {
  const multitask = client.pick<Multitask>(['enqueue', 'enqueue', 'reject', 'interrupt', 'interrupt']);
  const text = `${randomUUID()} [[wait:${client.below(1_200)}]]`;
  const certain = multitask === 'reject' ? [202, 409] : [202];
  const run = await startRun(client, story, { text, over: { multitask }, certain });
  client.tally.count(run === undefined ? 'rejections' : `runs by ${multitask}`);
  return { multitask, text, run };
}

/** Runs that wait keep the order in which they were accepted. An interrupting one comes before them. */
function checkOrder(
  client: Client,
  story: Story,
  { session, asked }: { readonly session: SessionJson; readonly asked: readonly Asked[] },
): void {
  const enqueued = asked.filter(({ multitask }) => multitask !== 'interrupt').map(({ run }) => run?.invocationId ?? '');
  const order = session.events.map(({ invocationId }) => invocationId).filter((id) => enqueued.includes(id));
  const begun = order.filter((id, index) => order.indexOf(id) === index);
  if (begun.join() !== enqueued.filter((id) => begun.includes(id)).join())
    client.tally.violate(story, `enqueued ${enqueued.join(' ')}, executed ${begun.join(' ')}`);
}

/** A rejected run has stored nothing; the message of an accepted one is stored once. */
function checkRefused(
  client: Client,
  story: Story,
  { session, asked }: { readonly session: SessionJson; readonly asked: readonly Asked[] },
): void {
  const texts = session.events.filter(({ author }) => author === 'user').map(textOf);
  for (const { text, run } of asked) {
    const count = texts.filter((one) => one === text).length;
    if (count !== (run === undefined ? 0 : 1)) client.tally.violate(story, `message ${text} is stored ${count} times`);
  }
}
