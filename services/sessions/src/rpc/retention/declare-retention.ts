import { checkAccountId } from '@agentmesh/lib/rpc';
import type { AppRetention } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../../context.ts';
import { invalid } from '../../errors.ts';
import { isId } from '../../session-key.ts';
import type { Days } from '../../store/retention/app-rules.ts';
import { type AppRule, everyAccount, upsertAppRules } from '../../store/retention/app-rules.ts';
import type { Handlers } from '../handlers.ts';
import { checkDays } from './check-days.ts';

const mostApps = 1_000;

/** Stores for how long apps say that their runs and events are kept. */
export function declareRetention({ db }: Context): Handlers['declareRetention'] {
  return async (request, call) => {
    const rules = request.apps.map(checkApp);
    if (rules.length > mostApps) throw invalid(`At most ${mostApps} apps are declared at once.`);
    if (new Set(rules.map(({ accountId, appName }) => `${accountId}/${appName}`)).size < rules.length)
      throw invalid('An app is declared once.');
    if (rules.length > 0) await upsertAppRules(db.within(call), rules);
    return {};
  };
}

function checkApp({ accountId, appName, version, kept }: AppRetention): AppRule {
  if (!isId(appName)) throw invalid('No such app.');
  return {
    accountId: accountId === '' ? everyAccount : checkAccountId(accountId),
    appName,
    version,
    days: daysOf(kept),
  };
}

function daysOf(kept: AppRetention['kept']): Days | undefined {
  if (kept.case === undefined) return undefined;
  if (kept.case === 'forever') return null;
  checkDays(kept.value);
  return kept.value;
}
