import Type, { type Static } from 'typebox';
import type { EntryMistake } from '../tool-resolver.ts';

const most = 1_000;

const Summarizer = Type.Object(
  {
    model: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    prompt_template: Type.Optional(Type.String({ maxLength: 20_000 })),
  },
  { additionalProperties: false },
);

/** `events_compaction_config`, with the names that ADK for Python has. Its summarizer is a model and a prompt. */
export const CompactionKeys = Type.Object(
  {
    compaction_interval: Type.Optional(Type.Integer({ minimum: 1, maximum: most })),
    overlap_size: Type.Optional(Type.Integer({ minimum: 0, maximum: most })),
    token_threshold: Type.Optional(Type.Integer({ minimum: 1 })),
    event_retention_size: Type.Optional(Type.Integer({ minimum: 0, maximum: most })),
    summarizer: Type.Optional(Summarizer),
  },
  { additionalProperties: false },
);
export type CompactionKeys = Static<typeof CompactionKeys>;

/** The place of the events in a prompt. */
export const historyMark = '{conversation_history}';

const key = 'events_compaction_config';

/** Keys that ADK wants together. */
const pairs = [
  ['compaction_interval', 'overlap_size'],
  ['token_threshold', 'event_retention_size'],
] as const;

/** The mistakes of `events_compaction_config` that its schema does not find. */
export function checkCompaction(value: unknown): EntryMistake[] {
  if (typeof value !== 'object' || value === null) return [];
  const has = (name: string): boolean => Reflect.get(value, name) !== undefined;
  const lone = pairs.flatMap(([one, other]) => {
    if (has(one) === has(other)) return [];
    const [given, missing] = has(one) ? [one, other] : [other, one];
    return [{ path: [key, missing], reason: `is required with ${given}` }];
  });
  const isIdle = pairs.every((names) => !names.some(has));
  const idle = isIdle
    ? [{ path: [key], reason: `needs ${pairs.map((names) => names.join(' and ')).join(', or ')}` }]
    : [];
  return [...lone, ...idle, ...checkTemplate(value)];
}

function checkTemplate(value: object): EntryMistake[] {
  const { summarizer } = value as { readonly summarizer?: { readonly prompt_template?: unknown } | null };
  const template = summarizer?.prompt_template;
  if (typeof template !== 'string' || template.includes(historyMark)) return [];
  return [{ path: [key, 'summarizer', 'prompt_template'], reason: `must contain ${historyMark}` }];
}

/** The name of the model of its own that a file gives for summaries; undefined when it gives none. */
export function summarizerModel(value: unknown): string | undefined {
  const { events_compaction_config: config } = value as {
    readonly events_compaction_config?: Partial<CompactionKeys> | null;
  };
  const model: unknown = config?.summarizer?.model;
  return typeof model === 'string' ? model : undefined;
}
