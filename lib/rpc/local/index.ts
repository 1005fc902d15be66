export { LocalCalls } from './local-calls.ts';
