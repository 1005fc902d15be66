import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { EventJson } from '@agentmesh/proto/event';
import { textOf } from '../../../caller.ts';
import type { Client } from '../clients/client.ts';
import { createLane } from '../clients/lane.ts';
import { checkEnd, endedRun, eventsOf, readSession, type RunJson, startRun } from '../clients/runs.ts';
import type { Story } from '../clients/story.ts';
import { endOf, type Frame, isWhole, watch } from './watch.ts';

interface Watched {
  readonly run: RunJson | undefined;
  /** By viewer. */
  readonly seen: readonly (readonly Frame[])[];
}

const patienceMs = 90_000;
const call = '[[tool:get_current_time {}]]';

/** Viewers that leave and come back at random, at any gateway. Each sees the stored events once and in order, and one end. */
export const createViewers = () =>
  createLane<Watched>({
    name: 'viewers',
    app: 'echo',
    act: async (client, story) => {
      const wait = () => `[[wait:${client.below(300)}]]`;
      const text = `${call} ${wait()} ${randomUUID()} one two ${wait()} three four ${call} ${wait()} five six ${wait()} seven`;
      const run = await startRun(client, story, { text, over: { streaming: true } });
      const viewers = run === undefined ? [] : [view(client, story, run), view(client, story, run)];
      return { run, seen: await Promise.all(viewers) };
    },
    check: async (client, story, { run, seen }) => {
      const ended = run && (await endedRun(client, story, run.invocationId));
      if (ended === undefined) return undefined;
      const stored = eventsOf(await readSession(client, story), ended.invocationId);
      checkEnd(client, story, { run: ended, events: stored });
      for (const frames of seen) checkFrames(client, story, { run: ended, stored, frames });
      return undefined;
    },
  });

/** All frames that a viewer has seen, over all its connections. */
async function view(client: Client, story: Story, { invocationId: id }: RunJson): Promise<Frame[]> {
  const frames: Frame[] = [];
  const giveUpAt = performance.now() + patienceMs;
  while (performance.now() < giveUpAt) {
    const most = client.random() < 0.8 ? 1 + client.below(5) : Infinity;
    const before = frames.length;
    const left = await watch(client, { id, frames, most });
    story.note(
      `viewer of ${id}: ${left} after ${frames
        .slice(before)
        .map((frame) => `${frame.event} ${frame.id}`)
        .join(', ')}`,
    );
    if (left === 'seen') return frames;
    client.tally.count(left === 'cut' ? 'cuts' : 'streams that broke');
    if (left === 'broken' && frames.length === before) await sleep(100);
  }
  client.tally.violate(story, `a viewer of run ${id} saw no end`);
  return frames;
}

function checkFrames(
  { tally }: Client,
  story: Story,
  {
    run,
    stored,
    frames,
  }: { readonly run: RunJson; readonly stored: readonly EventJson[]; readonly frames: readonly Frame[] },
): void {
  const whole = frames.filter(isWhole).map(({ data }) => data as EventJson);
  if (!isDeepStrictEqual(whole, stored))
    tally.violate(story, `a viewer saw the events ${idsOf(whole)}, and ${idsOf(stored)} are stored`);
  const places = frames.map(({ id }) => id);
  if (new Set(places).size < places.length) tally.violate(story, `a viewer saw a place twice: ${places.join(' ')}`);
  const ends = frames.filter(({ event }) => event === 'end').length;
  if (ends !== 1 || frames.at(-1)?.event !== 'end')
    tally.violate(story, `a viewer saw ${ends} ends: ${places.join(' ')}`);
  const { output: _answer, ...told } = run;
  if (!isDeepStrictEqual(endOf(frames), told))
    tally.violate(story, `a viewer saw another end: ${JSON.stringify(endOf(frames))}`);
  if (run.attempt === 1) checkPartials(tally, story, frames);
}

/** The pieces of an answer that came without a gap are its beginning. */
function checkPartials(tally: Client['tally'], story: Story, frames: readonly Frame[]): void {
  let pieces: string | undefined = '';
  for (const frame of frames) {
    const text = frame.event === 'message' ? textOf(frame.data as EventJson) : '';
    if (frame.event === 'gap') pieces = undefined;
    else if (!isWhole(frame)) pieces = pieces === undefined ? undefined : pieces + text;
    else {
      if (pieces !== undefined && !text.startsWith(pieces))
        tally.violate(story, `a viewer saw "${pieces}", and the answer is "${text}"`);
      pieces = '';
    }
  }
}

function idsOf(events: readonly EventJson[]): string {
  return events.map(({ id }) => id).join(' ');
}
