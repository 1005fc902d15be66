import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { Content, ContentUnion, FunctionResponse, Part } from '@google/genai';
import { CallLedger } from './call-ledger.ts';
import { toUserPart } from './to-user-part.ts';

type AssistantContent = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'];
type UserContent = Extract<LanguageModelV4Message, { role: 'user' }>['content'];
type ToolContent = Extract<LanguageModelV4Message, { role: 'tool' }>['content'];

/**
 * A conversation of ADK as a prompt of the AI SDK. ADK takes the ids from calls it named itself, so calls and answers
 * are paired here; vendors want every call answered before anything else is said, so one without an answer gets the
 * answer `pending`. Thoughts are not said back.
 */
export function toPrompt(contents: readonly Content[], systemInstruction?: ContentUnion): LanguageModelV4Prompt {
  const ledger = new CallLedger();
  const prompt: LanguageModelV4Prompt = [];
  const system = textOf(systemInstruction);
  if (system !== '') prompt.push({ role: 'system', content: system });
  for (const content of contents) {
    if (content.role === 'model') addAssistant(prompt, content, ledger);
    else addUser(prompt, content, ledger);
  }
  addTool(prompt, ledger.closeOpen());
  return prompt;
}

function addAssistant(prompt: LanguageModelV4Prompt, content: Content, ledger: CallLedger): void {
  addTool(prompt, ledger.closeOpen());
  const said = (content.parts ?? []).flatMap((part) => toAssistantParts(part, ledger));
  if (said.length > 0) prompt.push({ role: 'assistant', content: said });
}

function toAssistantParts(part: Part, ledger: CallLedger): AssistantContent {
  if (part.functionCall !== undefined) return [ledger.open(part.functionCall)];
  const text = part.text ?? part.executableCode?.code ?? part.codeExecutionResult?.output ?? '';
  return part.thought === true || text === '' ? [] : [{ type: 'text', text }];
}

function addUser(prompt: LanguageModelV4Prompt, content: Content, ledger: CallLedger): void {
  const parts = content.parts ?? [];
  const answers: ToolContent = [];
  const said: UserContent = [];
  for (const part of parts) {
    if (part.functionResponse === undefined) said.push(...toUserPart(part));
    else addAnswer(part.functionResponse, { answers, said, ledger });
  }
  addTool(prompt, answers);
  if (said.length === 0) return;
  addTool(prompt, ledger.closeOpen());
  prompt.push({ role: 'user', content: said });
}

function addAnswer(
  response: FunctionResponse,
  { answers, said, ledger }: { answers: ToolContent; said: UserContent; ledger: CallLedger },
): void {
  const answer = ledger.answer(response);
  if (answer !== undefined) answers.push(answer);
  else
    said.push({
      type: 'text',
      text: `${response.name ?? 'A tool'} answered: ${JSON.stringify(response.response ?? null)}`,
    });
}

/** Adds answers to the tool message that is being written, or begins one. */
function addTool(prompt: LanguageModelV4Prompt, answers: ToolContent): void {
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
