import { checkAccountId } from '@agentmesh/lib/rpc';
import type { ListRunsRequest } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../../context.ts';
import { invalid, sessionNotFound } from '../../errors.ts';
import { pageLimit } from '../../page-limit.ts';
import { canExist, checkSessionKey, isId } from '../../session-key.ts';
import { latestMoment } from '../../store/created-at.ts';
import { storedStatuses, toLedgerRun } from '../../store/ledger/ledger-run.ts';
import { type RunFilter, type RunPage, selectRunPage, selectSessionRuns } from '../../store/ledger/run-lists.ts';
import type { Handlers } from '../handlers.ts';

/** Returns one page of runs, newest first. */
export function listRuns(context: Context): Handlers['listRuns'] {
  return async (request) => {
    const filter = toFilter(request);
    const { appName, userId, sessionId } = filter;
    const isOneSession = appName !== '' && userId !== '' && sessionId !== '';
    const page = await (isOneSession ? selectOfSession(context, request, filter) : selectAny(context, filter));
    return { runs: page.runs.map(toLedgerRun), ...(page.last && { last: page.last }) };
  };
}

/** An id that cannot exist matches nothing. */
async function selectAny({ db }: Context, filter: RunFilter): Promise<RunPage> {
  const named = [filter.appName, filter.userId, filter.sessionId].filter((id) => id !== '');
  return named.every(isId) ? selectRunPage(db, filter) : { runs: [], last: undefined };
}

async function selectOfSession({ db }: Context, request: ListRunsRequest, filter: RunFilter): Promise<RunPage> {
  const key = { ...request, $typeName: 'agentmesh.sessions.v1.SessionKey' as const };
  if (!canExist(key)) throw sessionNotFound();
  const page = await selectSessionRuns(db, checkSessionKey(key), filter);
  if (page === undefined) throw sessionNotFound();
  return page;
}

function toFilter(request: ListRunsRequest): RunFilter {
  const { appName, userId, sessionId, agentVersion, minCost, statuses, since, after } = request;
  if (after !== undefined && (after.createdAt < 0n || after.createdAt > latestMoment)) throw invalid('No such place.');
  return {
    accountId: checkAccountId(request.accountId),
    appName,
    userId,
    sessionId,
    agentVersion,
    minCost: costOf(minCost),
    statuses: storedStatuses(statuses),
    since: toMicroseconds(since),
    after,
    limit: pageLimit(request.limit),
  };
}

function costOf(dollars: number): number {
  if (!(dollars >= 0 && dollars < Infinity)) throw invalid('A cost is not negative.');
  return dollars;
}

/** Unix seconds as microseconds. */
function toMicroseconds(seconds: number): bigint {
  const latest = Number(latestMoment) / 1_000_000;
  if (!(seconds >= 0 && seconds <= latest)) throw invalid('A time is between 1970 and the year 9999.');
  return BigInt(Math.round(seconds * 1_000_000));
}
