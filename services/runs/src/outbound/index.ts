export { createGuardedFetch } from './guarded-fetch.ts';
export type { GuardedFetch, GuardedFetchOptions, GuardedResponse } from './guarded-fetch.ts';
export { OutboundError } from './outbound-error.ts';
