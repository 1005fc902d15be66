import { type Static, Type } from 'typebox';
import { maybe, strict } from '../../edge/records/keywords.ts';
import { noNul } from '../../edge/validation/index.ts';
import { Run } from '../ledger/ledger-record.ts';
import { RunPath } from '../ledger/run-paths.ts';

/** Webhook of a request that starts a run. */
export const RunWebhookRequest = Type.Object(
  {
    url: Type.String({
      maxLength: 2_000,
      pattern: noNul,
      description: 'A public https address. It gets a POST when the run waits, and when it has ended.',
    }),
    secret: maybe(
      Type.String({
        maxLength: 100,
        pattern: noNul,
        description: '`whsec_` and the base64 of 16 to 64 bytes. Without it one is made and answered once.',
      }),
    ),
  },
  { title: 'RunWebhookRequest', ...strict },
);
export type RunWebhookRequest = Static<typeof RunWebhookRequest>;

/** A run that was started, with its webhook. */
export const StartedRun = Type.Object(
  {
    ...Run.properties,
    webhook: Type.Optional(
      Type.Object({
        url: Type.String(),
        secret: Type.Optional(
          Type.String({
            description: 'Only if the request had none, and only in this answer: it is never shown again.',
          }),
        ),
      }),
    ),
  },
  { title: 'StartedRun', description: 'A run, and the webhook of the request.' },
);

const seconds = (description: string) => Type.Number({ description: `${description}, in Unix seconds.` });

/** A message of a run's webhook. Fields without a value are absent. */
export const WebhookDelivery = Type.Object(
  {
    id: Type.String({ description: 'The header `webhook-id`, the same in every attempt.' }),
    type: Type.String({
      description: '`run.completed`, `run.failed`, `run.cancelled`, `run.interrupted` or `run.waiting`.',
    }),
    status: Type.Enum(['pending', 'delivered', 'failed']),
    attempts: Type.Integer({ description: 'Attempts that have begun.' }),
    createTime: seconds('When the run was seen in this state'),
    lastAttemptTime: Type.Optional(seconds('Begin of the latest attempt')),
    nextAttemptTime: Type.Optional(seconds('When the next attempt is due')),
    responseStatus: Type.Optional(Type.Integer({ description: 'HTTP status of the last answer.' })),
    error: Type.Optional(Type.String({ description: 'Why the last attempt failed.' })),
  },
  { title: 'WebhookDelivery' },
);
export type WebhookDelivery = Static<typeof WebhookDelivery>;

export const DeliveryPath = Type.Object({
  ...RunPath.properties,
  delivery_id: Type.String({
    pattern: noNul,
    maxLength: 100,
    examples: ['msg_0000000000000000'],
    description: 'Id of a delivery.',
  }),
});
