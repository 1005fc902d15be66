import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../../mail/context.ts';
import { logFilterInvalid } from '../../errors.ts';
import { countLogs, type LogStatus, selectLogs } from '../../store/log-lists.ts';
import type { LogHandlers } from './handlers.ts';
import { logRecord } from './log-record.ts';

const defaultLimit = 50;
const mostLogs = 200;
const longestQuery = 1_000;
const statuses: readonly string[] = [
  'pending',
  'in_progress',
  'success',
  'retrying',
  'error',
  'skipped',
] satisfies LogStatus[];

/** Returns one page of an account's logs. */
export function listLogs({ db }: Context): LogHandlers['listLogs'] {
  return async (request) => {
    const accountId = checkAccountId(request.accountId);
    const { subscriptionId, agentId, offset } = request;
    if (request.statuses.some((status) => !statuses.includes(status))) throw logFilterInvalid('has an unknown status');
    if (request.limit < 0 || request.limit > mostLogs)
      throw logFilterInvalid(`has a limit that is not from 1 to ${mostLogs}`);
    if (offset < 0) throw logFilterInvalid('has an offset below 0');
    if (request.query.length > longestQuery || request.query.includes('\0'))
      throw logFilterInvalid('has a query that is too long');
    const filter = {
      accountId,
      subscriptionId,
      agentId,
      statuses: request.statuses,
      since: timeOf(request.since),
      until: timeOf(request.until),
      pattern: request.query === '' ? null : `%${request.query.replace(/[\\%_]/g, '\\$&')}%`,
    };
    const rows = await selectLogs(db, { ...filter, limit: request.limit || defaultLimit, offset });
    const [counted] = await countLogs(db, filter);
    return { logs: rows.map(logRecord), total: counted?.total ?? 0n };
  };
}

/** Years that PostgreSQL can store. */
const latest = 8.64e12;

function timeOf(seconds: number | undefined): Date | null {
  if (seconds === undefined) return null;
  if (!Number.isFinite(seconds) || seconds < 0 || seconds > latest / 1000)
    throw logFilterInvalid('has a time that is not valid');
  return new Date(seconds * 1000);
}
