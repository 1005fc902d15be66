export { CallUntil } from './call-until.ts';
export { LocalCalls } from './local-calls.ts';
export type { LocalOptions } from './local-origin.ts';
