import { LoadArtifactsTool, type RunAsyncToolRequest } from '@google/adk';

/** More would fill the model's window. */
const maxNames = 10;

/** `load_artifacts`: ADK's own, which trusts its model: what the argument holds beside names would end the run. */
export class LoadArtifacts extends LoadArtifactsTool {
  override async runAsync(request: RunAsyncToolRequest): Promise<unknown> {
    const asked = request.args['artifact_names'];
    const names = Array.isArray(asked) ? asked.filter((name) => typeof name === 'string').slice(0, maxNames) : [];
    if (names.length === 0) return { error: 'The argument "artifact_names" must be a list of names.' };
    return super.runAsync({ ...request, args: { artifact_names: names } });
  }
}
