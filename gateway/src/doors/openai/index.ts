import type { App, Context } from '../../context.ts';
import { chatRoute } from './chat/chat-completions.ts';
import { modelRoutes } from './models.ts';
import { responseRoutes } from './responses/responses.ts';

/** OpenAI's API: apps are models. */
export function addOpenAi(app: App, context: Context): void {
  modelRoutes(app, context);
  chatRoute(app, context);
  responseRoutes(app, context);
}
