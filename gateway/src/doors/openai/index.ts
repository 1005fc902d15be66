import type { App, Context } from '../../context.ts';
import { modelRoutes } from './models.ts';

/** OpenAI's API: apps are models. */
export function addOpenAi(app: App, context: Context): void {
  modelRoutes(app, context);
}
