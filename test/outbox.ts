import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { readMail, tokenIn } from './fakes/smtp-sink.ts';

/** The token of the newest mail to an address under `DATA_DIR/outbox`, once there are `count` of them. */
export async function mailedToken(dataDir: string, address: string, count = 1): Promise<string> {
  let tokens: string[] = [];
  const look = async (): Promise<number> => {
    tokens = await mailedTokens(dataDir, address);
    return tokens.length;
  };
  await expect.poll(look).toBeGreaterThanOrEqual(count);
  return tokens.at(-1) ?? '';
}

async function mailedTokens(dataDir: string, address: string): Promise<string[]> {
  const folder = join(dataDir, 'outbox');
  const files = await readdir(folder).catch(() => []);
  const written = files.filter((file) => file.endsWith('.eml')).map((file) => readFile(join(folder, file)));
  const mails = await Promise.all((await Promise.all(written)).map(readMail));
  return mails
    .filter((mail) => mail.to?.some((to) => to.address === address))
    .toSorted((a, b) => (a.date ?? '').localeCompare(b.date ?? ''))
    .map(tokenIn);
}
