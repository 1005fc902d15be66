export { addKeys } from './agent-identity.ts';
export { addSavedKeys } from './saved-keys/index.ts';
export { addUsage } from './usage/index.ts';
