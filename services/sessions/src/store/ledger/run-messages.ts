import { createQuery, type Placeholders, type Queryable } from '@agentmesh/lib/pg';
import type { RunOfSession } from '../../session-key.ts';
import { laterUpdate } from '../created-at.ts';
import { hasNumber, isSessionOfRun } from '../key-condition.ts';
import { bytesOfEvents, withinSession } from '../sizes.ts';
import { createWriteQuery, type Write } from '../write.ts';
import { newestPlacedRun, type PlacedRunName } from './run-reads.ts';

/** A run as far as a message for it needs it. JSON texts. */
export interface AddressedRun {
  readonly sessionPk: bigint;
  readonly status: string;
  /** The message of a run that has not started. */
  readonly message: string | null;
  readonly stateDelta: string | null;
  readonly customMetadata: string | null;
  /** Messages that are kept until the run's calls are answered; null when there are none. */
  readonly added: string | null;
  /** The message answers calls. */
  readonly answers: boolean;
  /** The run may not change `app:` state. */
  readonly bound: boolean;
  /** Version of the session; null when it is deleted. */
  readonly version: bigint | null;
}

const findAddressed = createQuery<Required<PlacedRunName>, AddressedRun>({
  name: 'find-addressed-run',
  text: (param) => `select r.session_pk as "sessionPk", r.status, r.message::text, r.state_delta::text as "stateDelta",
      r.custom_metadata::text as "customMetadata", r.answered_seq is not null as answers, r.bound,
      r.added_messages::text as added, (select version from sessions s where ${isSessionOfRun}) as version
    ${newestPlacedRun(param)}`,
});

/** The newest run of the account with this id; undefined when there is none. */
export async function selectAddressedRun(db: Queryable, name: PlacedRunName): Promise<AddressedRun | undefined> {
  const [run] = await findAddressed(db, { appName: '', sessionId: '', ...name });
  return run;
}

interface RunningValues extends RunOfSession {
  readonly version: bigint | null;
}

/** SQL that changes the row of a run, if its session is as it was read. */
const changeRun = (param: Placeholders<RunningValues>, set: string): string => `with moved as (
      update sessions s set version = s.version + 1 where ${hasNumber(param, 's')} and s.version = ${param.version} returning s.pk
    ), changed as (
      update runs r set ${set} where r.account_id = ${param.accountId} and r.session_pk = (select pk from moved) and r.invocation_id = ${param.invocationId}
    )
    select pk from moved`;

interface WaitingValues extends RunningValues {
  readonly message: string;
}

const changeMessage = createQuery<WaitingValues, object>({
  name: 'change-waiting-message',
  groupCommit: true,
  text: (param) => changeRun(param, `message = ${param.message}::json`),
});

/** Replaces the message of a run that has not started. Undefined when the session was changed since the run was read: then nothing was written. */
export async function updateWaitingMessage(db: Queryable, values: WaitingValues): Promise<true | undefined> {
  return (await changeMessage(db, values)).length > 0 || undefined;
}

interface KeptValues extends RunningValues {
  readonly added: string;
}

const changeAdded = createQuery<KeptValues, object>({
  name: 'change-added-messages',
  groupCommit: true,
  text: (param) => changeRun(param, `added_messages = ${param.added}::json`),
});

/** Replaces the messages that a run keeps until its calls are answered. Undefined like `updateWaitingMessage`. */
export async function updateAddedMessages(db: Queryable, values: KeptValues): Promise<true | undefined> {
  return (await changeAdded(db, values)).length > 0 || undefined;
}

const addMessage = createWriteQuery<
  RunningValues & { eventTime: number; addedBytes: number; maxBytes: number },
  object
>({
  name: 'add-run-message',
  source: 'moved',
  text: (param, writes) => `with moved as (
      update sessions s set version = s.version + 1, last_seq = s.last_seq + 1,
        last_update_time = ${laterUpdate('s.last_update_time', param.eventTime)},
        bytes = ${withinSession(`s.bytes + ${param.addedBytes}::bigint`, param.maxBytes)}
      where ${hasNumber(param, 's')} and s.version = ${param.version} and s.turn = ${param.invocationId}
      returning s.account_id, s.app_name, s.user_id, s.pk, s.last_seq - 1 as base
    )${writes}
    select pk from moved`,
});

/** Appends the event of a message to a running run. Undefined like `updateWaitingMessage`. */
export async function insertRunMessage(db: Queryable, run: RunningValues, write: Write): Promise<true | undefined> {
  const sizes = { addedBytes: bytesOfEvents(write.events), maxBytes: write.limits.sessionBytes };
  const eventTime = write.events.at(-1)?.timestamp ?? Date.now() / 1000;
  return (await addMessage(db, { ...run, ...sizes, eventTime }, write)).length > 0 || undefined;
}
