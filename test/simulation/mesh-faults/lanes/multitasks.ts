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

/** They end the running run. */
const interrupting: readonly Multitask[] = ['interrupt', 'rollback'];

/** End of the message of a run whose turn was rewound. */
const rewound = 'its turn was rewound.';

type Multitask = 'enqueue' | 'reject' | 'interrupt' | 'rollback';

interface Asked {
  readonly multitask: Multitask;
  readonly text: string;
  /** Key of the session's state that the run sets. */
  readonly key: string;
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
      checkMessages(client, story, { session, asked });
      runs.forEach((run, index) => {
        if (run === undefined) return;
        checkEnd(client, story, { run, events: eventsOf(session, run.invocationId) });
        checkState(client, story, { session, run, key: accepted[index]?.key ?? '' });
        const stops = accepted.slice(index + 1).filter(({ multitask }) => interrupting.includes(multitask));
        checkRollback(client, story, { session, run, stops });
        const statuses = ['completed', 'failed', ...(stops.length > 0 ? ['interrupted'] : [])];
        if (!statuses.includes(run.status)) client.tally.violate(story, `run ${run.invocationId} is ${run.status}`);
      });
      return undefined;
    },
  });

async function ask(client: Client, story: Story): Promise<Asked> {
  const multitask = client.pick<Multitask>(['enqueue', 'enqueue', 'reject', 'interrupt', 'rollback']);
  const key = randomUUID();
  const text = `${key} [[state:${key}=set]] [[wait:${client.below(1_200)}]]`;
  const certain = multitask === 'reject' ? [202, 409] : [202];
  const run = await startRun(client, story, { text, over: { multitask }, certain });
  client.tally.count(run === undefined ? 'rejections' : `runs by ${multitask}`);
  return { multitask, text, key, run };
}

/** Runs that wait keep the order in which they were accepted. An interrupting one comes before them. */
function checkOrder(
  client: Client,
  story: Story,
  { session, asked }: { readonly session: SessionJson; readonly asked: readonly Asked[] },
): void {
  const enqueued = asked
    .filter(({ multitask }) => !interrupting.includes(multitask))
    .map(({ run }) => run?.invocationId ?? '');
  const order = session.events.map(({ invocationId }) => invocationId).filter((id) => enqueued.includes(id));
  const begun = order.filter((id, index) => order.indexOf(id) === index);
  if (begun.join() !== enqueued.filter((id) => begun.includes(id)).join())
    client.tally.violate(story, `enqueued ${enqueued.join(' ')}, executed ${begun.join(' ')}`);
}

/** A rejected run has stored nothing; the message of an accepted one is stored once, except when the run was rolled back before it began. */
function checkMessages(
  client: Client,
  story: Story,
  { session, asked }: { readonly session: SessionJson; readonly asked: readonly Asked[] },
): void {
  const texts = session.events.filter(({ author }) => author === 'user').map(textOf);
  for (const { text, run } of asked) {
    const count = texts.filter((one) => one === text).length;
    const mayLack = run === undefined || asked.some(({ multitask }) => multitask === 'rollback');
    if (count > (run === undefined ? 0 : 1) || (count === 0 && !mayLack))
      client.tally.violate(story, `message ${text} is stored ${count} times`);
  }
}

/** A run is rewound that none but rollbacks can have ended. */
function checkRollback(
  { tally }: Client,
  story: Story,
  { session, run, stops }: { readonly session: SessionJson; readonly run: RunJson; readonly stops: readonly Asked[] },
): void {
  const isRolledBack = run.status === 'interrupted' && stops.every(({ multitask }) => multitask === 'rollback');
  if (!isRolledBack || eventsOf(session, run.invocationId).length === 0) return;
  if (run.errorMessage?.endsWith(rewound) !== true)
    tally.violate(story, `run ${run.invocationId} was rolled back and not rewound: ${run.errorMessage}`);
}

/** The state has what the run has stored, unless its turn was rewound. */
function checkState(
  { tally }: Client,
  story: Story,
  { session, run, key }: { readonly session: SessionJson; readonly run: RunJson; readonly key: string },
): void {
  const { invocationId: id, errorMessage = '' } = run;
  const isStored = eventsOf(session, id).some(({ actions }) => Object.hasOwn(actions.stateDelta, key));
  const isRewound = errorMessage.endsWith(rewound);
  const rewinds = session.events.filter(({ actions }) => actions['rewindBeforeInvocationId'] === id).length;
  const expected = isRewound && eventsOf(session, id).length > 0 ? 1 : 0;
  if (isRewound) tally.count('turns rewound');
  if (rewinds !== expected) tally.violate(story, `the turn of run ${id} was rewound ${rewinds} times: ${errorMessage}`);
  if (Object.hasOwn(session.state, key) !== (isStored && !isRewound))
    tally.violate(
      story,
      `the state of run ${id} is ${isStored ? '' : 'not '}stored and ${isRewound ? '' : 'not '}rewound`,
    );
  if (run.status === 'completed' && !isStored) tally.violate(story, `run ${id} completed without its change of state`);
}
