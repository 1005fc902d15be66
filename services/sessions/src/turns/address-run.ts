import type { ContentJson, JsonObject } from '@agentmesh/proto/event';
import { parseExactly } from '@agentmesh/proto/exact-json';
import { checkBytes } from '../account-usage.ts';
import type { Context } from '../context.ts';
import { runOver, runUnbound, runWaiting } from '../errors.ts';
import { createUserEvent } from '../events/user-event.ts';
import { windowBytesBeside } from '../store/events/window-bytes.ts';
import {
  type AddressedRun,
  insertRunMessage,
  selectAddressedRun,
  updateWaitingMessage,
} from '../store/ledger/run-messages.ts';
import type { RunName } from '../store/ledger/run-reads.ts';
import { bytesOfEvents } from '../store/sizes.ts';
import { untilCurrent } from '../until-current.ts';

/**
 * Adds a user's message to a run: as an event while the run is running, to its own message while it has not started. False when there is no such run.
 *
 * @throws MeshError aborted `run_over`, `run_waiting`; permission_denied `run_unbound`
 */
export async function addressRun(
  context: Context,
  { isBound, ...name }: RunName & { readonly isBound: boolean },
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
        if (run.answers) throw runWaiting(name.invocationId);
        return extendMessage(context, { ...name, ...run }, message);
      case 'waiting':
        throw runWaiting(name.invocationId);
      default:
        throw runOver(name.invocationId);
    }
  });
}

type NamedRun = RunName & AddressedRun;

/** The event never begins a window: calls of the run may stand before it whose responses come after it. */
async function addEvent(context: Context, run: NamedRun, message: string): Promise<true | undefined> {
  const { db, limits, usage } = context;
  const customMetadata = markAdded(run.customMetadata);
  const content = { invocationId: run.invocationId, message, stateDelta: {}, customMetadata, answersCalls: true };
  const events = [createUserEvent(content)];
  const done = await insertRunMessage(db, run, { events, changes: [], limits });
  if (done === true) usage.add(run.accountId, { bytes: bytesOfEvents(events) });
  return done;
}

/** The metadata of the run, with the mark of messages that were added to it. */
function markAdded(metadata: string | null): string {
  const own = metadata === null ? {} : (parseExactly(metadata) as JsonObject);
  return JSON.stringify({ ...own, addedToRun: true });
}

/** Bytes of a turn's answer besides texts. */
const roomForFields = 10_000;

function extendMessage({ db, limits }: Context, run: NamedRun, message: string): Promise<true | undefined> {
  const extended = joinMessages(run.message, message);
  const texts = [extended, run.stateDelta ?? '', run.customMetadata ?? ''];
  const bytes = texts.reduce((sum, text) => sum + 2 * Buffer.byteLength(text), roomForFields);
  windowBytesBeside(bytes + 3 * limits.stateScopeBytes);
  return updateWaitingMessage(db, { ...run, message: extended });
}

/** One message with the parts of both. */
function joinMessages(first: string | null, second: string): string {
  if (first === null) return second;
  const [one, two] = [first, second].map((text) => parseExactly(text) as ContentJson);
  return JSON.stringify({ ...one, parts: [...(one?.parts ?? []), ...(two?.parts ?? [])] });
}
