import { Type, type Static } from 'typebox';
import { type App, type Context, unary } from '../context.ts';
import { routeFamily } from '../edge/http/route-family.ts';
import { maybe, storedId, strict } from '../edge/records/keywords.ts';

const reads = routeFamily({ tag: 'sessions', caller: 'account', scope: 'sessions:read' });
const writes = routeFamily({ tag: 'sessions', caller: 'account', scope: 'sessions:write' });

const RetentionRule = Type.Object(
  {
    app_name: maybe(storedId({ minLength: 1, description: 'Null: all apps without a rule of their own.' })),
    days: maybe(Type.Integer({ minimum: 1, maximum: 36_500, description: 'Null: for ever.' })),
  },
  { title: 'RetentionRule', ...strict },
);

const SetRetentionRequest = Type.Object(
  { rules: Type.Array(RetentionRule, { maxItems: 1_000 }) },
  {
    title: 'SetRetentionRequest',
    ...strict,
    examples: [
      {
        rules: [
          { app_name: null, days: 90 },
          { app_name: 'echo', days: null },
        ],
      },
    ],
  },
);

const Retention = Type.Object(
  {
    rules: Type.Array(RetentionRule),
    app_rules: Type.Array(RetentionRule, {
      description:
        'What counts for applications that say it themselves (`retention` in their file) and have no rule here.',
    }),
    default_days: maybe(Type.Integer({ description: 'Days without a rule, set by the operator. Null: for ever.' })),
  },
  { title: 'Retention' },
);

const path = '/api/retention';

/** How long runs and events of the account are kept. */
export function retentionRoutes(app: App, context: Context): void {
  addRead(app, context);
  addChange(app, context);
}

function addRead(app: App, { sessions, authentication }: Context): void {
  app.get(
    path,
    reads(authentication, {
      operationId: 'getRetention',
      summary: 'Get how long runs and events are kept',
      description:
        'The rules of the account, by application. The first of these that says something counts: the rule for the application, `retention` in its ' +
        'file, the rule for all other applications, the default. When an application says another number than before, the longer one counts for a day.',
      response: { 200: Retention },
    }),
    ({ identity }) => readRetention(sessions, identity.accountId),
  );
}

function addChange(app: App, { sessions, authentication }: Context): void {
  app.put(
    path,
    writes(authentication, {
      operationId: 'setRetention',
      summary: 'Set how long runs and events are kept',
      description:
        'Replaces all rules. Ended runs, and whole turns of events, that are older are deleted within a day. Sessions and their state stay.',
      body: SetRetentionRequest,
      response: { 200: Retention },
    }),
    async ({ identity: { accountId }, body }) => {
      const rules = body.rules.map(({ app_name: appName, days }) => ({
        ...(typeof appName === 'string' && { appName }),
        ...(typeof days === 'number' && { days }),
      }));
      await sessions.setRetention({ accountId, rules }, unary);
      return readRetention(sessions, accountId);
    },
  );
}

export async function readRetention(
  sessions: Context['sessions'],
  accountId: string,
): Promise<Static<typeof Retention>> {
  const { rules, appRules, defaultDays } = await sessions.getRetention({ accountId }, unary);
  return {
    rules: rules.map(toRecord),
    app_rules: appRules.map(toRecord),
    default_days: defaultDays ?? null,
  };
}

function toRecord({
  appName,
  days,
}: {
  appName?: string | undefined;
  days?: number | undefined;
}): Static<typeof RetentionRule> {
  return { app_name: appName ?? null, days: days ?? null };
}
