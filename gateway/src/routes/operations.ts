import { readFileSync } from 'node:fs';
import { runChecks } from '@agentmesh/lib/telemetry';
import type { FastifyReply } from 'fastify';
import type { App, Context } from '../context.ts';
import { dependencyChecks } from './dependency-checks.ts';

const tags = ['operations'];
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** Probes, version and public configuration. Open but for `/version`. */
export function operationRoutes(app: App, context: Context): void {
  app.get('/health', { schema: { tags, summary: 'Whether the service answers' } }, () => ({ status: 'ok' }));

  for (const url of ['/livez', '/health/live']) {
    app.get(url, { schema: { tags, summary: 'Liveness' } }, () => ({ status: 'alive', service: 'gateway' }));
  }

  const check = shared(() => runChecks(dependencyChecks(context)));
  for (const url of ['/readyz', '/health/ready']) {
    app.get(url, { schema: { tags, summary: 'Readiness; 503 names what fails' } }, async (_request, reply) => {
      const draining = { draining: context.draining.aborted ? ('failed' as const) : undefined };
      const { results } = await check();
      return sendReadiness(reply, { ...results, ...draining });
    });
  }

  app.get('/api/config', { schema: { tags, summary: 'Public configuration' } }, () => ({
    default_llm_available: false,
    default_llm_model_id: 'thaink2/default',
  }));

  app.get(
    '/version',
    { preValidation: context.authentication.account, schema: { tags, summary: 'Version of the service' } },
    () => ({ version, language: 'typescript', language_version: process.versions.node }),
  );
}

/** Anybody may ask: those who ask at the same time share one answer. */
function shared<T>(work: () => Promise<T>): () => Promise<T> {
  let pending: Promise<T> | undefined;
  return () => {
    pending ??= work().finally(() => {
      pending = undefined;
    });
    return pending;
  };
}

type Outcome = 'ok' | 'failed' | 'timeout' | undefined;

function sendReadiness(reply: FastifyReply, results: Readonly<Record<string, Outcome>>): FastifyReply {
  const named = Object.entries(results).filter(([, outcome]) => outcome !== undefined);
  const ready = named.every(([, outcome]) => outcome === 'ok');
  const checks = Object.fromEntries(
    named.map(([name, outcome]) => [name, { ok: outcome === 'ok', error: outcome === 'ok' ? null : outcome }]),
  );
  if (ready) return reply.send({ status: 'ready', checks });
  return reply.code(503).send({ detail: { status: 'not_ready', checks } });
}
