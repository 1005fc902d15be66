import { LoadArtifactsTool, type RunAsyncToolRequest } from '@google/adk/core';

/** Most artifacts of one call, so that they fit into the model's context. */
const maxNames = 10;

/** `load_artifacts`: ADK's own with checked arguments. In ADK, an argument that is not a list of names ends the run. */
export class LoadArtifacts extends LoadArtifactsTool {
  readonly idempotent = true;

  override async runAsync(request: RunAsyncToolRequest): Promise<unknown> {
    const asked = request.args['artifact_names'];
    const names = Array.isArray(asked) ? asked.filter((name) => typeof name === 'string').slice(0, maxNames) : [];
    if (names.length === 0) return { error: 'The argument "artifact_names" must be a list of names.' };
    return super.runAsync({ ...request, args: { artifact_names: names } });
  }
}
