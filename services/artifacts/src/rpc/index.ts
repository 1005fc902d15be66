import type { Context } from '../context.ts';
import { copyArtifacts } from './copy-artifacts.ts';
import { deleteArtifact } from './delete-artifact.ts';
import { getVersion } from './get-version.ts';
import type { Handlers } from './handlers.ts';
import { listArtifactKeys } from './list-artifact-keys.ts';
import { listArtifacts } from './list-artifacts.ts';
import { listVersions } from './list-versions.ts';
import { loadArtifact } from './load-artifact.ts';
import { restoreVersions } from './restore-versions.ts';
import { saveArtifact } from './save-artifact.ts';

/** The table of contents: every RPC of the service. */
export function createHandlers(context: Context): Handlers {
  return {
    saveArtifact: saveArtifact(context),
    loadArtifact: loadArtifact(context),
    listArtifacts: listArtifacts(context),
    listArtifactKeys: listArtifactKeys(context),
    deleteArtifact: deleteArtifact(context),
    listVersions: listVersions(context),
    getVersion: getVersion(context),
    restoreVersions: restoreVersions(context),
    copyArtifacts: copyArtifacts(context),
  };
}
