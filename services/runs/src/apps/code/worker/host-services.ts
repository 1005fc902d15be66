import type { BaseMemoryService, InvocationContextParams } from '@google/adk/core';
import type { Channel } from './channel.ts';

type ArtifactService = NonNullable<InvocationContextParams['artifactService']>;

export interface HostServices {
  readonly artifactService: ArtifactService;
  readonly memoryService: BaseMemoryService;
}

/** ADK's services of a run's session and user, kept by the host. */
export function createHostServices(channel: Channel, run: number, signal: AbortSignal): HostServices {
  const ask = <T>(to: 'artifacts' | 'memory', method: string, args: readonly unknown[]): Promise<T> =>
    channel.ask({ to, method, args }, { run, signal }) as Promise<T>;
  return {
    artifactService: {
      saveArtifact: (request) => ask('artifacts', 'saveArtifact', [request]),
      loadArtifact: (request) => ask('artifacts', 'loadArtifact', [request]),
      listArtifactKeys: () => ask('artifacts', 'listArtifactKeys', []),
      deleteArtifact: (filename) => ask('artifacts', 'deleteArtifact', [filename]),
      listVersions: (filename) => ask('artifacts', 'listVersions', [filename]),
      listArtifactVersions: (filename) => ask('artifacts', 'listArtifactVersions', [filename]),
      getArtifactVersion: (request) => ask('artifacts', 'getArtifactVersion', [request]),
    },
    memoryService: {
      // The host adds the session as it is stored.
      addSessionToMemory: () => ask('memory', 'addSessionToMemory', []),
      searchMemory: ({ query }) => ask('memory', 'searchMemory', [{ query }]),
    },
  };
}
