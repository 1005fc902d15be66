export { createEnvelopes, type Envelopes } from './envelopes.ts';
export { purposes } from './purposes.ts';
export { createLocalWrapper, deriveKey, type RootKeys } from './local-wrapper.ts';
