export { addIntegrations } from './integrations.ts';
export { integrationExport } from './export.ts';
