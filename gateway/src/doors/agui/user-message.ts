import type { Static } from 'typebox';
import type { Part as PartRecord } from '../../edge/records/content.ts';
import { readBase64 } from '../../edge/validation/index.ts';
import { invalidInput } from './invalid-input.ts';

export type Part = Static<typeof PartRecord>;
type Place = readonly (string | number)[];

/** Kinds of parts that have a source. */
const media = new Set<unknown>(['image', 'audio', 'video', 'document']);

interface ContentPart {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly source?: { readonly type?: unknown; readonly value?: unknown; readonly mimeType?: unknown } | null;
}

/** The content of a user's message as parts of the mesh. Throws InvalidRequest for what no app can be given. */
export function partsOf(content: unknown, place: Place): Part[] {
  if (typeof content === 'string') return [{ text: content }];
  if (!Array.isArray(content) || content.length === 0)
    throw invalidInput(place, 'the content of a user message is a text or a list of parts');
  return content.map((part: unknown, index) => partOf((part ?? {}) as ContentPart, [...place, index]));
}

function partOf({ type, text, source }: ContentPart, place: Place): Part {
  if (type === 'text' && typeof text === 'string') return { text };
  if (!media.has(type)) throw invalidInput(place, 'a part is a text, an image, audio, a video or a document');
  const { value, mimeType } = source ?? {};
  if (typeof value !== 'string') throw invalidInput([...place, 'source'], 'a source has a value, which is a text');
  const named = typeof mimeType === 'string' ? { mimeType } : {};
  if (source?.type === 'url') return { fileData: { fileUri: value, ...named } };
  if (source?.type !== 'data') throw invalidInput([...place, 'source'], 'a source is data or a url');
  if (named.mimeType === undefined) throw invalidInput([...place, 'source'], 'data has a mimeType');
  const reading = readBase64(value);
  if ('fault' in reading) throw invalidInput([...place, 'source', 'value'], `data is base64: ${reading.fault}`);
  return { inlineData: { data: reading.value, ...named } };
}

/** The texts of a message. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts = Array.isArray(content) ? (content as (ContentPart | null)[]) : [];
  return parts.map((part) => (typeof part?.text === 'string' ? part.text : '')).join('');
}
