import type { Database, Transaction } from '@agentmesh/lib/pg';
import type { Usage } from '@agentmesh/lib/usage';
import type { ListEventsResponse, SessionsService } from '@agentmesh/proto/sessions/v1';
import type { Client } from '@connectrpc/connect';
import type { KeyParameters } from '../memory-key.ts';
import { deleteEmpty, lockOrInsertPartition } from '../store/partitions.ts';
import { findSource, upsertSource, type Source } from '../store/sources.ts';
import { type IngestContext, startIngest } from './ingest.ts';
import { removeSession } from './remove-session.ts';

/** Time limit of a page in milliseconds: the transaction that waits for it holds the lock of the memory. */
const timeoutMs = 20_000;

interface Context extends IngestContext {
  readonly db: Database;
  readonly sessions: Client<typeof SessionsService>;
  readonly usage: Usage<'entries'>;
}

/** A session that is to be added. */
export interface Named {
  readonly key: KeyParameters;
  readonly sessionId: string;
  /** How much of the session was added before. */
  readonly known: Source | undefined;
  /** Aborts when the caller has gone. */
  readonly signal: AbortSignal;
}

/** The events of a session that are not added yet: the first page. Later pages are read while the history is added. */
export interface History extends Named {
  readonly first: ListEventsResponse;
  /** Whether the session was deleted and created again since it was added. */
  readonly isNew: boolean;
  /** Whether there is nothing to add. */
  readonly isKnown: boolean;
}

/** Reads the first page of events to add. Throws NOT_FOUND session_not_found. */
export async function readHistory(context: Context, named: Named): Promise<History> {
  const { known } = named;
  const next = await readPage(context, named, known?.lastSeq ?? 0);
  const isNew = known !== undefined && known.sessionPk !== next.sessionPk;
  const first = isNew && known.lastSeq > 0 ? await readPage(context, named, 0) : next;
  return { ...named, first, isNew, isKnown: known !== undefined && !isNew && first.events.length === 0 };
}

/**
 * Adds a history in one transaction and returns the number of new entries. Undefined when another call has added the session
 * since, or the session was replaced after its first page was read: then nothing was changed, and the caller reads it again.
 */
export async function addHistory(context: Context, history: History): Promise<number | undefined> {
  try {
    const { added, removed } = await context.db.forLongWork().transaction((tx) => write(tx, context, history));
    context.usage.add(history.key[0], { entries: added - removed });
    return added;
  } catch (error) {
    if (error instanceof Outdated) return undefined;
    throw error;
  }
}

/** The session or its source changed after it was read. Rolls the transaction back. */
class Outdated extends Error {}

interface Written {
  readonly added: number;
  /** Entries of the session that it has replaced. */
  readonly removed: number;
}

async function write(tx: Transaction, context: Context, history: History): Promise<Written> {
  const { key, sessionId, known, first, isNew } = history;
  const partition = await lockOrInsertPartition(tx, key);
  if (!isSame(await findSource(tx, key, sessionId), known)) throw new Outdated();
  const removed = isNew ? await removeSession(tx, partition, { sessionId, lexicon: context.lexicon }) : 0;
  const ingest = startIngest(context, { tx, partition, sessionId });
  let lastSeq = isNew ? 0 : (known?.lastSeq ?? 0);
  for (let page = first; ; page = await readPage(context, history, lastSeq)) {
    if (page.sessionPk !== first.sessionPk) throw new Outdated();
    await ingest.addPage(page.events);
    lastSeq = page.events.at(-1)?.seq ?? lastSeq;
    if (!page.more) break;
  }
  const added = await ingest.finish();
  await upsertSource(tx, partition, { sessionId, sessionPk: first.sessionPk, lastSeq });
  if (added === 0) await deleteEmpty(tx, partition, sessionId);
  return { added, removed };
}

function isSame(a: Source | undefined, b: Source | undefined): boolean {
  return a?.sessionPk === b?.sessionPk && a?.lastSeq === b?.lastSeq;
}

function readPage({ sessions }: Context, { key, sessionId, signal }: Named, afterSeq: number) {
  const [accountId, appName, userId] = key;
  return sessions.listEvents({ session: { accountId, appName, userId, sessionId }, afterSeq }, { signal, timeoutMs });
}
