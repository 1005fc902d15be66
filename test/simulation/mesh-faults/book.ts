import { type SessionJson, textOf } from '../../caller.ts';

/** The outcome of a run for its caller: the answer, an end without one, or nothing that was certain. */
type Outcome = 'answered' | 'failed' | 'unknown';

/** Acknowledgements about one session. */
export interface Told {
  /** By the text of the message, which no other run has. */
  readonly runs: Map<string, Outcome>;
  /** Keys of the state whose change was acknowledged. */
  readonly changes: Set<string>;
}

/** Differences between what callers were told and what is stored. Each line names the session. */
export interface Differences {
  readonly lost: string[];
  readonly twice: string[];
  readonly interleaved: string[];
}

export function newTold(): Told {
  return { runs: new Map(), changes: new Set() };
}

/** Compares what is stored with what was told, and adds the differences to the last argument. */
export function compare(
  { id, events, state }: SessionJson,
  told: Told,
  { lost, twice, interleaved }: Differences,
): void {
  const asked = countsOf(events.filter(({ author }) => author === 'user').map(textOf));
  const answered = countsOf(events.filter((event) => event.author !== 'user' && isAnswer(event)).map(textOf));
  for (const [text, outcome] of told.runs) {
    const answer = answerTo(text);
    if (outcome !== 'unknown' && !asked.has(text)) lost.push(`${id} message ${text}`);
    if (outcome === 'answered' && !answered.has(answer)) lost.push(`${id} answer to ${text}`);
    if ((asked.get(text) ?? 0) > 1) twice.push(`${id} message ${text}`);
    if ((answered.get(answer) ?? 0) > 1) twice.push(`${id} answer to ${text}`);
  }
  for (const key of told.changes) if (!Object.hasOwn(state, key)) lost.push(`${id} change ${key}`);
  // A change of the state is an event too, which may lie inside a turn.
  const ofRuns = events.map(({ invocationId }) => invocationId).filter((invocationId) => invocationId.startsWith('e-'));
  const turns = ofRuns.filter((turn, index) => turn !== ofRuns[index - 1]);
  if (new Set(turns).size < turns.length) interleaved.push(id);
}

function isAnswer(event: SessionJson['events'][number]): boolean {
  return event.errorCode === undefined && textOf(event) !== '';
}

/** The echo agent repeats a message without its directives. */
function answerTo(text: string): string {
  return text.replace(/\[\[.*?\]\]/g, '');
}

function countsOf(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}
