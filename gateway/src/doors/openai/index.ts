import type { App, Context } from '../../context.ts';
import { chatRoute } from './chat-completions.ts';
import { modelRoutes } from './models.ts';

/** OpenAI's API: apps are models. */
export function addOpenAi(app: App, context: Context): void {
  modelRoutes(app, context);
  chatRoute(app, context);
}
