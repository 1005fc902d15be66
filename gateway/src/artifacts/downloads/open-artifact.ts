import type {
  ArtifactsService,
  LoadArtifactRequestSchema,
  LoadedArtifact,
  Version,
} from '@agentmesh/proto/artifacts/v1';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Client } from '@connectrpc/connect';
import { type OpenFile, openFile } from '../../edge/streams/open-file.ts';
import { versionMissing } from '../version-json.ts';

/** A version that is being read. */
export interface OpenArtifact extends OpenFile<LoadedArtifact> {
  readonly version: Version;
}

/** Opens a version for reading. Throws errors that the service answers before the first byte. */
export async function openArtifact(
  artifacts: Client<typeof ArtifactsService>,
  request: MessageInitShape<typeof LoadArtifactRequestSchema>,
): Promise<OpenArtifact> {
  const file = await openFile((call) => artifacts.loadArtifact(request, call));
  const { version } = file.head;
  if (version === undefined) {
    file.leave();
    throw versionMissing();
  }
  return { ...file, version };
}
