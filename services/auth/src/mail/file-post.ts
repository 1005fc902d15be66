import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Post, PostError } from './post.ts';

const keptMs = 30 * 24 * 3_600_000;

/** Writes mail as `<id>.eml` into a folder that only this operating-system user can read. Sending a mail again overwrites its file. */
export function createFilePost(folder: string): Post {
  const pathOf = (id: string): string => join(folder, `${id}.eml`);
  return {
    async send(message, { id }) {
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await using file = await open(`${pathOf(id)}.part`, 'w', 0o600);
        await file.writeFile(message);
        await file.sync();
        await rename(`${pathOf(id)}.part`, pathOf(id));
      } catch (error) {
        throw new PostError('later', 'the mail could not be written to DATA_DIR/outbox', { cause: error });
      }
    },
    async withdraw(ids) {
      await Promise.all(ids.map((id) => rm(pathOf(id), { force: true })));
    },
    async purge() {
      const names = await readdir(folder).catch(() => []);
      for (const path of names.map((name) => join(folder, name))) {
        const written = await stat(path).catch(() => undefined);
        if (written !== undefined && Date.now() - written.mtimeMs > keptMs) await rm(path, { force: true });
      }
    },
  };
}
