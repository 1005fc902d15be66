import type { UIMessage } from 'ai';
import type { Content, Part } from '../records.ts';
import type { NamedAnswer } from '../runs/answers.ts';

/** A message of the user as the mesh has it: its texts and files. Throws TypeError for a file that is neither a data URL nor an address. */
export function contentOf({ parts }: UIMessage): Content {
  return { role: 'user', parts: parts.flatMap(partOf) };
}

function partOf(part: UIMessage['parts'][number]): Part[] {
  if (part.type === 'text') return [{ text: part.text }];
  if (part.type !== 'file') return [];
  const { url, mediaType: mimeType } = part;
  const data = /^data:[^,]*;base64,(.*)$/s.exec(url)?.[1];
  if (data !== undefined) return [{ inlineData: { data, mimeType } }];
  if (/^(https?|gs):/.test(url)) return [{ fileData: { fileUri: url, mimeType } }];
  throw new TypeError(`A file is a data URL in base64, or an address: ${url.slice(0, 40)}`);
}

/** The answers that a person has given to approvals in a message. */
export function approvalsIn({ parts }: UIMessage): NamedAnswer[] {
  return parts.flatMap((part) => {
    if (!('state' in part) || part.state !== 'approval-responded' || !('approval' in part)) return [];
    const { id, approved, reason } = part.approval;
    return [{ id, response: { confirmed: approved, ...(reason === undefined ? {} : { payload: { reason } }) } }];
  });
}
