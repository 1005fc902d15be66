import { mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { type Post, PostError } from './post.ts';

/** Writes mail as `<id>.eml` into a folder that only this account reads. Written again, it is the same file. */
export function createFilePost(folder: string): Post {
  return {
    async send(message, { id }) {
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        const path = join(folder, `${id}.eml`);
        await using file = await open(`${path}.part`, 'w', 0o600);
        await file.writeFile(message);
        await file.sync();
        await rename(`${path}.part`, path);
      } catch (error) {
        throw new PostError('later', 'the mail could not be written to DATA_DIR/outbox', { cause: error });
      }
    },
  };
}
