import { lockKey } from '@agentmesh/lib/pg';
import { checkAccountId } from '@agentmesh/lib/rpc';
import type { RetentionRule } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../../context.ts';
import { invalid } from '../../errors.ts';
import { isId } from '../../session-key.ts';
import { replaceRules, type RetentionRule as StoredRule } from '../../store/retention/rules.ts';
import type { Handlers } from '../handlers.ts';
import { checkDays } from './check-days.ts';

const mostRules = 1_000;

/** Replaces all rules of an account. */
export function setRetention({ db }: Context): Handlers['setRetention'] {
  return async (request, call) => {
    const accountId = checkAccountId(request.accountId);
    const rules = request.rules.map(checkRule);
    if (rules.length > mostRules) throw invalid(`An account has at most ${mostRules} rules of retention.`);
    if (new Set(rules.map(({ appName }) => appName)).size < rules.length)
      throw invalid('An app has one rule of retention.');
    await db.within(call).transaction(async (tx) => {
      // Two calls at once would each keep the rules of the other.
      await lockKey(tx, 'retention', accountId);
      await replaceRules(tx, accountId, rules);
    });
    return {};
  };
}

function checkRule({ appName, days }: RetentionRule): StoredRule {
  if (appName !== undefined && !isId(appName)) throw invalid('No such app.');
  if (days !== undefined) checkDays(days);
  return { appName: appName ?? '', days: days ?? null };
}
