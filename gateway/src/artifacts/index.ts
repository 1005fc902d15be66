import type { App, Context } from '../context.ts';
import { artifactUploadRoutes } from './artifact-uploads.ts';
import { artifactRoutes } from './artifacts.ts';

export { artifactExport } from './export.ts';

/** Artifacts: list, load, save and delete. */
export async function addArtifacts(app: App, context: Context): Promise<void> {
  artifactRoutes(app, context);
  await artifactUploadRoutes(app, context);
}
