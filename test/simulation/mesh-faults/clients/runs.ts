import { setTimeout as sleep } from 'node:timers/promises';
import type { EventJson } from '@agentmesh/proto/event';
import { runBody, type SessionJson, sessionPath } from '../../../caller.ts';
import type { Client } from './client.ts';
import type { Story } from './story.ts';

/** A run as its record says. */
export interface RunJson {
  readonly invocationId: string;
  readonly status: string;
  readonly attempt: number;
  readonly sessionId: string;
  readonly errorMessage?: string;
  readonly waitingFor?: readonly { readonly functionCallId: string; readonly name: string }[];
  readonly customMetadata?: Readonly<Record<string, unknown>>;
  /** The last answer; the end of a stream does not have it. */
  readonly output?: unknown;
}

/** Runs are checked after the last fault, so they end soon. */
const patienceMs = 60_000;
const lookMs = 100;

export interface StartOptions {
  readonly text: string;
  /** Further fields of the request. */
  readonly over?: object;
  readonly certain?: readonly number[];
}

/** Starts a run in the background, once. Undefined when it was refused with one of `certain`, or when there was no certain answer. */
export async function startRun(
  client: Client,
  story: Story,
  { text, over, certain = [202] }: StartOptions,
): Promise<RunJson | undefined> {
  const request = { method: 'POST', path: '/runs', body: runBody(story.session, text, over) };
  const same = (body: unknown): unknown => (body as RunJson).invocationId;
  const answer = await client.once(request, { certain, story, same });
  if (answer?.status !== 202) return undefined;
  client.tally.count('runs in the background');
  return answer.body as RunJson;
}

/** The record of an accepted run; undefined, and a violation, when there is none. */
export async function readRun(client: Client, story: Story, id: string): Promise<RunJson | undefined> {
  return (await client.until({ method: 'GET', path: `/runs/${id}` }, [200], story))?.body as RunJson | undefined;
}

/** The record of a run that has ended, or waits. To be called when nothing happens any more: a run that goes on for a minute is a violation. */
export async function endedRun(client: Client, story: Story, id: string): Promise<RunJson | undefined> {
  const giveUpAt = performance.now() + patienceMs;
  for (;;) {
    const run = await readRun(client, story, id);
    if (run === undefined) return undefined;
    if (isOver(run.status) || run.status === 'waiting') {
      client.tally.count(`runs ${run.status}`);
      return run;
    }
    if (performance.now() > giveUpAt) {
      client.tally.violate(story, `run ${id} is ${run.status}, and has no final state`);
      return undefined;
    }
    await sleep(lookMs);
  }
}

/** Counts a run that another executor went on with. Not for runs that wait for answers: each answer begins an attempt, too. */
export function countTakeover({ tally }: Client, { attempt, status }: RunJson): void {
  if (attempt < 2) return;
  tally.count('runs taken over');
  if (status === 'completed') tally.count('runs taken over that completed');
}

export async function readSession(client: Client, story: Story): Promise<SessionJson> {
  const answer = await client.until({ method: 'GET', path: sessionPath(story.session) }, [200], story);
  return (answer?.body as SessionJson | undefined) ?? story.session;
}

export function eventsOf({ events }: SessionJson, id: string): EventJson[] {
  return events.filter(({ invocationId }) => invocationId === id);
}

/** The runs of the session. */
export async function listRuns(client: Client, story: Story): Promise<readonly RunJson[]> {
  const path = `${sessionPath(story.session)}/runs?limit=500`;
  const answer = await client.until({ method: 'GET', path }, [200], story);
  return (answer?.body ?? []) as RunJson[];
}

/** Whether a run with this status has ended. */
export function isOver(status: string): boolean {
  return ['completed', 'failed', 'cancelled', 'interrupted'].includes(status);
}

/** Checks that the session has the accepted runs and no others. */
export async function checkLedger(
  client: Client,
  story: Story,
  accepted: readonly (RunJson | undefined)[],
): Promise<void> {
  const listed = (await listRuns(client, story)).map(({ invocationId }) => invocationId);
  const told = accepted.flatMap((run) => (run === undefined ? [] : [run.invocationId]));
  for (const id of told) if (!listed.includes(id)) client.tally.violate(story, `run ${id} is lost`);
  for (const id of listed) if (!told.includes(id)) client.tally.violate(story, `nobody was told of run ${id}`);
}

/** Checks that the stored events of a run fit its final state: an event with an error comes last, once, and only in a run that did not complete. */
export function checkEnd(
  client: Client,
  story: Story,
  { run, events }: { run: RunJson; events: readonly EventJson[] },
): void {
  const { tally } = client;
  const { invocationId: id, status } = run;
  const errors = events.filter(({ errorCode }) => errorCode !== undefined);
  if (status === 'completed' && errors.length > 0) tally.violate(story, `run ${id} completed with an error`);
  if (errors.length > 1) tally.violate(story, `run ${id} ended ${errors.length} times`);
  if (errors.length === 1 && events.at(-1) !== errors[0]) tally.violate(story, `run ${id} went on behind its end`);
  if (status !== 'completed' && events.length > 0 && errors.length === 0)
    tally.violate(story, `run ${id} is ${status} without an event that says so`);
  if (status === 'completed' && events.at(-1)?.author === 'user')
    tally.violate(story, `run ${id} completed without an answer`);
}

/** Checks that no other run stands between the events of a run. A state change, which has an invocation id of its own, may. */
export function checkTurns(client: Client, story: Story, { events }: SessionJson): void {
  const ofRuns = events.map(({ invocationId }) => invocationId).filter((id) => id.startsWith('e-'));
  const turns = ofRuns.filter((turn, index) => turn !== ofRuns[index - 1]);
  if (new Set(turns).size < turns.length) client.tally.violate(story, 'turns are interleaved');
}
