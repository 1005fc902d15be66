import { Type, type Static } from 'typebox';

const int32Max = 2_147_483_647;
const nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

export const SubscriptionPath = Type.Object({
  id: Type.Integer({ minimum: 1, maximum: int32Max, examples: [1], description: 'Id of the subscription.' }),
});

export const WebhookSubscription = Type.Object(
  {
    id: Type.Integer(),
    provider: Type.String({ description: 'As in the request that created the subscription.' }),
    subscription_id: nullable(
      'Id at the mail provider; for Gmail one that was made here. Null: nothing is registered.',
    ),
    resource: Type.String({ description: 'Path of the folder, or id of the label; `ALL`: every label.' }),
    change_type: Type.String({ description: 'One or more of `created`, `updated`, `deleted`, joined by commas.' }),
    agent_id: Type.Integer(),
    agent_message_template: nullable('Null: the default message.'),
    status: Type.String({
      description:
        '`active`; `disabled` by its owner; `error` until the mail account is connected again; `expired` at the provider.',
    }),
    expiration_datetime: nullable('When the registration at the provider expires. It is renewed before.'),
    created_at: Type.String(),
    allowed_senders: Type.Array(Type.String(), {
      description: 'Only mail from these addresses and `@domain`s runs the agent. Empty: mail from everybody.',
    }),
    require_authentication: Type.Boolean({
      description: 'Only mail whose sender the provider has authenticated (SPF, DKIM, DMARC) runs the agent.',
    }),
    last_error: nullable('Why the last attempt to renew or register failed. Null after a success.'),
    mailbox: Type.String({ description: 'Address of the mailbox.' }),
  },
  { title: 'WebhookSubscription' },
);
export type WebhookSubscription = Static<typeof WebhookSubscription>;

export const WebhookSubscriptionList = Type.Object(
  { subscriptions: Type.Array(WebhookSubscription) },
  { title: 'WebhookSubscriptionList' },
);
