import type { Content, Part } from '@google/genai';

/** A conversation as the echo model sees it. */
export interface EchoTurn {
  /** The text of the last message a user wrote. */
  readonly message: string;
  /** The answers to the calls made since, in order. */
  readonly responses: readonly unknown[];
}

/** ADK gives an agent other agents' events as a user's content of this form. Answers of tools in it count as answers. */
const retoldStart = 'For context:';
const retoldAnswer = /^\[[^\]]*\] tool `[^`]*` returned result: /;

/** Finds the last message of a user and what has been answered since. */
export function readEchoTurn(contents: readonly Content[]): EchoTurn {
  const responses: unknown[] = [];
  for (let index = contents.length - 1; index >= 0; index -= 1) {
    const content = contents[index];
    const parts = content?.parts ?? [];
    if (isMessage(content)) return { message: textOf(parts), responses: responses.reverse() };
    for (let part = parts.length - 1; part >= 0; part -= 1) addAnswer(responses, parts[part]);
  }
  return { message: '', responses: responses.reverse() };
}

function isMessage(content: Content | undefined): boolean {
  const parts = content?.parts ?? [];
  if (content?.role !== 'user' || parts.length === 0) return false;
  if (parts.length > 1 && parts[0]?.text === retoldStart) return false;
  return parts.every((part) => part.functionResponse === undefined);
}

function addAnswer(responses: unknown[], part: Part | undefined): void {
  if (part?.functionResponse !== undefined) responses.push(part.functionResponse.response);
  else if (part?.text !== undefined && retoldAnswer.test(part.text)) responses.push(undefined);
}

function textOf(parts: readonly Part[]): string {
  if (parts.length === 1) return parts[0]?.text ?? '';
  return parts.map((part) => part.text ?? '').join('');
}
