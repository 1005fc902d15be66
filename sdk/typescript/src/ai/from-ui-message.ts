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

/** The page's answers to calls in a message: approvals, and outputs of tools. Those of tools that the app has called itself are among them. */
export function answersIn({ parts }: UIMessage): NamedAnswer[] {
  return parts.flatMap((part) => ('toolCallId' in part ? answerOf(part) : []));
}

type ToolPart = Extract<UIMessage['parts'][number], { readonly toolCallId: string }>;

function answerOf(part: ToolPart): NamedAnswer[] {
  const { toolCallId: id } = part;
  if (part.state === 'approval-responded') return [approvalOf(part.approval)];
  if (part.state === 'output-error') return [{ id, response: { error: part.errorText } }];
  if (part.state !== 'output-available') return [];
  const output: unknown = part.output;
  return [{ id, response: isMap(output) ? output : { result: output ?? null } }];
}

function approvalOf({ id, approved, reason }: Extract<ToolPart, { state: 'approval-responded' }>['approval']) {
  return { id, response: { confirmed: approved, ...(reason === undefined ? {} : { payload: { reason } }) } };
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
