import { parseExactly } from '@agentmesh/proto/exact-json';
import type { StoredEvent } from '@agentmesh/proto/sessions/v1';

/** An answer to calls that a run has had. */
interface EarlierAnswer {
  /** Names of the calls, by their ids. */
  readonly names: ReadonlyMap<string, string>;
  /** The events of the run before it. */
  readonly before: readonly StoredEvent[];
}

/** The newest answer to one of these calls among the events of a run; undefined when there is none. A run that has gone on does not tell what it waited for, and a repeated request must say the same again. */
export function earlierAnswer(events: readonly StoredEvent[], callIds: ReadonlySet<string>): EarlierAnswer | undefined {
  const place = events.findLastIndex((event) => [...namesIn(event).keys()].some((id) => callIds.has(id)));
  const answer = events[place];
  return answer && { names: namesIn(answer), before: events.slice(0, place) };
}

interface Answering {
  readonly author: string;
  readonly content?: {
    readonly parts?: readonly { readonly functionResponse?: { readonly id?: string; readonly name?: string } }[];
  };
}

/** The calls that an event of the user answers. */
function namesIn({ json }: StoredEvent): Map<string, string> {
  const { author, content } = parseExactly(Buffer.from(json).toString()) as Answering;
  if (author !== 'user') return new Map();
  const responses = (content?.parts ?? []).flatMap(({ functionResponse }) => functionResponse ?? []);
  return new Map(responses.map(({ id = '', name = '' }) => [id, name]));
}
