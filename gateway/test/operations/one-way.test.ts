import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { describeRoutes } from '../../src/describe-routes.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly title?: string;
  readonly deprecated?: boolean;
  readonly properties?: Record<string, Schema>;
  readonly items?: Schema;
  readonly anyOf?: Schema[];
}
interface Body {
  readonly content?: Record<string, { schema?: Schema }>;
  readonly headers?: object;
}
interface Operation {
  readonly parameters?: { name: string; in: string; deprecated?: boolean; schema: Schema }[];
  readonly requestBody?: Body;
  readonly responses: Record<string, Body>;
}
interface Document {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { schemas: Record<string, Schema> };
}

const { paths, components } = (await describeRoutes()) as Document;
const page = readFileSync(new URL('../../../docs/routes.md', import.meta.url), 'utf8');
const section = (from: string, to: string) => page.slice(page.indexOf(from), page.indexOf(to));
const listsNamed = (text: string) => new Set([...text.matchAll(/^\| `GET (\S+)`/gm)].map(([, path]) => path));
const ofReference = section('### Lists with another body', '### Until 0.2');

const operations = Object.entries(paths).flatMap(([path, ways]) =>
  Object.entries(ways).map(([method, operation]) => ({ path, method, name: `${method} ${path}`, ...operation })),
);
const gets = operations.filter(({ method }) => method === 'get');
const queryOf = ({ parameters = [] }: Operation) => parameters.filter((one) => one.in === 'query');
const namesOf = (operation: Operation) => queryOf(operation).map(({ name }) => name);
const found = ({ $ref, ...schema }: Schema): Schema =>
  $ref === undefined ? schema : (components.schemas[$ref.split('/').at(-1) ?? ''] ?? {});
const json = (body: Body | undefined) => body?.content?.['application/json']?.schema;

/** Records that ADK names, wherever they stand. */
const ofAdk = new Set(['Content', 'Event', 'Session', 'AdkSession']);

interface Field {
  readonly name: string;
  readonly schema: Schema;
}

/** Fields of a body and of the records inside it, without those that are deprecated and those of ADK's records. */
function fieldsOf(schema: Schema | undefined, seen = new Set<string>()): Field[] {
  if (schema === undefined || ofAdk.has(schema.$ref?.split('/').at(-1) ?? '') || seen.has(schema.$ref ?? '')) return [];
  if (schema.$ref !== undefined) seen.add(schema.$ref);
  const { properties = {}, items, anyOf = [] } = found(schema);
  const own = Object.entries(properties).filter(([, one]) => one.deprecated !== true);
  return [
    ...own.map(([name, one]) => ({ name, schema: one })),
    ...[...own.map(([, one]) => one), ...(items ? [items] : []), ...anyOf].flatMap((one) => fieldsOf(one, seen)),
  ];
}

const bodiesOf = ({ requestBody, responses }: Operation) => [
  ...(requestBody === undefined ? [] : [json(requestBody)]),
  ...Object.entries(responses).flatMap(([status, body]) => (status < '3' ? [json(body)] : [])),
];
const allFields = operations.flatMap((operation) =>
  bodiesOf(operation).flatMap((body) => fieldsOf(body).map((field) => ({ ...operation, field }))),
);

describe('a list', () => {
  test('pages by limit and cursor, with X-Next-Cursor and Link', () => {
    const paged = gets.filter((one) => namesOf(one).includes('cursor'));
    expect(paged.length).toBeGreaterThan(9);
    for (const operation of paged) {
      const headers = Object.keys(operation.responses['200']?.headers ?? {});
      expect({ name: operation.name, query: namesOf(operation), headers }).toMatchObject({
        query: expect.arrayContaining(['limit', 'cursor']),
        headers: expect.arrayContaining(['X-Next-Cursor', 'Link']),
      });
    }
  });

  test('has other ways to page only where docs/routes.md says why, or as deprecated', () => {
    const others = new Set(['page', 'size', 'offset', 'after', 'before', 'before_id', 'page_token']);
    const rows = ofReference.split('\n');
    const undocumented = gets.flatMap((operation) =>
      queryOf(operation)
        .filter(({ name, deprecated, schema }) => others.has(name) && !(deprecated ?? schema.deprecated))
        .filter(
          ({ name }) => !rows.some((row) => row.includes(`GET ${operation.path}\``) && row.includes(`\`${name}\``)),
        )
        .map(({ name }) => `${operation.path} ${name}`),
    );
    // Behind an event of a stream: no page.
    expect(undocumented).toEqual(['/runs/{invocation_id}/events after']);
  });

  test('is an array, but where docs/routes.md says why', () => {
    const paged = gets.filter((one) => namesOf(one).includes('cursor') || namesOf(one).includes('limit'));
    // The events of a session stand in the record of the session.
    const session = '/apps/{app_name}/users/{user_id}/sessions/{session_id}';
    const objects = paged
      .filter((one) => found(json(one.responses['200']) ?? {}).type !== 'array')
      .map(({ path }) => path)
      .filter((path) => path !== session);
    const wholeLists = gets.filter(({ responses }) => {
      const { properties = {} } = found(json(responses['200']) ?? {});
      const [only, ...more] = Object.values(properties);
      return only?.type === 'array' && more.length === 0;
    });
    // The spans of one run.
    const trace = '/runs/{invocation_id}/trace';
    const named = [...objects, ...wholeLists.map(({ path }) => path)].filter((path) => path !== trace);
    expect(new Set(named)).toEqual(listsNamed(ofReference));
  });
});

describe('a field', () => {
  test('is named in snake_case under /api and in camelCase elsewhere', () => {
    const refused = allFields.filter(({ path, field: { name } }) =>
      path.startsWith('/api/') ? /[a-z][A-Z]/.test(name) : /[a-z]_[a-z]/.test(name),
    );
    // Microsoft's notifications, ADK's answer of a cancelled session, and ADK's version.
    const ofOthers = /^\/api\/webhooks\/outlook\/notifications|:cancel session_id$|^\/version /;
    const places = refused.map(({ path, field }) => `${path} ${field.name}`);
    expect(places.filter((place) => !ofOthers.test(place))).toEqual([]);
  });

  test('that is a time is RFC 3339 under /api and Unix seconds elsewhere', () => {
    const isTime = (name: string) =>
      /(_at|_datetime|^since|^at|Time|^timestamp)$/.test(name) && name !== 'relativePublishTime';
    const times = allFields.filter(({ field }) => isTime(field.name));
    expect(times.length).toBeGreaterThan(20);
    const typesOf = (schema: Schema): (string | undefined)[] =>
      schema.anyOf?.map(({ type }) => type).filter((type) => type !== 'null') ?? [schema.type];
    const other = times.filter(
      ({ path, field }) => typesOf(field.schema).join() !== (path.startsWith('/api/') ? 'string' : 'number'),
    );
    expect([...new Set(other.map(({ path, field }) => `${path} ${field.name}`))]).toEqual([
      '/api/adk/sessions/{app_name}/{user_id}/{session_id} timestamp',
      '/apps/{app_name}/users/{user_id}/memory timestamp',
    ]);
  });

  test('agent_id is an integer, but in the answer of a new agent, as the reference has it', () => {
    const ids = allFields.filter(({ field }) => field.name === 'agent_id');
    expect(ids.length).toBeGreaterThan(5);
    const others = ids.filter(({ field }) => (field.schema.type ?? field.schema.anyOf?.[0]?.type) !== 'integer');
    expect([...new Set(others.map(({ path }) => path))]).toEqual(['/api/agents', '/api/agents/yaml']);
  });
});
