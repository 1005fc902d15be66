import { fileTypeFromBuffer } from 'file-type';

/** A container or codec that recordings may have. */
export interface AudioFormat {
  /** Extension of a file name, without the dot. OpenAI's API takes the format from it. */
  readonly extension: string;
  readonly mimeType: string;
}

/** Most bytes that `file-type` needs to recognise a format. */
export const headBytes = 4100;

const formats: Readonly<Record<string, AudioFormat>> = {
  webm: { extension: 'webm', mimeType: 'audio/webm' },
  ogg: { extension: 'ogg', mimeType: 'audio/ogg' },
  mp4: { extension: 'mp4', mimeType: 'audio/mp4' },
  m4a: { extension: 'm4a', mimeType: 'audio/mp4' },
  wav: { extension: 'wav', mimeType: 'audio/wav' },
  flac: { extension: 'flac', mimeType: 'audio/flac' },
  mp3: { extension: 'mp3', mimeType: 'audio/mpeg' },
  aac: { extension: 'aac', mimeType: 'audio/aac' },
};

/** Other names that `file-type` gives to these containers: by the codec inside, or because they may hold video too. */
const sameContainer: Readonly<Record<string, string>> = {
  opus: 'ogg',
  oga: 'ogg',
  ogv: 'ogg',
  ogx: 'ogg',
  spx: 'ogg',
  m4v: 'mp4',
  m4b: 'm4a',
};

export const formatNames: readonly string[] = Object.keys(formats);

/** First bytes of containers, as hexadecimal digits. `file-type` wants more of the header, which short recordings may not have. */
const beginnings: readonly (readonly [string, string])[] = [
  ['1a45dfa3', 'webm'],
  ['4f676753', 'ogg'],
  ['494433', 'mp3'],
];

/**
 * The format that the first bytes of a file show; undefined when it is none of `formatNames`. A file that only begins as one is taken for
 * it: the speech server then judges whether it can be read.
 */
export async function formatOf(head: Uint8Array): Promise<AudioFormat | undefined> {
  const found = await fileTypeFromBuffer(head);
  const extension = found?.ext ?? beginningOf(head) ?? '';
  return formats[sameContainer[extension] ?? extension];
}

function beginningOf(head: Uint8Array): string | undefined {
  const digits = Buffer.from(head.subarray(0, 4)).toString('hex');
  return beginnings.find(([beginning]) => digits.startsWith(beginning))?.[1];
}
