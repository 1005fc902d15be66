import { MeshError } from '@agentmesh/lib/rpc';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config.ts';
import { networkOf } from './sign-in-limits.ts';
import type { Throttle } from './throttle.ts';

/**
 * Counts a request for account mail against the address it came from, and refuses what is too many: `resource_exhausted`
 * `too_many_mails`. Whom the mail is for plays no part, so a refusal says nothing about that.
 */
export type MailLimit = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

export function createMailLimit(config: Config, throttle: Throttle): MailLimit {
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
