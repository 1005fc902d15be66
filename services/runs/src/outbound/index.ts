export { createAddressPolicy } from './address-policy.ts';
export { createGuardedFetch } from './guarded-fetch.ts';
export type { GuardedFetch, GuardedFetchOptions, GuardedRequest, GuardedResponse } from './guarded-fetch.ts';
