import type { LanguageModelV4FilePart } from '@ai-sdk/provider';

/** The answer of a tool, with its images apart. */
export interface SplitAnswer {
  /** The answer as it was, but for the bytes of its images. */
  readonly rest: Record<string, unknown>;
  readonly images: readonly LanguageModelV4FilePart[];
}

interface ImageBlock {
  readonly type: 'image';
  readonly data: string;
  readonly mimeType: string;
}

/** Takes the images out of the `content` of an answer, as tools of MCP servers give them: a model would read their base64 as text. */
export function splitImages(answer: Record<string, unknown>): SplitAnswer {
  const { content } = answer;
  if (!Array.isArray(content) || !content.some(isImage)) return { rest: answer, images: [] };
  const blocks: readonly unknown[] = content;
  const kept = blocks.map((block) => (isImage(block) ? { type: block.type, mimeType: block.mimeType } : block));
  return { rest: { ...answer, content: kept }, images: blocks.filter(isImage).map(toFile) };
}

function isImage(block: unknown): block is ImageBlock {
  const { type, data, mimeType } = (block ?? {}) as Partial<Record<keyof ImageBlock, unknown>>;
  return type === 'image' && typeof data === 'string' && typeof mimeType === 'string' && /^image\/\w/.test(mimeType);
}

function toFile({ data, mimeType }: ImageBlock): LanguageModelV4FilePart {
  const standard = Buffer.from(data, 'base64').toString('base64');
  return { type: 'file', mediaType: mimeType, data: { type: 'data', data: standard } };
}
