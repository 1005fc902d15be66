import { AgentMeshError, type SavedKey } from '@agentmesh/client';
import type { Command } from 'commander';
import { signInAdvice } from '../terminal/advice.ts';
import { exitCode } from '../terminal/exit-code.ts';
import { sessionOf, type Session } from './session.ts';
import manifest from '../../package.json' with { type: 'json' };

interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly found: string;
  /** The next step where it is not well. */
  readonly advice?: string;
}

/** Clocks further apart than this make tokens and signatures invalid. */
const mostClockSeconds = 30;

/** `agentmesh doctor`: what is wrong, and what to type. Exit code 1 when something is. */
export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('look for what is wrong with the server, the sign-in, the models and the clocks')
    .action(async (_: object, command: Command) => {
      const session = sessionOf(command, { needsToken: false });
      const server = await serverOf(session);
      const findings = [server, ...(server.ok ? await findingsOf(session) : [])];
      const rows = findings.map(({ check, ok, found, advice }) => ({
        check,
        state: ok ? 'ok' : 'WRONG',
        found,
        advice: ok ? '' : advice,
      }));
      session.output.rows(rows, ['check', 'state', 'found', 'advice']);
      if (findings.some(({ ok }) => !ok)) process.exitCode = exitCode.failed;
    });
}

/** The findings at a server that answers. Apps and keys are those of an account. */
async function findingsOf(session: Session): Promise<Finding[]> {
  const own = await signIn(session);
  const others = own.ok ? [apps, models] : [];
  const found = await Promise.all([services, database, versions, clock, ...others].map((check) => check(session)));
  return [own, ...found];
}

async function serverOf({ url }: Session): Promise<Finding> {
  const check = 'server';
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(10_000) });
    const { status } = (await response.json().catch(() => ({}))) as { status?: string };
    const found = status === undefined ? `${url} is no Agent Mesh` : url;
    return { check, ok: status !== undefined, found, advice: 'name its address with --url or AGENTMESH_URL' };
  } catch (error) {
    const found = `${url} does not answer: ${String((error as Error).cause ?? error)}`;
    return {
      check,
      ok: false,
      found,
      advice: 'start it (npm run dev), or name its address with --url or AGENTMESH_URL',
    };
  }
}

interface Check {
  readonly ok: boolean;
  readonly error: string | null;
}

interface Readiness {
  readonly checks?: Readonly<Record<string, Check>>;
  readonly detail?: Readiness;
}

/** Whether each service is ready, by its name. */
async function statesOf({ url }: Session): Promise<readonly (readonly [name: string, state: Check])[]> {
  const response = await fetch(`${url}/readyz`);
  const body = (await response.json()) as Readiness;
  return Object.entries((body.detail ?? body).checks ?? {});
}

async function services(session: Session): Promise<Finding> {
  const away = (await statesOf(session)).filter(([, { ok }]) => !ok);
  const found = away.map(([name, { error }]) => `${name}: ${error ?? 'away'}`).join(', ') || 'all are ready';
  return { check: 'services', ok: away.length === 0, found, advice: 'look at the logs of these services' };
}

/** Services that are well without a database: one has none, the other when it is switched off. */
const needNone = new Set(['transcription', 'memory']);

/** The server does not say why a service is away. When all services that store data are away, the reason is most likely their database. */
async function database(session: Session): Promise<Finding> {
  const storing = (await statesOf(session)).filter(([name]) => !needNone.has(name));
  const ok = storing.length === 0 || storing.some(([, state]) => state.ok);
  const found = ok ? 'is reached' : 'all services that use it are away';
  return { check: 'database', ok, found, advice: 'start PostgreSQL, or look at DATABASE_URL of these services' };
}

/** Commands and servers of one minor version belong together. */
async function versions({ mesh }: Session): Promise<Finding> {
  const { version: own } = manifest;
  const { version = 'unknown' } = await mesh
    .request<{ version?: string }>({ path: '/version' })
    .catch(() => ({ version: 'unknown' }));
  const minorOf = (text: string): string => text.split('.').slice(0, 2).join('.');
  const found = `command ${own}, server ${version}`;
  const advice = `use the command of the server's version: npx agentmesh@${version}`;
  return { check: 'versions', ok: version === 'unknown' || minorOf(own) === minorOf(version), found, advice };
}

async function signIn({ mesh, url }: Session): Promise<Finding> {
  const check = 'sign-in';
  try {
    const { email } = await mesh.account.me();
    return { check, ok: true, found: email };
  } catch (error) {
    const isAway = error instanceof AgentMeshError && error.status >= 500;
    const advice = isAway ? 'try again when its services are ready' : signInAdvice(url);
    return { check, ok: false, found: (error as Error).message, advice };
  }
}

async function clock({ url }: Session): Promise<Finding> {
  const { headers } = await fetch(`${url}/health`);
  const apart = Math.abs(Date.now() - Date.parse(headers.get('date') ?? '')) / 1000;
  const found = `${Math.round(apart)} s apart`;
  return {
    check: 'clocks',
    ok: !(apart > mostClockSeconds),
    found,
    advice: 'set the clock of this machine or of the server',
  };
}

async function apps({ mesh }: Session): Promise<Finding> {
  const found = await mesh.apps.list().catch(() => []);
  const advice = 'put an agent into AGENTS_DIR, or type: agentmesh agents push root_agent.yaml';
  return { check: 'apps', ok: found.length > 0, found: `${found.length} apps`, advice };
}

async function models({ mesh }: Session): Promise<Finding> {
  const check = 'models';
  const { default_llm_available: isThere, default_llm_model_id: id } = await mesh.account.serverConfig();
  const saved = await mesh.keys.list().catch(() => []);
  const nameOf = (key: SavedKey): string => `${key.provider} (${key.key_name})`;
  // The server cannot decrypt them: its ENCRYPT_KEY has changed.
  const lost = saved.filter(({ status }) => status === 'needs_reentry').map(nameOf);
  if (lost.length > 0) {
    const advice = 'enter their values again: PATCH /api/saved-api-keys/<id>, with the ids of agentmesh keys list';
    return { check, ok: false, found: `cannot be read any more: ${lost.join(', ')}`, advice };
  }
  const found = [...(isThere ? [`default ${id}`] : []), ...saved.map(nameOf)];
  const advice = 'the echo agent works without; else give the server a key, such as OPENAI_API_KEY, or save one';
  return { check, ok: found.length > 0, found: found.join(', ') || 'no key for a model', advice };
}
