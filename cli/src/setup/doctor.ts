import type { Command } from 'commander';
import { exitCode } from '../terminal/exit-code.ts';
import { sessionOf, type Session } from './session.ts';

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
      const findings = server.ok ? [server, ...(await Promise.all(checks.map((check) => check(session))))] : [server];
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

async function serverOf({ url, mesh }: Session): Promise<Finding> {
  const check = 'server';
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(10_000) });
    const { status } = (await response.json()) as { status?: string };
    const { version } = await mesh
      .request<{ version?: string }>({ path: '/version' })
      .catch(() => ({ version: undefined }));
    const advice = `${url} is no Agent Mesh: set AGENTMESH_URL`;
    return {
      check,
      ok: status !== undefined,
      found: `${url}${version === undefined ? '' : `, version ${version}`}`,
      advice,
    };
  } catch (error) {
    const found = `${url} does not answer: ${String((error as Error).cause ?? error)}`;
    return { check, ok: false, found, advice: 'start it (npm run dev), or set AGENTMESH_URL' };
  }
}

const checks: readonly ((session: Session) => Promise<Finding>)[] = [services, signIn, clock, apps, models];

interface Check {
  readonly ok: boolean;
  readonly error: string | null;
}

interface Readiness {
  readonly checks?: Readonly<Record<string, Check>>;
  readonly detail?: Readiness;
}

async function services({ url }: Session): Promise<Finding> {
  const response = await fetch(`${url}/readyz`);
  const body = (await response.json()) as Readiness;
  const states = Object.entries((body.detail ?? body).checks ?? {});
  const away = states.filter(([, { ok }]) => !ok).map(([name, { error }]) => `${name}: ${error ?? 'away'}`);
  const found = away.length === 0 ? `all ${states.length} are ready` : away.join(', ');
  return {
    check: 'services',
    ok: away.length === 0,
    found,
    advice: 'look at the logs of these services and at the database',
  };
}

async function signIn({ mesh }: Session): Promise<Finding> {
  const check = 'sign-in';
  try {
    const { email } = await mesh.account.me();
    return { check, ok: true, found: email };
  } catch (error) {
    return { check, ok: false, found: (error as Error).message, advice: 'agentmesh login, or set AGENTMESH_TOKEN' };
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
  const { default_llm_available: isThere, default_llm_model_id: id } = await mesh.account.serverConfig();
  const saved = await mesh.keys.list().catch(() => []);
  const found = [...(isThere ? [`default ${id}`] : []), ...saved.map((key) => `${key.provider} (${key.key_name})`)];
  const advice = 'the echo agent works without; else give the server a key, such as OPENAI_API_KEY, or save one';
  return { check: 'models', ok: found.length > 0, found: found.join(', ') || 'no key for a model', advice };
}
