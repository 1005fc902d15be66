import type { paths } from '../../gen/api.ts';
import { type Call, type CallOptions, segment } from './call.ts';

type Method = NonNullable<Call['method']>;
/** A path of the OpenAPI document, such as `/api/audit` or `/api/auth/sessions/{id}`. */
export type RoutePath = keyof paths;
/** Methods that a path has. */
export type MethodOf<Path extends RoutePath> = {
  [Name in Method]: paths[Path][Lowercase<Name>] extends { responses: unknown } ? Name : never;
}[Method];

type Operation<Path extends RoutePath, Name extends Method> = paths[Path][Lowercase<Name>];
type Json<T> = T extends { content: { 'application/json': infer Body } } ? Body : undefined;

type FieldsOf<T> =
  NonNullable<T> extends never
    ? Record<never, never>
    : { [Name in keyof T]: NonNullable<T[Name]> extends never ? undefined : T[Name] };
type ParametersOf<T> = T extends { parameters: infer Given } ? FieldsOf<Given> : Record<never, never>;
type BodyOf<T> = T extends { requestBody: { content: { 'application/json': infer Body } } }
  ? { readonly body: Body }
  : T extends { requestBody?: { content: { 'application/json': infer Body } } }
    ? { readonly body?: Body }
    : Record<never, never>;
type Needs<Name extends string, T, Given> = Name extends keyof Given
  ? undefined extends Given[Name]
    ? { readonly [Key in Name]?: Given[Name] }
    : { readonly [Key in Name]: Given[Name] }
  : T;

/** Parts of a request of a route: the values of its path, its query and its body. */
export type CallInput<Path extends RoutePath, Name extends Method> = CallOptions &
  Needs<'path', unknown, ParametersOf<Operation<Path, Name>>> &
  Needs<'query', unknown, ParametersOf<Operation<Path, Name>>> &
  BodyOf<Operation<Path, Name>>;

/** The answer of a route. */
export type CallAnswer<Path extends RoutePath, Name extends Method> =
  Operation<Path, Name> extends { responses: infer Responses } ? Json<Responses[keyof Responses]> : never;

interface Given extends CallOptions {
  readonly path?: Readonly<Record<string, string | number>> | undefined;
  readonly query?: object | undefined;
  readonly body?: unknown;
}

/** The request of a route, with its path filled in. Throws PathValueError for a value that no path can have. */
export function callOf(method: Method, path: string, { path: values = {}, ...rest }: Given): Call {
  const filled = path.replace(/\{(\w+)\}/g, (hole, name: string, at: number) =>
    segment(values[name], path.slice(0, at) + hole),
  );
  return { method, path: filled, ...rest };
}
