import type { components, operations } from '../gen/api.ts';

type Schemas = components['schemas'];

/** Body of a successful answer, by the operation's id in the OpenAPI document. */
export type Answer<Name extends keyof operations> = operations[Name] extends { responses: infer Responses }
  ? JsonOf<Responses[keyof Responses]>
  : never;
/** Body of a request, by the operation's id. */
export type Body<Name extends keyof operations> = operations[Name] extends { requestBody?: infer Request }
  ? JsonOf<NonNullable<Request>>
  : never;
/** Query of a request, by the operation's id. */
export type Query<Name extends keyof operations> = operations[Name] extends { parameters: { query?: infer Fields } }
  ? NonNullable<Fields>
  : never;

type JsonOf<T> = T extends { content: { 'application/json': infer Json } } ? Json : never;

/** A run: one message and everything that the agent did with it. */
export type Run = Schemas['Run'];
export type RunStatus = Run['status'];
/** A call that a run waits for. */
export type WaitingCall = NonNullable<Run['waitingFor']>[number];
/** An event of a session, as ADK has it. */
export type Event = Schemas['Event'];
export type Content = Schemas['Content'];
export type Part = Schemas['Part'];
export type Session = Schemas['Session'];
export type Agent = Schemas['Agent'];
export type User = Schemas['User'];

/** Joined text of an event's parts, without thoughts. */
export function textOf({ content }: Pick<Event, 'content'>): string {
  return (content?.parts ?? []).map(({ text, thought }) => (thought === true ? '' : (text ?? ''))).join('');
}
