import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { readMail, tokenIn } from './fakes/smtp-sink.ts';

/** Waits for the mail to an address in `DATA_DIR/outbox` that links to a page, and returns the token in the link. */
export async function mailedToken(
  dataDir: string,
  address: string,
  page: 'auth/verify-email' | 'auth/reset-password' | 'run-answers',
): Promise<string> {
  let tokens: string[] = [];
  const look = async (): Promise<number> => {
    tokens = await mailedTokens(dataDir, address, page);
    return tokens.length;
  };
  await expect.poll(look).toBe(1);
  return tokens[0] ?? '';
}

async function mailedTokens(dataDir: string, address: string, page: string): Promise<string[]> {
  const folder = join(dataDir, 'outbox');
  const files = await readdir(folder).catch(() => []);
  const written = files.filter((file) => file.endsWith('.eml')).map((file) => readFile(join(folder, file)));
  const mails = await Promise.all((await Promise.all(written)).map(readMail));
  const isIt = (mail: (typeof mails)[number]): boolean =>
    mail.to?.some((to) => to.address === address) === true && mail.text?.includes(`/${page}?`) === true;
  return mails.filter(isIt).map(tokenIn);
}
