import type { Config } from '../config.ts';

/** How long a refresh token lives when nobody uses it. */
export function refreshLifeSeconds({ AUTH_REFRESH_EXPIRE_DAYS: days }: Config): number {
  return days * 24 * 60 * 60;
}
