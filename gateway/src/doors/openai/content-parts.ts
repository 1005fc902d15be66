import type { Static } from 'typebox';
import type { Part as PartRecord } from '../../edge/records/content.ts';
import { readBase64 } from '../../edge/validation/index.ts';
import { type Place, refusal } from './refusal.ts';

export type Part = Static<typeof PartRecord>;

type Fields = Readonly<Record<string, unknown>>;
type Reader = (fields: Fields, place: Place) => Part;

const text: Reader = (fields, place) => ({ text: textOf(fields['text'], [...place, 'text']) });

const readers: Readonly<Record<string, Reader>> = {
  text,
  input_text: text,
  output_text: text,
  refusal: (fields, place) => ({ text: textOf(fields['refusal'], [...place, 'refusal']) }),
  image_url: ({ image_url: image }, place) =>
    linkPart(isFields(image) ? image['url'] : image, { place: [...place, 'image_url'], type: 'image' }),
  input_image: ({ image_url: url }, place) => linkPart(url, { place: [...place, 'image_url'], type: 'image' }),
  input_audio({ input_audio: audio }, place) {
    const { data, format } = isFields(audio) ? audio : {};
    const mimeType = format === 'mp3' ? 'audio/mpeg' : `audio/${textOf(format, [...place, 'input_audio', 'format'])}`;
    return dataPart(data, { mimeType, place: [...place, 'input_audio', 'data'] });
  },
  file: ({ file }, place) => filePart(isFields(file) ? file : {}, [...place, 'file']),
  input_file: filePart,
};

/** Parts of a message from OpenAI's content: a text, or a list of parts. Empty texts are left out. Throws 400 for a part that the mesh cannot take. */
export function partsOf(content: unknown, place: Place): Part[] {
  if (content === null || content === undefined || content === '') return [];
  if (typeof content === 'string') return [{ text: content }];
  if (!Array.isArray(content)) throw refusal(place, 'A text or a list of parts is required.');
  const parts = content.map((fields: unknown, index) => {
    const own = [...place, index];
    const type = isFields(fields) ? fields['type'] : undefined;
    const read = typeof type === 'string' && Object.hasOwn(readers, type) ? readers[type] : undefined;
    if (!isFields(fields) || read === undefined) throw refusal([...own, 'type'], 'This type of content is not served.');
    return read(fields, own);
  });
  return parts.filter((part) => part.text !== '');
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown, place: Place): string {
  if (typeof value === 'string') return value;
  throw refusal(place, 'A text is required.');
}

function filePart(fields: Fields, place: Place): Part {
  const { file_data: data, file_url: url, filename } = fields;
  const displayName = typeof filename === 'string' ? filename : undefined;
  if (url !== undefined && url !== null)
    return linkPart(url, { place: [...place, 'file_url'], type: 'file', displayName });
  if (data === undefined || data === null)
    throw refusal([...place, 'file_data'], 'Files are sent in the message: `file_data` is required.');
  return linkPart(data, { place: [...place, 'file_data'], type: 'file', displayName });
}

interface Link {
  readonly place: Place;
  readonly type: 'image' | 'file';
  readonly displayName?: string | undefined;
}

/** Types of files whose addresses end so. */
const mimeTypes: Readonly<Record<string, string>> = {
  gif: 'image/gif',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  pdf: 'application/pdf',
  png: 'image/png',
  txt: 'text/plain',
  webp: 'image/webp',
};

const head = /^data:(?<mimeType>[^;,]+)(?:;[^;,]+)*;base64,/;

/** A `data:` address holds the file; another one names it. */
function linkPart(link: unknown, { place, type, displayName }: Link): Part {
  const address = textOf(link, place);
  const name = displayName !== undefined && { displayName };
  const { 0: start = '', groups } = head.exec(address.slice(0, 200)) ?? {};
  const mimeType = groups?.['mimeType'];
  if (mimeType !== undefined) {
    const { inlineData } = dataPart(address.slice(start.length), { mimeType, place });
    return { inlineData: { ...inlineData, ...name } };
  }
  const url = address.startsWith('https://') ? URL.parse(address) : null;
  if (url === null) throw refusal(place, 'A `data:` address with base64, or one of https is required.');
  const ending = url.pathname.split('.').at(-1)?.toLowerCase() ?? '';
  const usual = type === 'image' ? 'image/jpeg' : 'application/octet-stream';
  return { fileData: { fileUri: address, mimeType: mimeTypes[ending] ?? usual, ...name } };
}

function dataPart(data: unknown, { mimeType, place }: { readonly mimeType: string; readonly place: Place }): Part {
  const read = readBase64(textOf(data, place));
  if ('fault' in read) throw refusal(place, `This is not base64: ${read.fault}`);
  return { inlineData: { mimeType, data: read.value } };
}
