import type { App, Context } from '../context.ts';
import { documentationRoutes } from './documentation.ts';
import { operationRoutes } from './operations.ts';

export { dependencyChecks } from './dependency-checks.ts';

/** Probes, version, public configuration and the documentation of the API. */
export async function addOperations(app: App, context: Context): Promise<void> {
  operationRoutes(app, context);
  await documentationRoutes(app, context);
}
