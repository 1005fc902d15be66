import { Type, type Static } from 'typebox';
import { maybe, storedId, strict } from '../../edge/records/keywords.ts';

const day = (description: string) =>
  Type.Optional(Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', examples: ['2026-11-01'], description }));

/** Parts of the use by which it can be summed up. */
export const usageParts = ['day', 'agent', 'user', 'key', 'model', 'run'] as const;

export const UsageQuery = Type.Object({
  from: day('First day in UTC. Without it: the first day of the month of `to`.'),
  to: day('Last day in UTC. Without it: today.'),
  group_by: Type.Optional(
    Type.String({
      pattern: `^(${usageParts.join('|')})(,(${usageParts.join('|')}))*$`,
      description: `What each row is about, separated by commas: ${usageParts.join(', ')}. Without it: day.`,
    }),
  ),
  agent: Type.Optional(storedId({ description: 'Only this app, e.g. `agent12`.' })),
  user_id: Type.Optional(storedId({ description: 'Only this end user.' })),
  key: Type.Optional(
    Type.String({
      pattern: '^(apikey\\d{1,18}|server)$',
      description: 'Only this key; `server`: that of the settings.',
    }),
  ),
  invocation_id: Type.Optional(storedId({ description: 'Only runs with this id, those of all sessions together.' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, default: 1_000, description: 'Most rows.' })),
});
export type UsageQuery = Static<typeof UsageQuery>;

const sums = {
  requests: Type.Integer({ description: 'Calls of models.' }),
  input_tokens: Type.Integer({ description: 'As the provider counts them, cached ones included.' }),
  cached_tokens: Type.Integer(),
  output_tokens: Type.Integer({ description: 'Thoughts included.' }),
  cost_usd: Type.Number({ description: 'Estimated from the price list.' }),
  unpriced_requests: Type.Integer({ description: 'Calls of models without a known price; they cost nothing here.' }),
};

const UsageRow = Type.Object(
  {
    day: Type.Optional(Type.String()),
    agent: Type.Optional(Type.String()),
    user_id: Type.Optional(Type.String()),
    key: Type.Optional(Type.String({ description: '`apikey` and a number, or `server`.' })),
    model: Type.Optional(Type.String({ description: '`provider/model`.' })),
    invocation_id: Type.Optional(Type.String()),
    ...sums,
  },
  { title: 'UsageRow' },
);

export const AdminUsageQuery = Type.Object({
  from: day('First day in UTC. Without it: the first day of the month of `to`.'),
  to: day('Last day in UTC. Without it: today.'),
  group_by: Type.Optional(
    Type.String({
      pattern: '^(account|model|app)(,(account|model|app))*$',
      description: 'What each row is about, separated by commas: account, model, app. Without it: all three.',
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, default: 1_000, description: 'Most rows.' })),
});

export const AdminUsage = Type.Object(
  {
    account_id: Type.Optional(Type.String({ description: 'The account, as `uid` of its tokens.' })),
    model: Type.Optional(Type.String({ description: '`provider/model`.' })),
    app: Type.Optional(Type.String()),
    ...sums,
  },
  { title: 'AdminUsage' },
);

export const Usage = Type.Object(
  {
    from: Type.String(),
    to: Type.String(),
    usage: Type.Array(UsageRow),
    has_more: Type.Boolean({ description: 'There are more rows than `limit`.' }),
    prices: Type.Object({
      version: Type.String({ description: 'Price list that costs are estimated from.' }),
      made_on: Type.String({ description: 'Day on which it was made.' }),
    }),
  },
  { title: 'UsageReport' },
);

const mostCount = 1_000_000_000_000_000;
const mostDollars = 1_000_000_000;

export const LimitAmounts = Type.Object(
  {
    requests: maybe(Type.Integer({ minimum: 0, maximum: mostCount, description: 'Most calls of models.' })),
    tokens: maybe(
      Type.Integer({ minimum: 0, maximum: mostCount, description: 'Most input and output tokens together.' }),
    ),
    cost_usd: maybe(Type.Number({ minimum: 0, maximum: mostDollars, description: 'Most estimated cost.' })),
  },
  { title: 'LimitAmounts', ...strict, examples: [{ requests: 1000, cost_usd: 5 }] },
);

export const LimitPath = Type.Object({
  scope: Type.String({
    pattern: '^(account|apikey\\d{1,18})$',
    examples: ['account'],
    description: '`account`, or a saved key such as `apikey7`.',
  }),
  period: Type.String({ pattern: '^(day|month)$', examples: ['day'], description: '`day` or `month`, in UTC.' }),
});

const amounts = {
  requests: Type.Union([Type.Integer(), Type.Null()]),
  tokens: Type.Union([Type.Integer(), Type.Null()]),
  cost_usd: Type.Union([Type.Number(), Type.Null()]),
};

export const UsageLimit = Type.Object(
  {
    scope: Type.String({ description: '`account`, or a saved key such as `apikey7`.' }),
    period: Type.String(),
    ...amounts,
    used: Type.Object(amounts, { description: 'Used and reserved since the period began.' }),
    resets_at: Type.String({ format: 'date-time', description: 'When the next period begins.' }),
  },
  { title: 'UsageLimit' },
);

export const UsageLimitList = Type.Array(UsageLimit);
export const RemovedLimit = Type.Object({ message: Type.String() }, { title: 'RemovedLimit' });
