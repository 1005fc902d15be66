import type { Part as A2aPart } from '@a2a-js/sdk';
import type { JsonObject } from '@agentmesh/proto/event';

/** Keys by which ADK's converters mark what the protocol has no part for. */
const typeKey = 'adk_type';
const thoughtKey = 'adk_thought';
const longRunningKey = 'adk_is_long_running';

type DataType = 'function_call' | 'function_response';

/** A part of a message, as events have it. */
export interface MeshPart {
  readonly text?: string;
  readonly inlineData?: { readonly mimeType?: string; readonly data?: string; readonly displayName?: string };
  readonly fileData?: { readonly mimeType?: string; readonly fileUri?: string; readonly displayName?: string };
  readonly functionResponse?: JsonObject;
}

const plain = { metadata: undefined, filename: '', mediaType: '' };
const unknownType = 'application/octet-stream';

export function textPart(text: string): A2aPart {
  return { ...plain, content: { $case: 'text', value: text } };
}

export function thoughtPart(text: string): A2aPart {
  return { ...textPart(text), metadata: { [thoughtKey]: true } };
}

/** A call of a tool, or its result. */
export function dataPart(type: DataType, value: object, { isAwaited = false } = {}): A2aPart {
  const metadata = { [typeKey]: type, ...(isAwaited && { [longRunningKey]: true }) };
  return { ...plain, content: { $case: 'data', value }, metadata };
}

/** A file with its bytes, which are base64 in any alphabet, or its address. */
export function filePart(file: { readonly mimeType?: string; readonly data?: string; readonly uri?: string }): A2aPart {
  const { mimeType: mediaType = unknownType, data, uri = '' } = file;
  const content: A2aPart['content'] =
    data === undefined ? { $case: 'url', value: uri } : { $case: 'raw', value: Buffer.from(data, 'base64') };
  return { ...plain, mediaType, content };
}

/** The parts of a user's message, as the protocol has them. */
export function fromMeshPart({ text, inlineData, fileData, functionResponse }: MeshPart): A2aPart[] {
  if (functionResponse !== undefined) return [dataPart('function_response', functionResponse)];
  if (inlineData !== undefined) return [filePart(inlineData)];
  if (fileData !== undefined) return [filePart({ ...fileData, uri: fileData.fileUri ?? '' })];
  return text === undefined ? [] : [textPart(text)];
}

/** A part of a client's message. Data that is no answer to a call is told to the model as JSON, as ADK does. */
export function toMeshPart({ content, metadata, mediaType, filename }: A2aPart): MeshPart[] {
  const file = { mimeType: mediaType || unknownType, ...(filename !== '' && { displayName: filename }) };
  switch (content?.$case) {
    case 'text':
      return [{ text: content.value }];
    case 'raw':
      return [{ inlineData: { ...file, data: urlSafe(content.value) } }];
    case 'url':
      return [{ fileData: { ...file, fileUri: content.value } }];
    case 'data': {
      const value: unknown = content.value;
      const isAnswer = metadata?.[typeKey] === 'function_response' && isObject(value);
      return [isAnswer ? { functionResponse: value } : { text: JSON.stringify(value) }];
    }
    case undefined:
      return [];
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Base64 in the alphabet of events. */
function urlSafe(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_');
}
