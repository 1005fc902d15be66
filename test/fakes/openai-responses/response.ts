import { type FakeItem, type FakeResponse, seal } from './answer.ts';

const usage = {
  input_tokens: 11,
  input_tokens_details: { cached_tokens: 5 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 3 },
  total_tokens: 18,
};

interface FakeEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The body of an answer that is not streamed. */
export function responseBody(answer: FakeResponse, model: string): object {
  return envelope(model, answer, answer.items.map(wholeItem));
}

/** The frames of a streamed answer, in the vendor's order. */
export function responseFrames(answer: FakeResponse, model: string): string[] {
  const begun = { ...envelope(model, { items: [] }, []), status: 'in_progress', usage: null };
  const whole = responseBody(answer, model);
  const end =
    answer.thenError === undefined
      ? { type: answer.incomplete === undefined ? 'response.completed' : 'response.incomplete', response: whole }
      : { type: 'response.failed', response: { ...whole, status: 'failed', error: answer.thenError } };
  const events: FakeEvent[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...answer.items.flatMap(itemEvents),
    end,
  ];
  return events.map(
    (event, index) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: index })}\n\n`,
  );
}

function envelope(model: string, { incomplete }: FakeResponse, output: object[]): object {
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1_700_000_000,
    status: incomplete === undefined ? 'completed' : 'incomplete',
    error: null,
    incomplete_details: incomplete === undefined ? null : { reason: incomplete },
    model,
    output,
    parallel_tool_calls: true,
    tool_choice: 'auto',
    tools: [],
    usage,
  };
}

function wholeItem(item: FakeItem, index: number): object {
  if ('reasoning' in item) {
    const summary = (item.summary ?? []).map((text) => ({ type: 'summary_text', text }));
    return { id: `rs_${index}`, type: 'reasoning', summary, encrypted_content: seal(item.reasoning) };
  }
  if ('call' in item) {
    const { id, ...call } = item.call;
    return { id: `fc_${index}`, type: 'function_call', status: 'completed', call_id: id, ...call };
  }
  const content = 'text' in item ? outputText(join(item.text)) : { type: 'refusal', refusal: item.refusal };
  return { id: `msg_${index}`, type: 'message', role: 'assistant', status: 'completed', content: [content] };
}

function itemEvents(item: FakeItem, index: number): FakeEvent[] {
  const whole = wholeItem(item, index) as { id: string };
  const at = { item_id: whole.id, output_index: index };
  return [
    { type: 'response.output_item.added', output_index: index, item: emptyItem(item, whole) },
    ...innerEvents(item).map((event) => ({ ...at, ...event })),
    { type: 'response.output_item.done', output_index: index, item: whole },
  ];
}

function emptyItem(item: FakeItem, whole: object): object {
  if ('reasoning' in item) return { ...whole, summary: [], encrypted_content: seal('') };
  if ('call' in item) return { ...whole, status: 'in_progress', arguments: '' };
  return { ...whole, status: 'in_progress', content: [] };
}

function innerEvents(item: FakeItem): FakeEvent[] {
  if ('reasoning' in item) return (item.summary ?? []).flatMap(summaryEvents);
  if ('call' in item) {
    const { arguments: text } = item.call;
    const half = Math.ceil(text.length / 2);
    const type = 'response.function_call_arguments';
    const deltas = [text.slice(0, half), text.slice(half)].map((delta) => ({ type: `${type}.delta`, delta }));
    return [...deltas, { type: `${type}.done`, arguments: text }];
  }
  const part = { content_index: 0 };
  const isText = 'text' in item;
  const kind = isText ? 'output_text' : 'refusal';
  const pieces = isText ? piecesOf(item.text) : [item.refusal];
  const empty = isText ? outputText('') : { type: 'refusal', refusal: '' };
  return [
    { type: 'response.content_part.added', ...part, part: empty },
    ...pieces.map((delta) => ({ type: `response.${kind}.delta`, ...part, delta, ...(isText && { logprobs: [] }) })),
    {
      type: `response.${kind}.done`,
      ...part,
      ...(isText ? { text: join(item.text), logprobs: [] } : { refusal: item.refusal }),
    },
    {
      type: 'response.content_part.done',
      ...part,
      part: isText ? outputText(join(item.text)) : { ...empty, refusal: item.refusal },
    },
  ];
}

function summaryEvents(text: string, index: number): FakeEvent[] {
  const at = { summary_index: index };
  const type = 'response.reasoning_summary';
  return [
    { type: `${type}_part.added`, ...at, part: { type: 'summary_text', text: '' } },
    { type: `${type}_text.delta`, ...at, delta: text },
    { type: `${type}_text.done`, ...at, text },
    { type: `${type}_part.done`, ...at, part: { type: 'summary_text', text } },
  ];
}

function outputText(text: string): object {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

function piecesOf(text: string | readonly string[]): readonly string[] {
  return typeof text === 'string' ? [text] : text;
}

function join(text: string | readonly string[]): string {
  return piecesOf(text).join('');
}
