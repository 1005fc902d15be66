import { type Static, Type } from 'typebox';
import { noNul } from '../../edge/validation/index.ts';
import { pageFields } from '../../edge/paging/page-query.ts';
import { strict } from '../../edge/records/keywords.ts';

const int32Max = 2_147_483_647;
const nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description });
const id = (description: string) => Type.Integer({ minimum: 1, maximum: int32Max, description });

export const LogPath = Type.Object({
  log_id: Type.Integer({ minimum: 1, maximum: int32Max, examples: [1], description: 'Id of the log.' }),
});

export const AttachmentPath = Type.Object({
  ...LogPath.properties,
  filename: Type.String({
    minLength: 1,
    maxLength: 1_000,
    examples: ['bill.pdf'],
    description: 'As in `attachments`.',
  }),
});

export const LogQuery = Type.Object({
  subscription_id: Type.Optional(id('Only logs of this subscription.')),
  agent_id: Type.Optional(id('Only logs of this agent.')),
  status: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'One or more of `pending`, `in_progress`, `success`, `retrying`, `error`, `skipped`, joined by commas; `failed` means `error,retrying`.',
    }),
  ),
  since: Type.Optional(Type.String({ maxLength: 64, description: 'Only logs from this date or time on (ISO 8601).' })),
  until: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'Only logs up to this time, or to the end of this date (ISO 8601, UTC).',
    }),
  ),
  q: Type.Optional(
    Type.String({ maxLength: 1_000, pattern: noNul, description: 'Part of the subject or the sender.' }),
  ),
  ...pageFields(50, 200),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: int32Max, description: 'Default 0; not with a cursor.' })),
});
export type LogQuery = Static<typeof LogQuery>;

export const WebhookLog = Type.Object(
  {
    id: Type.Integer(),
    subscription_id: Type.Integer(),
    agent_id: Type.Integer(),
    trigger_event: Type.String({ description: '`created`, `updated` or `deleted`.' }),
    email_subject: nullable('Null until the mail was fetched.'),
    email_sender: nullable('Null until the mail was fetched.'),
    agent_message: nullable('The message that the agent got. Text of the mail stands between marks.'),
    agent_response: nullable("The agent's last text in the newest run that has succeeded; null before."),
    status: Type.String({ description: '`pending`, `in_progress`, `success`, `retrying`, `error` or `skipped`.' }),
    error_message: nullable('Why the last attempt failed or the mail was skipped; null after a success.'),
    duration_ms: Type.Union([Type.Integer(), Type.Null()], { description: 'Null until the run has ended.' }),
    created_at: Type.String(),
    attachments: Type.Array(
      Type.Object({
        filename: Type.String(),
        content_type: Type.String(),
        size: Type.Integer({ description: 'Bytes.' }),
      }),
    ),
    session_id: Type.String({ description: 'Session of the run, in the application `agent<agent_id>`.' }),
    invocation_id: nullable('The newest run; null before the first.'),
  },
  { title: 'WebhookLog' },
);
export type WebhookLog = Static<typeof WebhookLog>;

export const WebhookLogList = Type.Object(
  { logs: Type.Array(WebhookLog), total: Type.Integer({ description: 'Number of logs that match.' }) },
  { title: 'WebhookLogList' },
);

export const WebhookLogAnswer = Type.Object({ log: WebhookLog }, { title: 'WebhookLogAnswer' });

export const Retriggered = Type.Object(
  { message: Type.String(), log_id: Type.Integer(), status: Type.String() },
  { title: 'Retriggered' },
);

export const RetriggerRequest = Type.Object(
  {
    log_ids: Type.Optional(Type.Array(id('Id of a log.'), { maxItems: 200 })),
    status: Type.Optional(
      Type.Enum(['success', 'error', 'skipped'], {
        description: 'The oldest 200 logs of active subscriptions that ended so; without `log_ids`.',
      }),
    ),
    subscription_id: Type.Optional(id('Only logs of this subscription; with `status`.')),
  },
  { title: 'RetriggerRequest', ...strict, examples: [{ status: 'error' }] },
);

export const RetriggeredLogs = Type.Object(
  {
    log_ids: Type.Array(Type.Integer(), { description: 'Logs whose agents run again.' }),
    skipped_ids: Type.Array(Type.Integer(), {
      description: 'Named logs that do not exist, are under way, or whose subscription is not active.',
    }),
  },
  { title: 'RetriggeredLogs' },
);
