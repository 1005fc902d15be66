import type { LanguageModelV4FilePart, LanguageModelV4TextPart } from '@ai-sdk/provider';
import type { Blob, Part } from '@google/genai';
import type { FileRules } from '../dialect.ts';

type UserPart = LanguageModelV4TextPart | LanguageModelV4FilePart;

const textTypes = /^(text\/|application\/(json|xml|yaml|x-yaml|javascript|csv|x-ndjson)\b)/;

/** Converts a part of a user's message; empty for a part without content. */
export function toUserPart(part: Part, rules: FileRules): UserPart[] {
  const { text, inlineData, fileData } = part;
  // ADK puts other agents' thoughts into a user's message.
  if (part.thought === true) return [];
  if (inlineData?.data !== undefined) return [toFile(inlineData, rules)];
  if (fileData?.fileUri !== undefined) return [toLink(fileData.fileUri, fileData.mimeType, rules)];
  return text === undefined || text.trim() === '' ? [] : [{ type: 'text', text }];
}

/** Converts base64 of either alphabet, padded or not, to standard base64, which vendors expect. */
export function toStandardBase64(data: string): string {
  return Buffer.from(data, 'base64').toString('base64');
}

function toFile({ data = '', mimeType = 'application/octet-stream', displayName }: Blob, rules: FileRules): UserPart {
  const isText = textTypes.test(mimeType) && rules.text !== 'file';
  if (isText && rules.text === 'text') {
    return { type: 'text', text: `[file: ${displayName ?? mimeType}]\n${Buffer.from(data, 'base64').toString()}` };
  }
  return {
    type: 'file',
    mediaType: isText ? 'text/plain' : mimeType,
    data: { type: 'data', data: toStandardBase64(data) },
    ...(displayName === undefined ? {} : { filename: displayName }),
  };
}

function toLink(fileUri: string, mediaType = '', rules: FileRules): UserPart {
  const url = URL.parse(fileUri);
  if (url === null || mediaType === '' || !rules.link(url, mediaType)) {
    return { type: 'text', text: `[file: ${fileUri}]` };
  }
  return { type: 'file', mediaType, data: { type: 'url', url } };
}
