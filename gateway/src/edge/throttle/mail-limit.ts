import { MeshError } from '@agentmesh/lib/rpc';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { networkOf } from './sign-in-limits.ts';
import type { Throttle } from './throttle.ts';

/**
 * Counts a request for account mail against the address it came from. Above the limit it throws `resource_exhausted`
 * `too_many_mails`. It does not depend on the recipient, so a refusal tells nothing about accounts.
 */
export type MailLimit = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

export interface MailLimitSettings {
  readonly RATE_LIMIT_ENABLED: boolean;
  readonly RATE_LIMIT_MAIL_ADDRESS_BURST: number;
  readonly RATE_LIMIT_MAIL_ADDRESS_PER_HOUR: number;
}

export function createMailLimit(config: MailLimitSettings, throttle: Throttle): MailLimit {
  if (!config.RATE_LIMIT_ENABLED) return async () => {};
  const burst = config.RATE_LIMIT_MAIL_ADDRESS_BURST;
  const perHour = config.RATE_LIMIT_MAIL_ADDRESS_PER_HOUR;
  return async (request, reply) => {
    const verdict = await throttle.take([{ key: `mail:address:${networkOf(request.ip)}`, burst, perHour }]);
    reply.headers({
      'ratelimit-limit': verdict.limit,
      'ratelimit-remaining': verdict.remaining,
      'ratelimit-reset': verdict.resetSeconds,
    });
    if (verdict.isAllowed) return;
    reply.header('retry-after', verdict.retryAfterSeconds);
    throw new MeshError('resource_exhausted', 'too_many_mails', 'Too many mails were asked for. Try again later.');
  };
}
