import { basename } from 'node:path';
import type { Content, Part } from '@agentmesh/client';
import mime from 'mime';
import { readStdin } from '../terminal/ask.ts';
import { UsageError } from '../terminal/exit-code.ts';
import { readNamed } from '../terminal/named-file.ts';

export interface MessageOptions {
  /** Paths of files that go with the text. */
  readonly file: readonly string[];
  /** A whole content as JSON, in place of a text. */
  readonly message?: string;
}

/** The message that a person typed: a text or `-` for that of stdin, with files, or a content as JSON. */
export async function messageOf(text: string | undefined, { file, message }: MessageOptions): Promise<Content> {
  const files = file.map(partOf);
  if (message !== undefined) {
    if (text !== undefined) throw new UsageError('Give a text or --message, not both.');
    const content = contentOf(message);
    return { ...content, parts: [...(content.parts ?? []), ...files] };
  }
  if (text === undefined && files.length === 0) throw new UsageError('Give a text, --file or --message.');
  const said = text === '-' ? await readStdin() : text;
  return { role: 'user', parts: [...(said === undefined ? [] : [{ text: said }]), ...files] };
}

function partOf(path: string): Part {
  const data = readNamed(path).toString('base64');
  const mimeType = mime.getType(path) ?? 'application/octet-stream';
  return { inlineData: { data, mimeType, displayName: basename(path) } };
}

function contentOf(json: string): Content {
  try {
    const content = JSON.parse(json) as Content;
    if (Array.isArray(content.parts)) return { role: 'user', ...content };
  } catch {
    // Told below.
  }
  throw new UsageError(`--message is no content as JSON, such as '{"parts": [{"text": "Hello"}]}'.`);
}
