import { MeshError } from '@agentmesh/lib/rpc';
import type { Logger } from '@agentmesh/lib/telemetry';
import type { AuthService, SignInResponse } from '@agentmesh/proto/auth/v1';
import type { Client } from '@connectrpc/connect';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { deviceOf } from '../authentication/device.ts';
import type { Verdict } from './bucket.ts';
import { type SignInLimitSettings, signInBuckets } from './sign-in-limits.ts';
import type { Throttle } from './throttle.ts';

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

/**
 * Signs in, unless too many sign-ins have failed: then it throws `resource_exhausted` `too_many_failures` without computing a
 * hash. Only a wrong address or password counts as failed. The headers of such an answer tell how many tries are left.
 */
export type SignIn = (
  credentials: Credentials,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<SignInResponse>;

export interface SignInSettings extends SignInLimitSettings {
  readonly RATE_LIMIT_ENABLED: boolean;
  readonly GATEWAY_TRUSTED_PROXIES: readonly string[];
}

export interface SignInOptions {
  readonly auth: Client<typeof AuthService>;
  readonly config: SignInSettings;
  readonly throttle: Throttle;
  readonly log: Logger;
}

const timeoutMs = 30_000;

export function createSignIn({ auth, config, throttle, log }: SignInOptions): SignIn {
  const ask = (credentials: Credentials, request: FastifyRequest) =>
    auth.signIn({ ...credentials, device: deviceOf(request) }, { timeoutMs });
  if (!config.RATE_LIMIT_ENABLED) return ask;
  const noticeProxy = createProxyNotice(config, log);
  return async (credentials, request, reply) => {
    noticeProxy(request);
    const { usual, fresh } = signInBuckets(config, { email: credentials.email, ip: request.ip });
    // Taken before the check and put back after it, so that concurrent tries cannot exceed the limit.
    let buckets = usual;
    let verdict = await throttle.take(usual);
    if (!verdict.isAllowed && (await throttle.take(fresh)).isAllowed) {
      buckets = fresh;
      verdict = { ...verdict, isAllowed: true };
    }
    if (!verdict.isAllowed) throw refuse(reply, verdict);
    try {
      const signedIn = await ask(credentials, request);
      await throttle.giveBack(buckets);
      return signedIn;
    } catch (error) {
      if (error instanceof MeshError && error.reason === 'invalid_credentials') tell(reply, verdict);
      else await throttle.giveBack(buckets);
      throw error;
    }
  };
}

/** Warns once of a proxy that is not trusted: all its clients share one address, and so one limit. */
function createProxyNotice({ GATEWAY_TRUSTED_PROXIES: trusted }: SignInSettings, log: Logger) {
  let isSaid = trusted.length > 0;
  return ({ headers }: FastifyRequest): void => {
    if (isSaid || headers['x-forwarded-for'] === undefined) return;
    isSaid = true;
    log.warn('X-Forwarded-For is ignored: if a proxy sends it, name the proxy in GATEWAY_TRUSTED_PROXIES');
  };
}

function refuse(reply: FastifyReply, verdict: Verdict): MeshError {
  tell(reply, verdict);
  reply.header('retry-after', verdict.retryAfterSeconds);
  return new MeshError('resource_exhausted', 'too_many_failures', 'Too many failed sign-ins. Try again later.');
}

function tell(reply: FastifyReply, { limit, remaining, resetSeconds }: Verdict): void {
  reply.headers({ 'ratelimit-limit': limit, 'ratelimit-remaining': remaining, 'ratelimit-reset': resetSeconds });
}
