export { createEnvelopes, type Envelopes } from './envelopes.ts';
export { createLocalWrapper, deriveKey, type RootKeys } from './local-wrapper.ts';
