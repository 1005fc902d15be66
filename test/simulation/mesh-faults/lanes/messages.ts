import { randomUUID } from 'node:crypto';
import type { EventJson } from '@agentmesh/proto/event';
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

interface Message {
  readonly text: string;
  /** 202: it was added. 409: it came too late. */
  readonly status: number;
}

interface Steered {
  /** The run that it had to wait for. */
  readonly before: RunJson | undefined;
  readonly run: RunJson | undefined;
  readonly messages: readonly Message[];
}

/**
 * Messages that are added to a run, some while it waits for its turn. One that was acknowledged is stored once, in the order of the acknowledgements, and the run does not complete
 * before the agent has answered the last of them.
 */
export const createMessages = () =>
  createLane<Steered>({
    name: 'messages',
    app: 'echo',
    act: async (client, story) => {
      const slow = (): string => `${randomUUID()} [[wait:${300 + client.below(1_500)}]]`;
      const before = client.random() < 0.5 ? await startRun(client, story, { text: slow() }) : undefined;
      const run = await startRun(client, story, { text: slow() });
      const messages: Message[] = [];
      for (let count = 1 + client.below(3); run !== undefined && count > 0; count -= 1) {
        await client.pause(500);
        messages.push(await add(client, story, run));
      }
      return { before, run, messages };
    },
    check: async (client, story, { before, run, messages }) => {
      if (run === undefined) return undefined;
      await checkLedger(client, story, before === undefined ? [run] : [before, run]);
      const ended = await endedRun(client, story, run.invocationId);
      const session = await readSession(client, story);
      checkTurns(client, story, session);
      const events = eventsOf(session, run.invocationId);
      if (ended !== undefined) checkEnd(client, story, { run: ended, events });
      checkStored(client, story, { events, messages });
      if (ended?.status === 'completed') checkAnswered(client, story, events);
      return undefined;
    },
  });

async function add(client: Client, story: Story, { invocationId }: RunJson): Promise<Message> {
  const text = `message ${randomUUID()} `;
  const body = { newMessage: { role: 'user', parts: [{ text }] } };
  const request = { method: 'POST', path: `/runs/${invocationId}/messages`, body };
  const answer = await client.once(request, { certain: [202, 409], story, same: idOf });
  const status = answer?.status ?? 0;
  if (status === 202) client.tally.count('messages');
  return { text, status };
}

function checkStored(
  client: Client,
  story: Story,
  { events, messages }: { readonly events: readonly EventJson[]; readonly messages: readonly Message[] },
): void {
  const said = events
    .filter(({ author }) => author === 'user')
    .map(textOf)
    .join('\n');
  let reached = -1;
  for (const { text, status } of messages) {
    const times = said.split(text).length - 1;
    if (times !== (status === 202 ? 1 : 0))
      client.tally.violate(story, `message ${text} was answered ${status}, and is stored ${times} times`);
    if (times === 0) continue;
    if (said.indexOf(text) < reached) client.tally.violate(story, `message ${text} is not in its order`);
    reached = said.indexOf(text);
  }
}

/** The echo agent answers the last message that it sees. */
function checkAnswered(client: Client, story: Story, events: readonly EventJson[]): void {
  const last = events.findLastIndex(({ author }) => author === 'user');
  const answers = events.slice(last + 1).map(textOf);
  if (!answers.includes(answerTo(textOf(events[last]))))
    client.tally.violate(story, `the run completed before its agent answered ${textOf(events[last])}`);
}

function idOf(run: unknown): string {
  return (run as RunJson).invocationId;
}
