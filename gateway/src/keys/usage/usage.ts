import { LimitPeriod } from '@agentmesh/proto/keys/v1/model_use';
import { type App, type Context, unary } from '../../context.ts';
import { InvalidRequest } from '../../edge/errors/request-error.ts';
import { routeFamily } from '../../edge/http/route-family.ts';
import { keyIdOf } from '../key-id.ts';
import { daysOf } from './usage-days.ts';
import { limitJson, scopeKeyId, type UsagePart, usageRow, useAmount } from './usage-json.ts';
import {
  LimitAmounts,
  LimitPath,
  RemovedLimit,
  Usage,
  UsageLimit,
  UsageLimitList,
  UsageQuery,
} from './usage-record.ts';

const reads = routeFamily({ tag: 'usage', caller: 'account', scope: 'keys:read' });
const writes = routeFamily({ tag: 'usage', caller: 'account', scope: 'keys:write' });

const path = '/api/usage';

/** Routes for the usage of models by an account, and for its limits. */
export function usageRoutes(app: App, context: Context): void {
  addSums(app, context);
  addLimitList(app, context);
  addLimitChanges(app, context);
}

function addSums(app: App, { modelUse, authentication }: Context): void {
  app.get(
    path,
    reads(authentication, {
      operationId: 'getUsage',
      summary: 'Get the use of models',
      description:
        'Calls, tokens and estimated cost of models on the network, by day or by other parts. A call counts a moment after it has ended.',
      querystring: UsageQuery,
      response: { 200: Usage },
      refusals: [400],
    }),
    async ({ identity, query }) => {
      const { from, to } = daysOf(query);
      const parts = new Set((query.group_by ?? 'day').split(',') as UsagePart[]);
      const found = await modelUse.listUsage(
        {
          accountId: identity.accountId,
          fromDay: from,
          toDay: to,
          groupBy: groupsOf(parts),
          limit: query.limit ?? 0,
          ...filterOf(query),
        },
        unary,
      );
      const prices = { version: found.pricesVersion, made_on: found.pricesMadeOn };
      const usage = found.sums.map((sum) => usageRow(sum, parts));
      return { from, to, usage, has_more: found.hasMore, prices };
    },
  );
}

function groupsOf(parts: ReadonlySet<UsagePart>) {
  const [day, app, user] = [parts.has('day'), parts.has('agent'), parts.has('user')];
  return { day, app, user, key: parts.has('key'), model: parts.has('model'), run: parts.has('run') };
}

function filterOf({ agent, user_id: userId, key, invocation_id: invocationId }: UsageQuery) {
  return {
    ...(agent !== undefined && { appName: agent }),
    ...(userId !== undefined && { userId }),
    ...(key !== undefined && { keyId: key === 'server' ? 0n : keyIdOf(key) }),
    ...(invocationId !== undefined && { invocationId }),
  };
}

function addLimitList(app: App, { modelUse, authentication }: Context): void {
  app.get(
    `${path}/limits`,
    reads(authentication, {
      operationId: 'listUsageLimits',
      summary: 'List limits',
      description: 'All limits of the account and of its keys, with what is used of them.',
      response: { 200: UsageLimitList },
    }),
    async ({ identity }) => {
      const { limits } = await modelUse.listLimits({ accountId: identity.accountId }, unary);
      return limits.map(limitJson);
    },
  );
}

const periodOf = (period: string): LimitPeriod => (period === 'month' ? LimitPeriod.MONTH : LimitPeriod.DAY);

function addLimitChanges(app: App, { modelUse, authentication }: Context): void {
  app.put(
    `${path}/limits/:scope/:period`,
    writes(authentication, {
      operationId: 'setUsageLimit',
      summary: 'Set a limit',
      description:
        'A call of a model ends its run with an event `BUDGET_REACHED` when the limit is used up. Usage since the period began counts.',
      params: LimitPath,
      body: LimitAmounts,
      response: { 200: UsageLimit },
      refusals: [404],
    }),
    async ({ identity, params, body }) => {
      const most = useAmount(body);
      if (Object.keys(most).length === 0) throw amountMissing();
      const named = { keyId: scopeKeyId(params.scope), period: periodOf(params.period) };
      const { limit } = await modelUse.setLimit({ accountId: identity.accountId, ...named, most }, unary);
      return limitJson(limit);
    },
  );
  app.delete(
    `${path}/limits/:scope/:period`,
    writes(authentication, {
      operationId: 'removeUsageLimit',
      summary: 'Remove a limit',
      description: 'Calls are no longer counted against it.',
      params: LimitPath,
      response: { 200: RemovedLimit },
      refusals: [400, 404],
    }),
    async ({ identity, params }) => {
      const named = { keyId: scopeKeyId(params.scope), period: periodOf(params.period) };
      await modelUse.setLimit({ accountId: identity.accountId, ...named }, unary);
      return { message: 'Limit removed' };
    },
  );
}

function amountMissing(): InvalidRequest {
  const msg = 'Give requests, tokens or cost_usd.';
  return new InvalidRequest([{ type: 'value_error', loc: ['body'], msg, ctx: { error: msg } }]);
}
