import { MeshError } from '@agentmesh/lib/rpc';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { networkOf } from './sign-in-limits.ts';
import type { Throttle } from './throttle.ts';

/**
 * Counts a request against the address it came from. Above the limit it throws `resource_exhausted`. It does not depend on the account
 * that the request is about, so a refusal tells nothing about accounts.
 */
export type AddressLimit = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

export interface AddressLimitSettings {
  readonly RATE_LIMIT_ENABLED: boolean;
  readonly RATE_LIMIT_MAIL_ADDRESS_BURST: number;
  readonly RATE_LIMIT_MAIL_ADDRESS_PER_HOUR: number;
  readonly RATE_LIMIT_SIGN_UP_ADDRESS_BURST: number;
  readonly RATE_LIMIT_SIGN_UP_ADDRESS_PER_HOUR: number;
  readonly RATE_LIMIT_ANSWER_ADDRESS_BURST: number;
  readonly RATE_LIMIT_ANSWER_ADDRESS_PER_HOUR: number;
  readonly RATE_LIMIT_DEVICE_ADDRESS_BURST: number;
  readonly RATE_LIMIT_DEVICE_ADDRESS_PER_HOUR: number;
  readonly RATE_LIMIT_EXPORT_ACCOUNT_BURST: number;
  readonly RATE_LIMIT_EXPORT_ACCOUNT_PER_HOUR: number;
}

/** Limit of requests for account mail. Refuses with `too_many_mails`. */
export function createMailLimit(config: AddressLimitSettings, throttle: Throttle): AddressLimit {
  return createAddressLimit(config, throttle, {
    name: 'mail',
    burst: config.RATE_LIMIT_MAIL_ADDRESS_BURST,
    perHour: config.RATE_LIMIT_MAIL_ADDRESS_PER_HOUR,
    refusal: () =>
      new MeshError('resource_exhausted', 'too_many_mails', 'Too many mails were asked for. Try again later.'),
  });
}

/** Limit of sign-ups, successful or not. Refuses with `too_many_sign_ups`. */
export function createSignUpLimit(config: AddressLimitSettings, throttle: Throttle): AddressLimit {
  return createAddressLimit(config, throttle, {
    name: 'sign-up',
    burst: config.RATE_LIMIT_SIGN_UP_ADDRESS_BURST,
    perHour: config.RATE_LIMIT_SIGN_UP_ADDRESS_PER_HOUR,
    refusal: () => new MeshError('resource_exhausted', 'too_many_sign_ups', 'Too many sign-ups. Try again later.'),
  });
}

/** Limit of requests for pages behind mailed links to answer runs. Refuses with `too_many_answer_pages`. */
export function createAnswerLimit(config: AddressLimitSettings, throttle: Throttle): AddressLimit {
  return createAddressLimit(config, throttle, {
    name: 'answer',
    burst: config.RATE_LIMIT_ANSWER_ADDRESS_BURST,
    perHour: config.RATE_LIMIT_ANSWER_ADDRESS_PER_HOUR,
    refusal: () =>
      new MeshError('resource_exhausted', 'too_many_answer_pages', 'Too many pages were opened. Try again later.'),
  });
}

/** Limit of requests of programs that wait for a sign-in. Refuses with `too_many_device_requests`. */
export function createDeviceLimit(config: AddressLimitSettings, throttle: Throttle): AddressLimit {
  return createAddressLimit(config, throttle, {
    name: 'device',
    burst: config.RATE_LIMIT_DEVICE_ADDRESS_BURST,
    perHour: config.RATE_LIMIT_DEVICE_ADDRESS_PER_HOUR,
    refusal: () =>
      new MeshError('resource_exhausted', 'too_many_device_requests', 'Too many programs ask. Try again later.'),
  });
}

/** Limit of exports of an account, whatever address asks for them. Refuses with `too_many_exports`. */
export function createExportLimit(config: AddressLimitSettings, throttle: Throttle): AddressLimit {
  return createLimit(config, throttle, {
    name: 'export',
    burst: config.RATE_LIMIT_EXPORT_ACCOUNT_BURST,
    perHour: config.RATE_LIMIT_EXPORT_ACCOUNT_PER_HOUR,
    subjectOf: ({ identity }) => `account:${identity.accountId}`,
    refusal: () =>
      new MeshError('resource_exhausted', 'too_many_exports', 'The account was exported too often. Try again later.'),
  });
}

interface Limit {
  readonly name: string;
  readonly burst: number;
  readonly perHour: number;
  readonly refusal: () => MeshError;
}

function createAddressLimit(config: AddressLimitSettings, throttle: Throttle, limit: Limit): AddressLimit {
  return createLimit(config, throttle, { ...limit, subjectOf: ({ ip }) => `address:${networkOf(ip)}` });
}

function createLimit(
  { RATE_LIMIT_ENABLED: isEnabled }: AddressLimitSettings,
  throttle: Throttle,
  { name, burst, perHour, refusal, subjectOf }: Limit & { readonly subjectOf: (request: FastifyRequest) => string },
): AddressLimit {
  if (!isEnabled) return async () => {};
  return async (request, reply) => {
    const verdict = await throttle.take([{ key: `${name}:${subjectOf(request)}`, burst, perHour }]);
    reply.headers({
      'ratelimit-limit': verdict.limit,
      'ratelimit-remaining': verdict.remaining,
      'ratelimit-reset': verdict.resetSeconds,
    });
    if (verdict.isAllowed) return;
    reply.header('retry-after', verdict.retryAfterSeconds);
    throw refusal();
  };
}
