import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../../context.ts';
import { type AppRules, readKeptDays } from '../../retention/read-kept-days.ts';
import { everyAccount, selectAppRules } from '../../store/retention/app-rules.ts';
import { selectRules } from '../../store/retention/rules.ts';
import type { Handlers } from '../handlers.ts';

/** Returns for how many days runs and events of an account are kept. */
export function getRetention({ db, retentionDays: defaultDays }: Context): Handlers['getRetention'] {
  return async (request) => {
    const accountId = checkAccountId(request.accountId);
    const rules = await selectRules(db, accountId);
    const [ofFiles, ofAgents] = [await selectAppRules(db, everyAccount), await selectAppRules(db, accountId)];
    const daysOf = await readKeptDays(db, { accountId, ofFiles, defaultDays });
    const ruled = new Set(rules.map(({ appName }) => appName));
    const declaring = [...saying(ofFiles), ...saying(ofAgents)].filter((appName) => !ruled.has(appName));
    return {
      rules: rules.map(({ appName, days }) => ({ ...(appName !== '' && { appName }), ...(days !== null && { days }) })),
      appRules: declaring.toSorted().map((appName) => ({ appName, days: daysOf(appName) ?? undefined })),
      ...(defaultDays > 0 && { defaultDays }),
    };
  };
}

/** Apps that say something. */
function saying(declared: AppRules): string[] {
  return [...declared].filter(([, said]) => said.some((days) => days !== undefined)).map(([appName]) => appName);
}
