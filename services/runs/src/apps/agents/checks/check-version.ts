import { agentChanged } from '../../../errors.ts';

/** Throws `agent_changed` unless the agent is at one of the versions; none admit any. */
export function checkVersion({ version }: { readonly version: number }, ifMatch: readonly string[]): void {
  if (ifMatch.length > 0 && !ifMatch.includes(String(version))) throw agentChanged();
}
