import type { LanguageModelV4FilePart, LanguageModelV4TextPart } from '@ai-sdk/provider';
import type { Part } from '@google/genai';

/** A part of a user's message; empty when it says nothing. */
export function toUserPart(part: Part): (LanguageModelV4TextPart | LanguageModelV4FilePart)[] {
  const { text, inlineData, fileData } = part;
  if (inlineData?.data !== undefined) return [toFile(inlineData.data, inlineData.mimeType, inlineData.displayName)];
  if (fileData?.fileUri !== undefined) return [toLink(fileData.fileUri, fileData.mimeType)];
  return text === undefined || text === '' ? [] : [{ type: 'text', text }];
}

/** Both base64 alphabets are accepted; vendors want the standard one. */
function toFile(data: string, mediaType = 'application/octet-stream', filename?: string): LanguageModelV4FilePart {
  const base64 = data.replaceAll('-', '+').replaceAll('_', '/');
  return {
    type: 'file',
    mediaType,
    data: { type: 'data', data: base64 },
    ...(filename === undefined ? {} : { filename }),
  };
}

/** Vendors take links to images alone; other files are named in words. */
function toLink(fileUri: string, mediaType = ''): LanguageModelV4TextPart | LanguageModelV4FilePart {
  const url = URL.parse(fileUri);
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (url === null || !isWeb || !mediaType.startsWith('image/')) return { type: 'text', text: `[file: ${fileUri}]` };
  return { type: 'file', mediaType, data: { type: 'url', url } };
}
