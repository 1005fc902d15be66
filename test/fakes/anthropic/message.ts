import type { FakeBlock, FakeMessage } from './answer.ts';
import { redact, signThought } from './signature.ts';

const counts = { input_tokens: 11, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };

/** The body of an answer that is not streamed. */
export function messageBody(answer: FakeMessage, model: string): object {
  const usage = { ...counts, output_tokens: 7, ...answer.usage };
  return { ...envelope(model), content: answer.blocks.map(wholeBlock), stop_reason: stopReasonOf(answer), usage };
}

/** The frames of a streamed answer, in the vendor's order. */
export function messageFrames(answer: FakeMessage, model: string): string[] {
  const usage = { ...counts, ...answer.usage, output_tokens: 1 };
  const delta = { stop_reason: stopReasonOf(answer), stop_sequence: null };
  const end =
    answer.thenError === undefined
      ? [{ type: 'message_delta', delta, usage: { output_tokens: 7, ...answer.usage } }, { type: 'message_stop' }]
      : [{ type: 'error', error: answer.thenError }];
  return [
    { type: 'message_start', message: { ...envelope(model), content: [], stop_reason: null, usage } },
    { type: 'ping' },
    ...answer.blocks.flatMap(blockEvents),
    ...end,
  ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

function envelope(model: string): object {
  return { id: 'msg_1', type: 'message', role: 'assistant', model, stop_sequence: null };
}

function stopReasonOf({ stopReason, blocks }: FakeMessage): string {
  return stopReason ?? (blocks.some((block) => 'call' in block) ? 'tool_use' : 'end_turn');
}

function wholeBlock(block: FakeBlock): object {
  if ('text' in block) return { type: 'text', text: join(block.text), citations: null };
  if ('thinking' in block) {
    const thinking = join(block.thinking);
    return { type: 'thinking', thinking, signature: signThought(thinking) };
  }
  if ('redacted' in block) return { type: 'redacted_thinking', data: redact(block.redacted) };
  const { input } = block.call;
  return { type: 'tool_use', ...block.call, input: typeof input === 'string' ? JSON.parse(input) : input };
}

function blockEvents(block: FakeBlock, index: number): { type: string }[] {
  const [start, ...deltas] = blockPieces(block);
  return [
    { type: 'content_block_start', index, content_block: start },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ] as { type: string }[];
}

/** The empty block of the start event, then the deltas that fill it. */
function blockPieces(block: FakeBlock): object[] {
  if ('text' in block) {
    return [{ type: 'text', text: '' }, ...pieces(block.text).map((text) => ({ type: 'text_delta', text }))];
  }
  if ('thinking' in block) {
    return [
      { type: 'thinking', thinking: '', signature: '' },
      ...pieces(block.thinking).map((thinking) => ({ type: 'thinking_delta', thinking })),
      { type: 'signature_delta', signature: signThought(join(block.thinking)) },
    ];
  }
  if ('redacted' in block) return [{ type: 'redacted_thinking', data: redact(block.redacted) }];
  const { id, name, input } = block.call;
  const text = typeof input === 'string' ? input : JSON.stringify(input);
  const half = Math.ceil(text.length / 2);
  const fragments = ['', text.slice(0, half), text.slice(half)];
  return [
    { type: 'tool_use', id, name, input: {} },
    ...fragments.map((fragment) => ({ type: 'input_json_delta', partial_json: fragment })),
  ];
}

function pieces(text: string | readonly string[]): readonly string[] {
  return typeof text === 'string' ? [text] : text;
}

function join(text: string | readonly string[]): string {
  return pieces(text).join('');
}
