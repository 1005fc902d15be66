import type { FastifyContextConfig, FastifySchema } from 'fastify';
import type { Authentication } from '../authentication/authenticate.ts';
import { bodyFailures, failures, Problem } from '../records/problem.ts';

interface Family extends FastifyContextConfig {
  /** Section of the documentation. */
  readonly tag: string;
  /** Hook of `Authentication` that says who may call the routes. */
  readonly caller: 'account' | 'owner' | 'runtime' | 'watcher' | 'push';
  /** Statuses, beside those that `refusalsOf` adds, with which every route of the family refuses requests. */
  readonly refusals?: readonly number[];
}

/**
 * Says once what the routes of a family have in common: tag, callers, scope and other `config`, and refusals. The function that it
 * returns makes the options of one route from its schema, whose `response` holds only the answers of success. The documentation also
 * gets 401, 422, 429 and the faults of the server, and 400 and 413 where there is a body.
 *
 * ```ts
 * const reads = routeFamily({ tag: 'schedules', caller: 'account', scope: 'runs:read' });
 * app.get(path, reads(authentication, { operationId, summary, params, response: { 200: Schedule }, refusals: [404] }), handler);
 * ```
 */
export function routeFamily({ tag, caller, refusals: common = [], ...config }: Family) {
  return <const Schema extends FastifySchema & { readonly refusals?: readonly number[] }>(
    authentication: Authentication,
    schema: Schema,
  ) => {
    const { refusals = [], response, ...described } = schema;
    const answers = {
      ...(response as object | undefined),
      ...refusalsOf([...common, ...refusals], schema.body !== undefined),
    };
    return {
      preValidation: authentication[caller],
      config,
      schema: { tags: [tag], ...described, response: answers } as unknown as Schema,
    };
  };
}

function refusalsOf(statuses: readonly number[], hasBody: boolean) {
  const own = Object.fromEntries(statuses.map((status) => [status, Problem]));
  return { ...own, ...(hasBody && bodyFailures), ...failures };
}
