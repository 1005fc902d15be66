import type { Reply } from '../upstream/index.ts';

const statuses = new Map([
  [400, 'INVALID_ARGUMENT'],
  [401, 'UNAUTHENTICATED'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [429, 'RESOURCE_EXHAUSTED'],
]);

/** An error answer in the envelope of Google's APIs. */
export function googleError(code: number, reason: string, message: string, domain = 'global'): Reply {
  const errors = [{ message, domain, reason }];
  return { status: code, body: { error: { code, message, errors, status: statuses.get(code) ?? 'INTERNAL' } } };
}

export function notFound(): Reply {
  return googleError(404, 'notFound', 'Requested entity was not found.');
}

/** The answer of a request that exceeds a user's quota. Google sends it with 403 and with 429. */
export function rateLimited(code: 403 | 429 = 429): Reply {
  return googleError(code, 'userRateLimitExceeded', 'User-rate limit exceeded.', 'usageLimits');
}
