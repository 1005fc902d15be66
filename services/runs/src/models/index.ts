export { createModels } from './models.ts';
export type { Models } from './models.ts';
export { createModelMeter } from './use/model-meter.ts';
export { createModelUse } from './use/model-use.ts';
export type { ModelUse } from './use/model-use.ts';
export { modelSettings, readModelsConfig } from './settings.ts';
export { loggableError } from './ai-sdk/failure/loggable-error.ts';
