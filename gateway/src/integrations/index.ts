export { addIntegrations } from './integrations.ts';
