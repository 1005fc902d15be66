import type { Part as A2aPart } from '@a2a-js/sdk';
import type { Part } from '@google/genai';

/** Most bytes of a file that becomes part of an event. */
const mostFileBytes = 1024 * 1024;
/** ADK marks parts in their metadata: `adk_type` of calls of tools, `adk_thought` of thoughts. */
const typeKey = 'adk_type';
const thoughtKey = 'adk_thought';

/** Converts parts of a remote agent's answer. Calls of its own tools are left out. */
export function toParts(parts: readonly A2aPart[]): Part[] {
  return parts.map(toPart).filter((part) => part !== undefined);
}

function toPart({ content, metadata, mediaType }: A2aPart): Part | undefined {
  const mimeType = mediaType === '' ? 'application/octet-stream' : mediaType;
  switch (content?.$case) {
    case 'text':
      return { text: content.value, ...(metadata?.[thoughtKey] === true && { thought: true }) };
    case 'raw':
      if (content.value.byteLength > mostFileBytes) return { text: `[a file of ${content.value.byteLength} bytes]` };
      return { inlineData: { mimeType, data: content.value.toString('base64') } };
    case 'url':
      return { fileData: { mimeType, fileUri: content.value } };
    case 'data':
      return metadata?.[typeKey] === undefined ? { text: JSON.stringify(content.value) } : undefined;
    case undefined:
      return undefined;
  }
}
