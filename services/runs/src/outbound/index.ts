export { createAddressPolicy } from './address-policy.ts';
export { createGuardedFetch } from './guarded-fetch.ts';
export type { GuardedFetch } from './guarded-fetch.ts';
