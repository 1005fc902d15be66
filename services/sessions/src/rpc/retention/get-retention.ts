import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../../context.ts';
import { selectRules } from '../../store/retention/rules.ts';
import type { Handlers } from '../handlers.ts';

/** Returns for how many days runs and events of an account are kept. */
export function getRetention({ db, retentionDays }: Context): Handlers['getRetention'] {
  return async (request) => {
    const rules = await selectRules(db, checkAccountId(request.accountId));
    return {
      rules: rules.map(({ appName, days }) => ({ ...(appName !== '' && { appName }), ...(days !== null && { days }) })),
      ...(retentionDays > 0 && { defaultDays: retentionDays }),
    };
  };
}
