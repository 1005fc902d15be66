import { runChecks } from '@agentmesh/lib/telemetry';
import type { FastifyReply } from 'fastify';
import type { App, Context } from '../context.ts';
import { productVersion } from '../edge/openapi/product-version.ts';
import { accountRefusals, faults } from '../edge/records/problem.ts';
import { dependencyChecks } from './dependency-checks.ts';
import { Health, Liveness, NotReady, PublicConfig, Readiness, Version } from './operation-record.ts';

const tags = ['operations'];
const alive = 'Whether the process serves requests. It says nothing of other services.';
const ready = 'Whether all services that the gateway needs answer. 503 names those that do not.';

/** Probes, version and public configuration. Only `/version` needs credentials. */
export function operationRoutes(app: App, context: Context): void {
  addHealth(app);
  addReadiness(app, context);
  addConfiguration(app);
  addVersion(app, context);
}

function addHealth(app: App): void {
  const health = { tags, operationId: 'getHealth', summary: 'Health', response: { 200: Health } };
  const description = 'Whether the gateway answers at all.';
  app.get('/health', { schema: { ...health, description } }, () => ({ status: 'ok' }));

  for (const [url, operationId] of [
    ['/livez', 'getLiveness'],
    ['/health/live', 'getHealthLive'],
  ] as const) {
    const schema = { tags, operationId, summary: 'Liveness', description: alive, response: { 200: Liveness } };
    app.get(url, { schema }, () => ({ status: 'alive', service: 'gateway' }));
  }
}

function addReadiness(app: App, context: Context): void {
  const { siblings, optionalSiblings } = dependencyChecks(context);
  const check = shared(() => runChecks({ ...siblings, ...optionalSiblings }));
  for (const [url, operationId] of [
    ['/readyz', 'getReadiness'],
    ['/health/ready', 'getHealthReady'],
  ] as const) {
    const response = { 200: Readiness, 503: NotReady };
    const schema = { tags, operationId, summary: 'Readiness', description: ready, response };
    app.get(url, { schema }, async (_request, reply) => {
      const draining = { draining: context.draining.aborted ? ('failed' as const) : undefined };
      const { results } = await check();
      return sendReadiness(reply, { ...results, ...draining });
    });
  }
}

function addConfiguration(app: App): void {
  const schema = {
    tags,
    operationId: 'getConfig',
    summary: 'Public configuration',
    description: 'Settings that front ends may know.',
    response: { 200: PublicConfig },
  };
  app.get('/api/config', { schema }, () => ({
    default_llm_available: false,
    default_llm_model_id: 'thaink2/default',
  }));
}

function addVersion(app: App, { authentication }: Context): void {
  app.get(
    '/version',
    {
      preValidation: authentication.account,
      config: { scope: 'apps:read', holdsNoUserData: true },
      schema: {
        tags,
        operationId: 'getVersion',
        summary: 'Get the version of the server',
        description: 'The product, and the Node.js that it runs on.',
        response: { 200: Version, ...accountRefusals, ...faults },
      },
    },
    () => ({ version: productVersion, language: 'typescript', language_version: process.versions.node }),
  );
}

/** Concurrent probes share one check, since anybody may send them. */
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
