export { addKeys } from './agent-identity.ts';
export { addSavedKeys } from './saved-keys/saved-keys.ts';
export { addUsage } from './usage/index.ts';
export { keysExport } from './export.ts';
