import { Type } from 'typebox';

const nullableId = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

const Action = Type.Object(
  {
    id: Type.String({ description: 'UUID.' }),
    at: Type.String({ description: 'ISO 8601.' }),
    action: Type.String({ description: 'Such as `signed_in`, `password_reset` or `account_deleted`.' }),
    account_id: nullableId('The account, as `uid` of its tokens; null where an address without one was tried.'),
    actor_id: nullableId('Who did it; null where nobody had signed in, or the service itself did it.'),
    detail: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
  },
  { title: 'Action' },
);

export const AuditPage = Type.Object(
  {
    entries: Type.Array(Action),
    next: Type.Union([Type.String(), Type.Null()], {
      description: '`before` of the next page; null: this is the last.',
    }),
  },
  { title: 'AuditPage' },
);

export const AuditQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  before: Type.Optional(
    Type.String({ description: '`next` of the page before. There is nothing before an unknown one.' }),
  ),
  user_id: Type.Optional(Type.Integer({ description: 'Of one account only.' })),
});
