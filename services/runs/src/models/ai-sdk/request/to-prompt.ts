import type { LanguageModelV4Message, LanguageModelV4Prompt, SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { Blob, Content, ContentUnion, FunctionResponse, Part } from '@google/genai';
import { CallLedger } from './call-ledger.ts';
import type { Dialect } from '../dialect.ts';
import { splitImages } from './split-images.ts';
import { toStandardBase64, toUserPart } from './to-user-part.ts';

type AssistantContent = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'];
type UserContent = Extract<LanguageModelV4Message, { role: 'user' }>['content'];
type ToolContent = Extract<LanguageModelV4Message, { role: 'tool' }>['content'];

/** A conversation under construction. */
interface Draft {
  readonly prompt: LanguageModelV4Prompt;
  readonly ledger: CallLedger;
  readonly dialect: Dialect;
}

/**
 * A conversation of ADK as a prompt of the AI SDK. ADK takes the ids from calls it named itself, so calls and answers
 * are paired here; vendors want every call answered before anything else is said, so one without an answer gets the
 * answer `pending`. Thoughts are sent back only to the vendor that signed them. Images of an answer stand in it, or follow it as the user's where the vendor
 * takes none there.
 */
export function toPrompt(
  contents: readonly Content[],
  dialect: Dialect,
  systemInstruction?: ContentUnion,
): LanguageModelV4Prompt {
  const draft: Draft = { prompt: [], ledger: new CallLedger(dialect.callId), dialect };
  for (const content of contents) {
    if (content.role === 'model') addAssistant(draft, content);
    else addUser(draft, content);
  }
  addTool(draft, draft.ledger.closeOpen());
  if (dialect.userFirst && draft.prompt[0]?.role === 'assistant') draft.prompt.unshift(userSays('Begin.'));
  // The user's last message may be blank, which vendors refuse. A prompt that ends with the assistant would be continued.
  const last = draft.prompt.at(-1)?.role;
  if (last !== 'user' && last !== 'tool') draft.prompt.push(userSays('Continue.'));
  const system = textOf(systemInstruction);
  return system === '' ? draft.prompt : [{ role: 'system', content: system }, ...draft.prompt];
}

function userSays(text: string): LanguageModelV4Message {
  return { role: 'user', content: [{ type: 'text', text }] };
}

function addAssistant(draft: Draft, content: Content): void {
  addTool(draft, draft.ledger.closeOpen());
  const said = (content.parts ?? []).flatMap((part) => toAssistantParts(part, draft));
  if (said.length === 0) return;
  const last = draft.prompt.at(-1);
  if (last?.role === 'assistant') last.content.push(...said);
  else draft.prompt.push({ role: 'assistant', content: said });
}

function toAssistantParts(part: Part, { ledger, dialect }: Draft): AssistantContent {
  const { functionCall, inlineData, thoughtSignature } = part;
  const providerOptions = thoughtSignature === undefined ? undefined : dialect.writeSignature(thoughtSignature);
  const signed = providerOptions === undefined ? {} : { providerOptions };
  if (functionCall !== undefined) return [{ ...ledger.open(functionCall), ...signed }];
  if (inlineData?.data !== undefined) return toAssistantFile(inlineData, dialect, signed);
  const text = part.text ?? part.executableCode?.code ?? part.codeExecutionResult?.output ?? '';
  if (part.thought === true) return providerOptions === undefined ? [] : [{ type: 'reasoning', text, ...signed }];
  // Vendors refuse text blocks without text.
  return text.trim() === '' && providerOptions === undefined ? [] : [{ type: 'text', text, ...signed }];
}

function toAssistantFile(
  { data = '', mimeType = 'application/octet-stream' }: Blob,
  dialect: Dialect,
  signed: { providerOptions?: SharedV4ProviderOptions },
): AssistantContent {
  if (dialect.files.text !== 'file') return [{ type: 'text', text: `[file: ${mimeType}]` }];
  return [{ type: 'file', mediaType: mimeType, data: { type: 'data', data: toStandardBase64(data) }, ...signed }];
}

function addUser(draft: Draft, content: Content): void {
  const answers: ToolContent = [];
  const said: UserContent = [];
  for (const part of content.parts ?? []) {
    if (part.functionResponse === undefined) said.push(...toUserPart(part, draft.dialect.files));
    else addAnswer(part.functionResponse, { answers, said, draft });
  }
  addTool(draft, answers);
  if (said.length === 0) return;
  addTool(draft, draft.ledger.closeOpen());
  draft.prompt.push({ role: 'user', content: said });
}

function addAnswer(
  response: FunctionResponse,
  { answers, said, draft: { ledger, dialect } }: { answers: ToolContent; said: UserContent; draft: Draft },
): void {
  const { rest, images } = splitImages(response.response ?? {});
  const within = dialect.files.inAnswers ? images : [];
  const answer = ledger.answer(response, rest, within);
  if (answer !== undefined) answers.push(answer);
  else said.push({ type: 'text', text: `${response.name ?? 'A tool'} answered: ${JSON.stringify(rest)}` });
  if (answer === undefined || !dialect.files.inAnswers) said.push(...images);
}

/** Adds answers to the tool message under construction, or starts one. */
function addTool({ prompt }: Draft, answers: ToolContent): void {
  if (answers.length === 0) return;
  const last = prompt.at(-1);
  if (last?.role === 'tool') last.content.push(...answers);
  else prompt.push({ role: 'tool', content: answers });
}

function textOf(instruction: ContentUnion | undefined): string {
  if (instruction === undefined) return '';
  if (typeof instruction === 'string') return instruction;
  if (Array.isArray(instruction)) return instruction.map((part) => textOf(part)).join('\n\n');
  if ('parts' in instruction) return (instruction.parts ?? []).map((part) => part.text ?? '').join('\n\n');
  return 'text' in instruction ? (instruction.text ?? '') : '';
}
