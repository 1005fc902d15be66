import type { Transaction } from '@agentmesh/lib/pg';
import type { MeshError } from '@agentmesh/lib/rpc';
import type { Context } from '../context.ts';
import { sessionExists, sessionNotFound } from '../errors.ts';
import type { CheckedKey } from '../session-key.ts';
import { toChanges } from '../state-delta.ts';
import { copyCredentialRequests } from '../store/credential-requests.ts';
import { copyEventsUpTo, copyOwnState, holdSession, insertForkedSession } from '../store/forks.ts';
import type { SessionHistory } from '../store/histories.ts';
import { selectFirstEvents } from '../store/retention/old-rows.ts';
import { artifactsAt, beginFolding, type Folded, foldDeltas, parseInitial, restoringDelta } from './fold-deltas.ts';
import { printView, readView, viewUpTo } from '../view/view.ts';

export interface Fork {
  readonly source: CheckedKey;
  readonly history: SessionHistory;
  /** The new session, of the same app and user. */
  readonly key: CheckedKey;
  /** Sequence of its last event. */
  readonly lastSeq: number;
}

/**
 * Copies a session up to an event, with its state and artifacts as of that event, in one transaction. Events are copied inside the database; only the
 * last step keeps others from writing to the session. Returns the bytes of the events; undefined when retention has deleted events of the session since
 * `history` was read: then nothing is stored. Fails with already_exists `session_exists`, not_found `session_not_found`, resource_exhausted `account_state`, and with the errors of copying
 * artifacts; then nothing is stored.
 */
export async function forkSession(context: Context, fork: Fork): Promise<number | undefined> {
  const db = context.db.forLongWork();
  const { pk: sessionPk, lastSeq: upTo } = fork.history;
  const range = { accountId: fork.source.accountId, sessionPk, after: 0, at: fork.lastSeq, upTo };
  const folded = await foldDeltas(db, range, beginFolding(fork.history));
  return db
    .transaction((tx) => copy(context, tx, { ...fork, folded }))
    .catch((error: unknown) => {
      if (error instanceof SourceTrimmed) return undefined;
      throw error;
    });
}

/** Rolls a copy back whose source has lost events: changes that were read from them, or events themselves, may be missing. */
class SourceTrimmed extends Error {}

interface Copy extends Fork {
  /** The changes of the session up to its last event in `history`. */
  readonly folded: Folded;
}

async function copy(context: Context, tx: Transaction, fork: Copy): Promise<number> {
  const { history, key, lastSeq, folded } = fork;
  const { pk: sourcePk, initialState, initialArtifacts } = history;
  const view = printView(viewUpTo(readView(history.view), lastSeq));
  const pk = await insertForkedSession(tx, { ...key, sourcePk, lastSeq, initialState, initialArtifacts, view });
  if (pk === undefined) throw await refusal(tx, fork);
  await copyCredentialRequests(tx, { accountId: key.accountId, sourcePk, pk });
  const bytes = await copyEventsUpTo(tx, { accountId: key.accountId, sourcePk, pk, upTo: lastSeq });
  const now = await holdSource(tx, fork);
  if (now === undefined) throw sessionNotFound();
  // Few events have come since: they are read while nobody can add others.
  const range = { accountId: key.accountId, sessionPk: sourcePk, after: history.lastSeq, at: lastSeq, upTo: now };
  await foldDeltas(tx, range, folded);
  const changes = toChanges(restoringDelta(folded, parseInitial(initialState)));
  const values = changes.map(({ value }) => value);
  const copied = await copyOwnState(tx, { ...key, sourcePk, pk, keys: changes.map((change) => change.key), values });
  const { accountState } = context.limits;
  if (copied > 0) accountState.check(key.accountId, copied);
  using _held = accountState.hold(key.accountId, copied);
  await copyArtifacts(context, fork);
  accountState.add(key.accountId, copied);
  return bytes;
}

/** Keeps the source as it is, and returns its last sequence; undefined when it is gone. Throws SourceTrimmed. */
async function holdSource(tx: Transaction, { source, history }: Fork): Promise<number | undefined> {
  const lastSeq = await holdSession(tx, { ...source, sourcePk: history.pk });
  if (lastSeq === undefined) return undefined;
  const [first] = await selectFirstEvents(tx, { accountId: source.accountId, sessionPk: history.pk }, 1);
  if ((first?.seq ?? null) !== history.firstSeq) throw new SourceTrimmed();
  return lastSeq;
}

/** Why no session was created. */
async function refusal(tx: Transaction, fork: Fork): Promise<MeshError> {
  const found = await holdSource(tx, fork);
  return found === undefined ? sessionNotFound() : sessionExists(fork.key.sessionId);
}

const artifactsTimeoutMs = 10_000;

/** Before the commit: a copy without its artifacts is never seen. */
async function copyArtifacts({ artifacts }: Context, { source, key, folded }: Copy): Promise<void> {
  const copied = artifactsAt(folded);
  if (copied.length === 0) return;
  const { sessionId: toSessionId } = key;
  await artifacts.copyArtifacts({ ...source, toSessionId, artifacts: copied }, { timeoutMs: artifactsTimeoutMs });
}
