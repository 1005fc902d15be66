import { AgentMeshError, ConnectionError, UnauthenticatedError } from '@agentmesh/client';

/** Commands that show the right names, by the code of an answer that does not know one. */
const lists: Readonly<Record<string, string>> = {
  run_not_found: 'agentmesh runs',
  session_not_found: 'agentmesh sessions list <app>',
  artifact_not_found: 'agentmesh artifacts list <app> <session>',
  agent_version_not_found: 'agentmesh agents versions <agent>',
  schedule_not_found: 'agentmesh schedules list',
  key_not_found: 'agentmesh keys list',
  personal_token_not_found: 'agentmesh tokens list',
  log_not_found: 'agentmesh webhooks logs',
};

/** The next step after an error, as a sentence without its period; empty where the error says it, or there is none. */
export function adviceFor(error: Error): string {
  // The person has just typed these.
  if (error instanceof AgentMeshError && error.code === 'invalid_credentials') return '';
  if (error instanceof UnauthenticatedError) return signInAdvice();
  if (error instanceof ConnectionError) return 'Type: agentmesh doctor';
  const list = error instanceof AgentMeshError ? lists[error.code] : undefined;
  return list === undefined ? '' : `Type: ${list}`;
}

/** The next step after a token was refused: one in the environment wins over that of `agentmesh login`. With the address where the person wants to be signed in. */
export function signInAdvice(url?: string): string {
  return process.env.AGENTMESH_TOKEN
    ? `Set another AGENTMESH_TOKEN, or unset it and type: ${loginAt(url)}`
    : `Type: ${loginAt(url)}`;
}

/** The command that signs in at an address; absent: at the one that commands use. */
export function loginAt(url: string | undefined): string {
  return url === undefined ? 'agentmesh login' : `agentmesh login --url ${url}`;
}
