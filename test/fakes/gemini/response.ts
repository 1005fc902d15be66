import type { FakeBlock, FakeCandidate, FakePart } from './answer.ts';
import { signPart } from './signature.ts';

const counts = { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 };
const details = [{ modality: 'TEXT', tokenCount: 11 }];

/** The body of an answer that is not streamed. */
export function responseBody(answer: FakeCandidate | FakeBlock, model: string): object {
  if ('blockReason' in answer) return blocked(answer, model);
  const parts = answer.parts.flatMap((part) => printPart(part, joined(part)));
  return { ...candidate(parts, endOf(answer)), ...tail(answer, model) };
}

/** The frames of a streamed answer; the vendor ends its lines with CR and LF. */
export function responseFrames(answer: FakeCandidate | FakeBlock, model: string): string[] {
  if ('blockReason' in answer) return [frame(blocked(answer, model))];
  const chunks = answer.parts.flatMap((part) =>
    piecesOf(part).map((piece, index, all) => {
      const isLast = index === all.length - 1;
      return candidate(printPart(isLast ? part : { ...part, signed: false }, piece), {});
    }),
  );
  const envelope = { modelVersion: model, responseId: 'resp_1' };
  const begun = chunks.map((chunk) => frame({ ...chunk, usageMetadata: { promptTokenCount: 11 }, ...envelope }));
  if (answer.thenError !== undefined) return [...begun, frame({ error: answer.thenError })];
  return [...begun, frame({ ...candidate([], endOf(answer)), ...tail(answer, model) })];
}

function frame(body: object): string {
  return `data: ${JSON.stringify(body)}\r\n\r\n`;
}

function tail({ usage }: FakeCandidate, model: string): object {
  const usageMetadata = { ...counts, promptTokensDetails: details, ...usage };
  return { usageMetadata, modelVersion: model, responseId: 'resp_1' };
}

function blocked({ blockReason }: FakeBlock, model: string): object {
  return { promptFeedback: { blockReason }, usageMetadata: { promptTokenCount: 11 }, modelVersion: model };
}

function endOf({ finishReason = 'STOP', finishMessage, groundingMetadata, citationMetadata }: FakeCandidate): object {
  return { finishReason, finishMessage, groundingMetadata, citationMetadata };
}

function candidate(parts: readonly object[], end: object): { candidates: object[] } {
  const content = parts.length === 0 ? { role: 'model' } : { parts, role: 'model' };
  return { candidates: [{ content, ...end, index: 0 }] };
}

function printPart(part: FakePart, text: string): object[] {
  if ('call' in part) {
    const { name, args = {} } = part.call;
    return [
      {
        functionCall: { ...part.call, args },
        ...(part.signed === true && { thoughtSignature: signPart({ name, args }) }),
      },
    ];
  }
  const signature = part.signed === true ? { thoughtSignature: signPart() } : {};
  if ('image' in part) return [{ inlineData: { mimeType: 'image/png', data: part.image }, ...signature }];
  return [{ text, ...('thought' in part && { thought: true }), ...signature }];
}

function piecesOf(part: FakePart): readonly string[] {
  if ('call' in part || 'image' in part) return [''];
  const text = 'text' in part ? part.text : part.thought;
  return typeof text === 'string' ? [text] : text;
}

function joined(part: FakePart): string {
  return piecesOf(part).join('');
}
