import type { Action } from '@agentmesh/proto/auth/v1';
import { type App, type Context, unary } from '../../context.ts';
import { dateTime } from '../date-time.ts';
import { AuditPage, AuditQuery } from './audit-record.ts';
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
      response: { 200: AuditPage },
      refusals: [403, 404],
    }),
    async ({ identity, query: { limit = 50, before, user_id: userId } }) => {
      const { actions, nextPublicId } = await auth.listActions(
        {
          actorId: identity.accountId,
          limit,
          ...(before !== undefined && { beforePublicId: before }),
          ...(userId !== undefined && { account: { name: { case: 'userId', value: BigInt(userId) } } }),
        },
        unary,
      );
      return { entries: actions.map(entryOf), next: nextPublicId === '' ? null : nextPublicId };
    },
  );
}

function entryOf({ publicId, at, action, accountId, actorId, detailJson }: Action) {
  return {
    id: publicId,
    at: dateTime(at) ?? '',
    action,
    account_id: accountId === '' ? null : accountId,
    actor_id: actorId === '' ? null : actorId,
    detail: JSON.parse(detailJson) as Record<string, unknown>,
  };
}
