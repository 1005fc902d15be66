export { createModels } from './models.ts';
export type { Models } from './models.ts';
export { modelSettings, readModelsConfig } from './settings.ts';
export { loggableError } from './ai-sdk/failure/loggable-error.ts';
