import type { Action } from '@agentmesh/proto/auth/v1';
import { Type } from 'typebox';
import { type App, type Context, unary } from '../../context.ts';
import { encodeJson, sendJson } from '../../edge/json/json-bytes.ts';
import { pageHeaders } from '../../edge/paging/page-query.ts';
import { addNextPage, idBefore, pageOf } from '../../edge/paging/page.ts';
import { dateTime } from '../date-time.ts';
import { Action as ActionRecord, AuditQuery } from './audit-record.ts';
import { signedIn } from '../account-family.ts';

/** Audit of accounts. Everybody sees their own entries, admins see all. */
export function auditRoutes(app: App, { auth, authentication }: Context): void {
  app.get(
    '/api/audit',
    signedIn(authentication, {
      operationId: 'listAudit',
      summary: 'List audit entries',
      description: 'What was done to the own account, newest first. Administrators read those of any account.',
      querystring: AuditQuery,
      response: { 200: { ...Type.Array(ActionRecord), headers: pageHeaders } },
      refusals: [403, 404],
    }),
    async ({ identity, query }, reply) => {
      const { limit = 50, cursor, before, user_id: userId } = query;
      const list = ['audit', identity.accountId, String(userId ?? '')];
      const page = pageOf(list, { limit, cursor });
      const { actions, nextPublicId } = await auth.listActions(
        {
          actorId: identity.accountId,
          limit,
          beforePublicId: before ?? idBefore(page),
          ...(userId !== undefined && { account: { name: { case: 'userId', value: BigInt(userId) } } }),
        },
        unary,
      );
      const entries = actions.map(entryOf);
      if (before !== undefined) return sendJson(reply, encodeJson({ entries, next: nextPublicId || null }));
      if (nextPublicId !== '') addNextPage(reply, { list, page, last: [nextPublicId] });
      return entries;
    },
  );
}

export function entryOf({ publicId, at, action, accountId, actorId, detailJson }: Action) {
  return {
    id: publicId,
    at: dateTime(at) ?? '',
    action,
    account_id: accountId === '' ? null : accountId,
    actor_id: actorId === '' ? null : actorId,
    detail: JSON.parse(detailJson) as Record<string, unknown>,
  };
}
