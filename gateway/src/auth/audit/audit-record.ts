import { Type } from 'typebox';
import { formerUntil02, pageFields } from '../../edge/paging/page-query.ts';

const nullableId = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

export const Action = Type.Object(
  {
    id: Type.String({ description: 'UUID.' }),
    at: Type.String({ description: 'ISO 8601.' }),
    action: Type.String({
      description: 'Such as `signed_in`, `password_reset`, `account_deleted` or `consumer_called`.',
    }),
    account_id: nullableId('The account, as `uid` of its tokens; null where an address without one was tried.'),
    actor_id: nullableId('Who did it; null where nobody had signed in, or the service itself did it.'),
    detail: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
  },
  { title: 'Action' },
);

export const AuditQuery = Type.Object({
  ...pageFields(50, 200),
  before: Type.Optional(
    Type.String({
      ...formerUntil02,
      description:
        'Until 0.2: `next` of the page before, empty for the first one; the answer is `{entries, next}`. Use `cursor`.',
    }),
  ),
  user_id: Type.Optional(Type.Integer({ description: 'Of one account only.' })),
});
