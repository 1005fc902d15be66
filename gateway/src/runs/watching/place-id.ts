import { InvalidRequest } from '../../edge/errors/request-error.ts';

/** A place in the events of a run, as `id:` of its stream names it. */
export interface Place {
  /** Sequence of the stored event at or before the place; 0 for the beginning. */
  readonly seq: number;
  /** Number of the partial event behind it; 0 for the stored event itself. */
  readonly partial: number;
  /** Set for the end of the run: the number of the attempt that has ended. */
  readonly endOf?: number;
}

const shape = /^(\d{1,9})(?:-(\d{1,9})|-end(\d{1,9}))?$/;

/** `7` for a stored event, `7-2` for the second partial event after it, `7-end1` for the end of the first attempt. */
export function printPlace({ seq, partial, endOf }: Place): string {
  if (endOf !== undefined) return `${seq}-end${endOf}`;
  return partial === 0 ? String(seq) : `${seq}-${partial}`;
}

/** Whether the first place is behind the second one. Ends are not compared. */
export function isBehind(place: Place, other: Place): boolean {
  return place.seq > other.seq || (place.seq === other.seq && place.partial > other.partial);
}

/** The place of a text; the beginning for none. `loc` names the field for a client whose text is no place. */
export function parsePlace(text: string | undefined, loc: readonly string[]): Place {
  if (text === undefined || text === '') return { seq: 0, partial: 0 };
  const match = shape.exec(text);
  if (match === null) {
    const error = 'not an id of an event of a stream';
    throw new InvalidRequest([
      { type: 'value_error', loc: [...loc], msg: `Value error, ${error}`, input: text, ctx: { error } },
    ]);
  }
  const [, seq, partial = 0, endOf] = match;
  return { seq: Number(seq), partial: Number(partial), ...(endOf !== undefined && { endOf: Number(endOf) }) };
}
