import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { UsageError } from '../terminal/exit-code.ts';
import { writeNamed } from '../terminal/named-file.ts';

/** A sign-in: the server and the token for it. */
export interface Credentials {
  readonly url: string;
  readonly token: string | undefined;
}

export const defaultUrl = 'http://127.0.0.1:8000';

/** The file of the sign-in, which only its owner can read. */
export function credentialsFile(): string {
  const folder = process.env.XDG_CONFIG_HOME || join(homedir(), '.config');
  return join(folder, 'agentmesh', 'credentials.json');
}

/**
 * `AGENTMESH_URL` and `AGENTMESH_TOKEN`, else what `agentmesh login` has stored. A stored token is sent only to its own server. Throws UsageError for an address that is not
 * of HTTP.
 */
export function readCredentials(url: string | undefined): Credentials {
  // An empty variable is one that a script could not fill.
  const [wantedUrl, token] = [process.env.AGENTMESH_URL || undefined, process.env.AGENTMESH_TOKEN || undefined];
  const stored = readStored();
  const wanted = (url ?? wantedUrl ?? stored?.url ?? defaultUrl).replace(/\/+$/, '');
  if (!/^https?:\/\/[^\s/]+/i.test(wanted))
    throw new UsageError(
      `${wanted} is no address: it begins with http:// or https://. Name it with --url or AGENTMESH_URL.`,
    );
  return { url: wanted, token: token ?? (stored?.url === wanted ? stored.token : undefined) };
}

/** The address and the token that `agentmesh login` has stored; undefined without any. */
export function readStored(): Partial<Credentials> | undefined {
  try {
    return JSON.parse(readFileSync(credentialsFile(), 'utf8')) as Partial<Credentials>;
  } catch {
    return undefined;
  }
}

export async function storeCredentials(credentials: Credentials): Promise<void> {
  const file = credentialsFile();
  await writeNamed(file, () => {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // A file that is there keeps its mode, so it is made anew.
    rmSync(file, { force: true });
    writeFileSync(file, `${JSON.stringify(credentials)}\n`, { mode: 0o600 });
  });
}

export function removeCredentials(): void {
  rmSync(credentialsFile(), { force: true });
}
