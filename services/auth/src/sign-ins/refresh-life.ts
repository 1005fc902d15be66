import type { Config } from '../config.ts';

/** Lifetime of a refresh token that is not used. */
export function refreshLifeSeconds({ AUTH_REFRESH_EXPIRE_DAYS: days }: Config): number {
  return days * 24 * 60 * 60;
}
