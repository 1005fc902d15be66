/** The name of the agent that a file of a sub-agent is named after: `hotels` for `workers/hotels.yaml`. */
export function subAgentNamed(configPath: string): string {
  const file = configPath.slice(configPath.lastIndexOf('/') + 1);
  return file.replace(/\.ya?ml$/, '');
}
