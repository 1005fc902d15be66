import type { FastifySchemaCompiler } from 'fastify';
import { InvalidRequest } from '../errors/request-error.ts';
import { type Place, requestCheck } from '../validation/index.ts';

const places: Readonly<Record<string, Place>> = {
  body: 'body',
  querystring: 'query',
  params: 'path',
  headers: 'header',
};

/** Uses our request check as Fastify's validator. Handlers receive values in their normal form. */
export const validatorCompiler: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
  const check = requestCheck(schema, places[httpPart ?? ''] ?? 'body');
  return (input: unknown) => {
    const outcome = check(input);
    return 'issues' in outcome ? { error: new InvalidRequest(outcome.issues) } : { value: outcome.value };
  };
};
