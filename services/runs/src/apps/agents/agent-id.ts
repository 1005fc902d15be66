const appName = /^agent\d+$/;
const largest = 2_147_483_647;

/** Whether an app's name belongs to agents that are records, whether there is such an agent or not. */
export function isAgentAppName(name: string): boolean {
  return appName.test(name);
}

/** Name of the app of an agent. */
export function agentAppName(agentId: number): string {
  return `agent${agentId}`;
}

/** Reads `12` and `agent12`; undefined for everything else. */
export function parseAgentId(text: string): number | undefined {
  const digits = /^(?:agent)?([1-9]\d{0,9})$/.exec(text)?.[1];
  const id = Number(digits);
  return digits !== undefined && id <= largest ? id : undefined;
}
