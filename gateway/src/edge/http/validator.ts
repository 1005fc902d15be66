import type { FastifySchemaCompiler } from 'fastify';
import { InvalidRequest } from '../errors/request-error.ts';
import { FormFields, type Issue, type Place, requestCheck } from '../validation/index.ts';

const places: Readonly<Record<string, Place>> = {
  body: 'body',
  querystring: 'query',
  params: 'path',
  headers: 'header',
};

/** A body that is an object for a person, and a text for its content type: curl sends another one by itself. */
function withType(issue: Issue, input: unknown): Issue {
  const isWhole = issue.type === 'model_attributes_type' && issue.loc.length === 1 && issue.loc[0] === 'body';
  const isText = input instanceof FormFields || (typeof input === 'string' && /^\s*[{[]/.test(input));
  return isWhole && isText ? { ...issue, msg: 'send content-type: application/json' } : issue;
}

/** Uses our request check as Fastify's validator. Handlers receive values in their normal form. */
export const validatorCompiler: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
  const check = requestCheck(schema, places[httpPart ?? ''] ?? 'body');
  return (input: unknown) => {
    const outcome = check(input);
    if (!('issues' in outcome)) return { value: outcome.value };
    const issues = outcome.issues.map((issue) => withType(issue, input));
    return { error: new InvalidRequest(issues) };
  };
};
