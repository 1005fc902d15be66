import type { ContentJson } from '@agentmesh/proto/event';
import { parseExactly } from '@agentmesh/proto/exact-json';
import { checkBytes } from '../account-usage.ts';
import type { Context } from '../context.ts';
import { runOver, runUnbound } from '../errors.ts';
import { addedEvent, readMessages, withMessage } from '../events/added-messages.ts';
import { windowBytesBeside } from '../store/events/window-bytes.ts';
import {
  type AddressedRun,
  insertRunMessage,
  selectAddressedRun,
  updateAddedMessages,
  updateWaitingMessage,
} from '../store/ledger/run-messages.ts';
import type { PlacedRunName, RunName } from '../store/ledger/run-reads.ts';
import { bytesOfEvents } from '../store/sizes.ts';
import { untilCurrent } from '../until-current.ts';

/**
 * Adds a user's message to a run: as an event while the run is running, to its own message while it has not started. A run that waits for an answer, or
 * has one and waits for its turn, keeps the message until its calls are answered. False when there is no such run.
 *
 * @throws MeshError aborted `run_over`; permission_denied `run_unbound`
 */
export async function addressRun(
  context: Context,
  { isBound, ...name }: PlacedRunName & { readonly isBound: boolean },
  message: string,
): Promise<boolean> {
  checkBytes(context, name.accountId);
  return untilCurrent(async () => {
    const run = await selectAddressedRun(context.db, name);
    if (run === undefined) return false;
    if (isBound && !run.bound) throw runUnbound();
    if (run.version === null) throw runOver(name.invocationId);
    switch (run.status) {
      case 'running':
        return addEvent(context, { ...name, ...run }, message);
      case 'queued':
      case 'granted':
        if (run.answers) return keepMessage(context, { ...name, ...run }, message);
        return extendMessage(context, { ...name, ...run }, message);
      case 'waiting':
        return keepMessage(context, { ...name, ...run }, message);
      default:
        throw runOver(name.invocationId);
    }
  });
}

type NamedRun = RunName & AddressedRun;

async function addEvent(context: Context, run: NamedRun, message: string): Promise<true | undefined> {
  const { db, limits, usage } = context;
  const events = [addedEvent(run, message)];
  const done = await insertRunMessage(db, run, { events, changes: [], limits });
  if (done === true) usage.add(run.accountId, { bytes: bytesOfEvents(events) });
  return done;
}

/** Bytes of a turn's answer besides texts, and of an event besides its message and its metadata. */
const [roomForFields, roomForEvent] = [10_000, 600];

function extendMessage(context: Context, run: NamedRun, message: string): Promise<true | undefined> {
  const extended = joinMessages(run.message, message);
  checkRoom(context, run, { messages: [extended], kept: 0 });
  return updateWaitingMessage(context.db, { ...run, message: extended });
}

function keepMessage(context: Context, run: NamedRun, message: string): Promise<true | undefined> {
  const added = withMessage(run.added, message);
  checkRoom(context, run, { messages: [added, run.message ?? ''], kept: readMessages(added).length });
  return updateAddedMessages(context.db, { ...run, added });
}

interface Messages {
  readonly messages: readonly string[];
  /** How many of them become events of their own. Each has a copy of the metadata. */
  readonly kept: number;
}

/** Throws when the run could not be handed to an executor with these messages. */
function checkRoom({ limits }: Context, { stateDelta, customMetadata }: NamedRun, { messages, kept }: Messages): void {
  const metadataBytes = Buffer.byteLength(customMetadata ?? '');
  const texts = [...messages, stateDelta ?? ''];
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), metadataBytes);
  const bytesOfKept = kept * (metadataBytes + roomForEvent);
  windowBytesBeside(roomForFields + 2 * (bytes + bytesOfKept) + 3 * limits.stateScopeBytes);
}

/** One message with the parts of both. */
function joinMessages(first: string | null, second: string): string {
  if (first === null) return second;
  const [one, two] = [first, second].map((text) => parseExactly(text) as ContentJson);
  return JSON.stringify({ ...one, parts: [...(one?.parts ?? []), ...(two?.parts ?? [])] });
}
