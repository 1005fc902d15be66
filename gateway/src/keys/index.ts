export { addKeys } from './agent-identity.ts';
