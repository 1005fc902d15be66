import pg from 'pg';
import { MeshError } from '../../rpc/index.ts';

/** The server has no room for another connection. */
const tooManyConnections = '53300';
/** The server ended the session, because a transaction was idle for too long. */
const idleInTransaction = '25P03';
/** The server does not write any more: another one has taken over. */
const readOnly = '25006';
/** The server stopped a statement at its limit. */
const statementStopped = '57014';
/** The server's disk or memory is full. */
const outOfRoom = new Set(['53100', '53200']);
const lost = new Set([tooManyConnections, idleInTransaction, readOnly]);

/**
 * The error that a caller of the database gets: `unavailable` (reason `database_unavailable`) when PostgreSQL could not be
 * reached or the connection broke; `unavailable` (reason `database_busy`) when the server stopped the statement, because it took too
 * long or found no room; any other error unchanged. Only for errors that `pg` threw.
 */
export function toDatabaseError(error: unknown): Error {
  if (error instanceof pg.DatabaseError && error.code === statementStopped) return stopped(error);
  if (error instanceof pg.DatabaseError && outOfRoom.has(error.code ?? '')) return noRoom(error);
  if (error instanceof Error && !isConnectionLoss(error)) return error;
  return new MeshError('unavailable', 'database_unavailable', 'The database cannot be reached.', { cause: error });
}

/** Too many statements or transactions wait already; this one was not sent. */
export function databaseBusy(): MeshError {
  return new MeshError(
    'unavailable',
    'database_busy',
    'Too much work is waiting for the database. Nothing was changed.',
  );
}

function noRoom(cause: Error): MeshError {
  return new MeshError('unavailable', 'database_busy', 'The database has no room. Nothing was changed.', { cause });
}

/** The server rolled the statement back. */
function stopped(cause: Error): MeshError {
  const message = 'The database took too long. Nothing was changed.';
  return new MeshError('unavailable', 'database_busy', message, { cause });
}

/** Whether PostgreSQL stopped a statement at its limit of time. The same reason also says that connections or the disk are full: to try again adds to that. */
export function isStopped(error: unknown): boolean {
  const cause = error instanceof MeshError ? error.cause : undefined;
  return cause instanceof pg.DatabaseError && cause.code === statementStopped;
}

/** Like `toDatabaseError`, for a change that was sent: when the connection broke, it may have been stored. A server that only reads has stored nothing. */
export function toOutcomeError(error: unknown): Error {
  const known = toDatabaseError(error);
  if (error instanceof pg.DatabaseError && error.code === readOnly) return known;
  if (!(known instanceof MeshError) || known.reason === 'database_busy') return known;
  const message = 'The connection to the database broke while a change was being stored. It may or may not be stored.';
  return new MeshError('unavailable', 'outcome_unknown', message, { cause: error });
}

/** True when a statement failed because its connection broke and cannot be used again. Only for errors that `pg` threw. */
export function isConnectionLoss(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return isServerLoss(error.code ?? '');
  // An error that is neither the server's answer nor a wrong argument is a lost socket, a full pool or a closed client.
  return !(error instanceof TypeError || error instanceof RangeError);
}

/** Class 08 is "connection exception", 57P01 to 57P05 are the server's ways of ending a session. */
function isServerLoss(sqlState: string): boolean {
  return sqlState.startsWith('08') || sqlState.startsWith('57P') || lost.has(sqlState);
}
