import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../../context.ts';
import { invalid } from '../../errors.ts';
import { isId } from '../../session-key.ts';
import { toLedgerRun } from '../../store/ledger/ledger-run.ts';
import { selectAppSummaries } from '../../store/ledger/run-reads.ts';
import type { Handlers } from '../handlers.ts';

const mostApps = 500;

/** Returns the number of unfinished runs and the newest run of each app. */
export function summarizeRuns({ db }: Context): Handlers['summarizeRuns'] {
  return async (request) => {
    const accountId = checkAccountId(request.accountId);
    const appNames = [...new Set(request.appNames)];
    if (appNames.length > mostApps) throw invalid(`A request names at most ${mostApps} apps.`);
    if (!appNames.every(isId)) throw invalid('An app name has 1 to 512 bytes and no NUL character.');
    const summaries = await selectAppSummaries(db, { accountId, appNames });
    const apps = [...summaries].map(([appName, { active, lastRun }]) => ({
      appName,
      active,
      ...(lastRun && { lastRun: toLedgerRun(lastRun) }),
    }));
    return { apps };
  };
}
