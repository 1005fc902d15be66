import { Type } from 'typebox';
import { type App, type Context, unary } from '../../context.ts';
import { requireAdmin } from '../../edge/authentication/identity.ts';
import { routeFamily } from '../../edge/http/route-family.ts';
import { daysOf } from './usage-days.ts';
import { usageRow } from './usage-json.ts';
import { AdminUsage, AdminUsageQuery } from './usage-record.ts';

const forAdmins = routeFamily({ tag: 'administration', caller: 'account' });

type Part = 'account' | 'model' | 'app';

/** The route for the usage of models by all accounts. */
export function addAdminUsage(app: App, { modelUse, authentication }: Context): void {
  app.get(
    '/api/admin/usage',
    forAdmins(authentication, {
      operationId: 'getUsageOfAccounts',
      summary: 'Get the use of models by all accounts',
      description: 'Calls, tokens and estimated cost, the highest cost first. For administrators.',
      querystring: AdminUsageQuery,
      response: { 200: Type.Array(AdminUsage) },
      refusals: [400, 403],
    }),
    async ({ identity, query }) => {
      requireAdmin(identity);
      const { from: fromDay, to: toDay } = daysOf(query);
      const parts = new Set((query.group_by ?? 'account,model,app').split(',') as Part[]);
      const by = { byAccount: parts.has('account'), byModel: parts.has('model'), byApp: parts.has('app') };
      const { sums } = await modelUse.sumUsage({ fromDay, toDay, ...by, limit: query.limit ?? 0 }, unary);

      return sums.flatMap(({ accountId, sum }) => {
        if (sum === undefined) return [];
        const { model, appName } = sum;
        return {
          ...(by.byAccount && { account_id: accountId }),
          ...(by.byModel && { model }),
          ...(by.byApp && { app: appName }),
          ...usageRow(sum, new Set()),
        };
      });
    },
  );
}
