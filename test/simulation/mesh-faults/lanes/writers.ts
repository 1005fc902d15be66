import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { EventJson } from '@agentmesh/proto/event';
import { type Caller, runBody, type SessionJson, sessionPath } from '../../../caller.ts';
import type { Client } from '../clients/client.ts';
import { checkSessions, type Lane, openSession } from '../clients/lane.ts';
import { checkTurns, countTakeover, isOver, listRuns, readSession } from '../clients/runs.ts';
import type { Story } from '../clients/story.ts';
import { differences, newTold, type Told } from './book.ts';

/** Longest pause of a writer between two requests. */
const pauseMs = 80;
/** Changes and runs until a writer begins another session. */
const turnsOfSession = 8;

interface Book {
  readonly story: Story;
  readonly told: Told;
}

/**
 * Clients that create sessions, run agents with `/run` and change state. All clients of an account use its latest sessions. `slowRuns`: the part of the
 * runs whose model takes up to a second and a half.
 */
export function createWriters(slowRuns: number): Lane {
  let books: Book[] = [];
  const act = async (client: Client): Promise<void> => {
    const story = await openSession(client, 'writers', 'echo');
    if (story === undefined) return;
    const book = { story, told: newTold() };
    books.push(book);
    for (let turn = 0; turn < turnsOfSession && !client.over.aborted; turn += 1) {
      const latest = books.filter(({ story: { caller } }) => caller === client.caller).slice(-4);
      await run(client, client.pick(latest), slowRuns);
      await client.pause(pauseMs);
      await change(client, book);
      await client.pause(pauseMs);
    }
  };
  const check = async (readAs: (caller: Caller) => Client): Promise<void> => {
    const all = books;
    books = [];
    for (const { story, told } of all) {
      const client = readAs(story.caller);
      await checkSessions(client, story);
      const session = await readSession(client, story);
      checkTurns(client, story, session);
      for (const difference of differences(session, told)) client.tally.violate(story, difference);
      await checkRuns(client, story, told);
    }
  };
  return { name: 'writers', act, check };
}

/** Each message that was sent has one run, which has ended. */
async function checkRuns(client: Client, story: Story, told: Told): Promise<void> {
  const runs = await listRuns(client, story);
  if (runs.length !== told.runs.size)
    client.tally.violate(story, `the session has ${runs.length} runs, and ${told.runs.size} were sent`);
  for (const run of runs) {
    const { invocationId, status } = run;
    client.tally.count(`runs ${status}`);
    countTakeover(client, run);
    if (!isOver(status)) client.tally.violate(story, `run ${invocationId} is ${status}, and has no final state`);
  }
}

async function run(client: Client, { story, told }: Book, slowRuns: number): Promise<void> {
  const wait = client.random() < slowRuns ? ` [[wait:${client.below(1_500)}]]` : '';
  const text = randomUUID() + wait;
  told.runs.set(text, 'unknown');
  const request = { method: 'POST', path: '/run', body: runBody(story.session, text) };
  const answer = await client.once(request, { certain: [200], story, same: (body) => body });
  if (answer === undefined) return;
  client.tally.count('runs answered');
  const events = answer.body as EventJson[];
  const hasFailed = events.length === 0 || events.some(({ errorCode }) => errorCode !== undefined);
  told.runs.set(text, hasFailed ? 'failed' : 'answered');
}

async function change(client: Client, { story, told }: Book): Promise<void> {
  const key = randomUUID();
  const request = { method: 'PATCH', path: sessionPath(story.session), body: { stateDelta: { [key]: true } } };
  const answer = await client.once(request, { certain: [200], story, same: idOf });
  if (answer === undefined) return;
  told.changes.add(key);
  if (!isDeepStrictEqual((answer.body as SessionJson).state[key], true))
    client.tally.violate(story, `the answer to change ${key} lacks it`);
}

/** A repeated change is answered with the session as it is then. */
function idOf(body: unknown): string {
  return (body as SessionJson).id;
}
