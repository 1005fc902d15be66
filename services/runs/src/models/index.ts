export { createModels } from './models.ts';
export type { Models, ModelsConfig, ModelsDeps, ModelFailure } from './models.ts';
export { modelSettings, readModelsConfig } from './settings.ts';
