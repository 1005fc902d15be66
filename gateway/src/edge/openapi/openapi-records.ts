import { STATUS_CODES } from 'node:http';
import { noNul } from '../validation/index.ts';

type Json = Record<string, unknown>;

/**
 * Moves each record with a title to `components/schemas`, documents forms and optional bodies, names answers by their status, says
 * which parameters are deprecated, and removes our `x-` keywords.
 */
export function hoistRecords<T extends object>(document: T): T {
  const schemas: Json = {};
  const paths = hoist((document as Json).paths, schemas);
  const components = { ...((document as Json).components as Json | undefined), schemas };
  for (const operation of operationsOf(paths)) {
    documentForm(operation, schemas);
    documentOptionalBody(operation);
    nameAnswers(operation);
    deprecateParameters(operation);
  }
  return withoutOwnRules({ ...document, paths, components }) as T;
}

/** Keywords for readers of the description: the record in each frame of a stream, or in each line of it, and the forms that a body may have instead of JSON. */
const told: ReadonlySet<string> = new Set(['x-event', 'x-forms', 'x-line']);

/**
 * Removes the other `x-` keywords, which only our validation reads, except where properties have such names. Also removes the pattern
 * that only refuses NUL: the documentation pages would fill it with random text.
 */
function withoutOwnRules(node: unknown, areNames = false): unknown {
  if (Array.isArray(node)) return node.map((item) => withoutOwnRules(item));
  if (!isJson(node)) return node;
  const isOwn = (key: string, child: unknown) =>
    (key.startsWith('x-') && !told.has(key)) || (key === 'pattern' && child === noNul);
  const kept = Object.entries(areNames ? node : asText(node)).filter(([key, child]) => areNames || !isOwn(key, child));
  return Object.fromEntries(
    kept.map(([key, child]) => [key, withoutOwnRules(child, key === 'properties' && !areNames)]),
  );
}

/** A list of values that vendors may add some to, as any text: clients that are generated from a list refuse a value that is not in it. */
function asText(node: Json): Json {
  const { enum: members, ...text } = node;
  if (node['x-open-enum'] !== true || !Array.isArray(members)) return node;
  return { ...text, description: `${members.join(', ')}, or what the vendor has added since.` };
}

function hoist(node: unknown, schemas: Json): unknown {
  if (Array.isArray(node)) return node.map((item) => hoist(item, schemas));
  if (!isJson(node)) return node;
  const title = node.title;
  if (typeof title !== 'string' || node.properties === undefined) return hoistChildren(node, schemas);
  if (!Object.hasOwn(schemas, title)) {
    schemas[title] = {};
    schemas[title] = hoistChildren(node, schemas);
  }
  return { $ref: `#/components/schemas/${title}` };
}

function hoistChildren(node: Json, schemas: Json): Json {
  return Object.fromEntries(Object.entries(node).map(([key, child]) => [key, hoist(child, schemas)]));
}

function operationsOf(paths: unknown): Json[] {
  if (!isJson(paths)) return [];
  return Object.values(paths)
    .filter(isJson)
    .flatMap((path) => Object.values(path).filter(isJson));
}

const formsToo =
  'The fields of `x-forms` are taken as `application/x-www-form-urlencoded` and `multipart/form-data` too.';

/**
 * Documents the form of a record with an `x-form` keyword beside its JSON, not as further types of the body: for a body of several types, whatever their
 * records, openapi-python-client 0.29.1 writes functions that use the name `Unset` without importing it, so that sign-in cannot be imported.
 */
function documentForm({ requestBody }: Json, schemas: Json): void {
  const content = isJson(requestBody) && isJson(requestBody.content) ? requestBody.content : {};
  const json = content['application/json'];
  const reference = isJson(json) && isJson(json.schema) ? json.schema.$ref : undefined;
  const record = typeof reference === 'string' ? schemas[reference.split('/').at(-1) ?? ''] : undefined;
  if (!isJson(record) || record['x-form'] === undefined) return;
  Object.assign(requestBody as Json, { 'x-forms': record['x-form'], description: formsToo });
  delete record['x-form'];
}

/** Marks a body that may be null as optional. */
function documentOptionalBody({ requestBody }: Json): void {
  if (!isJson(requestBody) || !isJson(requestBody.content)) return;
  const json = requestBody.content['application/json'];
  const alternatives = isJson(json) && isJson(json.schema) ? json.schema.anyOf : undefined;
  if (Array.isArray(alternatives) && alternatives.some((one) => isJson(one) && one.type === 'null')) {
    requestBody.required = false;
  }
}

function nameAnswers({ responses }: Json): void {
  for (const [status, answer] of Object.entries(isJson(responses) ? responses : {})) {
    if (isJson(answer) && answer.description === 'Default Response') answer.description = STATUS_CODES[status];
  }
}

/** Moves `deprecated` from the schema of a parameter to the parameter, where readers of a description look for it. */
function deprecateParameters({ parameters }: Json): void {
  for (const one of Array.isArray(parameters) ? parameters.filter(isJson) : []) {
    if (!isJson(one.schema) || one.schema.deprecated !== true) continue;
    delete one.schema.deprecated;
    one.deprecated = true;
  }
}

function isJson(node: unknown): node is Json {
  return typeof node === 'object' && node !== null && !Array.isArray(node);
}
