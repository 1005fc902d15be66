export { createModels } from './models.ts';
export type { Models } from './models.ts';
export { modelSettings, readModelsConfig } from './settings.ts';
