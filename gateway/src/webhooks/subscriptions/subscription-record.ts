import { Type, type Static } from 'typebox';
import { maybe, storedText, strict } from '../../edge/records/keywords.ts';

const int32Max = 2_147_483_647;
/** The provider of a request that names none. */
export const defaultProvider = 'microsoft_outlook';
const nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

export const SubscriptionPath = Type.Object({
  id: Type.Integer({ minimum: 1, maximum: int32Max, examples: [1], description: 'Id of the subscription.' }),
});

const agentId = (description: string) => Type.Integer({ minimum: 1, maximum: int32Max, description });
const template = (description: string) => Type.String({ maxLength: 20_000, description });
const changeType = () =>
  Type.String({ description: 'One or more of `created`, `updated`, `deleted`, joined by commas.' });
const allowedSenders = () =>
  Type.Array(storedText(), {
    maxItems: 200,
    description: 'Only mail from these addresses and `@domain`s runs the agent. Empty: mail from everybody.',
  });

export const CreateSubscriptionRequest = Type.Object(
  {
    agent_id: agentId('Agent of the account.'),
    provider: Type.Optional(
      Type.Union(
        ['vendora_mail', 'vendorb_mail', 'microsoft_outlook', 'google_gmail'].map((word) => Type.Literal(word)),
        {
          default: defaultProvider,
          description: '`vendora_mail` or `microsoft_outlook`: Outlook. `vendorb_mail` or `google_gmail`: Gmail.',
        },
      ),
    ),
    resource: maybe(
      Type.String({
        maxLength: 500,
        description:
          "Outlook: path of a folder, by default `me/mailFolders('Inbox')/messages`. Gmail: id or name of a label, by default `INBOX`; `ALL`: every label.",
      }),
    ),
    change_type: Type.Optional(changeType()),
    agent_message_template: maybe(
      template('Message for the agent, e.g. `{{ sender }} writes: {{ body }}`. Without one, a default message.'),
    ),
    allowed_senders: Type.Optional(allowedSenders()),
    require_authentication: Type.Optional(Type.Boolean()),
  },
  {
    title: 'CreateWebhookSubscriptionRequest',
    ...strict,
    examples: [
      {
        agent_id: 1,
        provider: 'microsoft_outlook',
        resource: "me/mailFolders('Inbox')/messages",
        change_type: 'created',
        agent_message_template: 'New mail from {{ sender }} about {{ subject }}:\n{{ body }}',
      },
    ],
  },
);
export type CreateSubscriptionRequest = Static<typeof CreateSubscriptionRequest>;

export const UpdateSubscriptionRequest = Type.Object(
  {
    agent_id: maybe(agentId('Agent of the account.')),
    agent_message_template: maybe(template('Empty: the default message.')),
    change_type: maybe(changeType()),
    status: maybe(Type.Union([Type.Literal('active'), Type.Literal('disabled')])),
    allowed_senders: maybe(allowedSenders()),
    require_authentication: maybe(Type.Boolean()),
  },
  {
    title: 'UpdateWebhookSubscriptionRequest',
    ...strict,
    description: 'Absent fields and null change nothing.',
    examples: [{ status: 'disabled' }],
  },
);
export type UpdateSubscriptionRequest = Static<typeof UpdateSubscriptionRequest>;

export const SubscriptionDeleted = Type.Object(
  { success: Type.Boolean(), message: Type.String() },
  { title: 'WebhookSubscriptionDeleted' },
);

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
    last_error: nullable(
      'Why the last attempt to renew or register failed, or why the agent cannot run. Null after a success.',
    ),
    mailbox: Type.String({ description: 'Address of the mailbox.' }),
  },
  { title: 'WebhookSubscription' },
);
export type WebhookSubscription = Static<typeof WebhookSubscription>;

export const WebhookSubscriptionList = Type.Object(
  { subscriptions: Type.Array(WebhookSubscription) },
  { title: 'WebhookSubscriptionList' },
);
