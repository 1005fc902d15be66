export { forAccount, presentAccount } from './for-account.ts';
export { resolveByDns } from './resolve-by-dns.ts';
export { Turns } from './turns.ts';
