import { runChecks } from '@agentmesh/lib/telemetry';
import type { FastifyReply } from 'fastify';
import type { App, Context } from '../context.ts';
import { productVersion } from '../edge/openapi/product-version.ts';
import { faults, Problem } from '../edge/records/problem.ts';
import { dependencyChecks } from './dependency-checks.ts';
import { Health, Liveness, NotReady, PublicConfig, Readiness, Version } from './operation-record.ts';

const tags = ['operations'];

/** Probes, version and public configuration. Open but for `/version`. */
export function operationRoutes(app: App, context: Context): void {
  const health = { tags, operationId: 'getHealth', summary: 'Whether the service answers', response: { 200: Health } };
  app.get('/health', { schema: health }, () => ({ status: 'ok' }));

  for (const [url, operationId] of [
    ['/livez', 'getLiveness'],
    ['/health/live', 'getHealthLive'],
  ] as const) {
    const schema = { tags, operationId, summary: 'Liveness', response: { 200: Liveness } };
    app.get(url, { schema }, () => ({ status: 'alive', service: 'gateway' }));
  }

  const check = shared(() => runChecks(dependencyChecks(context)));
  for (const [url, operationId] of [
    ['/readyz', 'getReadiness'],
    ['/health/ready', 'getHealthReady'],
  ] as const) {
    const response = { 200: Readiness, 503: NotReady };
    const schema = { tags, operationId, summary: 'Readiness; 503 names what fails', response };
    app.get(url, { schema }, async (_request, reply) => {
      const draining = { draining: context.draining.aborted ? ('failed' as const) : undefined };
      const { results } = await check();
      return sendReadiness(reply, { ...results, ...draining });
    });
  }

  const config = { tags, operationId: 'getConfig', summary: 'Public configuration', response: { 200: PublicConfig } };
  app.get('/api/config', { schema: config }, () => ({
    default_llm_available: false,
    default_llm_model_id: 'thaink2/default',
  }));

  app.get(
    '/version',
    {
      preValidation: context.authentication.page,
      config: { scope: 'apps:read', holdsNoUserData: true },
      schema: {
        tags,
        operationId: 'getVersion',
        summary: 'Version of the service',
        response: { 200: Version, 401: Problem, ...faults },
      },
    },
    () => ({ version: productVersion, language: 'typescript', language_version: process.versions.node }),
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
