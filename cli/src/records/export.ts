import { open, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AgentMesh, ForbiddenError, UnauthenticatedError } from '@agentmesh/client';
import type { Command } from 'commander';
import { sessionOf } from '../setup/session.ts';
import { ask } from '../terminal/ask.ts';
import { writeNamed } from '../terminal/named-file.ts';
import type { Output } from '../terminal/output.ts';

/** `agentmesh export`. */
export function addExport(program: Command): void {
  program
    .command('export')
    .description('write everything that the account has to a file, or to stdout, as lines of JSON')
    .argument('[file]', 'a file that does not exist yet')
    .action(async (file: string | undefined, _: object, command: Command) => {
      const { mesh, output, url } = sessionOf(command, { needsToken: false });
      if (file === undefined)
        return pipeline(Readable.from(await openExport(mesh, url)), process.stdout, { end: false });
      // A name that cannot be used is told before a password is asked for.
      const target = await writeNamed(file, () => open(file, 'wx', 0o600));
      try {
        const lines = await openExport(mesh, url);
        await pipeline(Readable.from(counted(lines, output)), target.createWriteStream());
      } catch (error) {
        await target.close();
        await rm(file);
        throw error;
      }
    });
}

/** Personal tokens, as `login` keeps them, do not open an export: the account's owner signs in for it. */
async function openExport(mesh: AgentMesh, url: string): Promise<AsyncGenerator<string>> {
  try {
    return await begun(mesh.account.export());
  } catch (error) {
    if (!(error instanceof ForbiddenError || error instanceof UnauthenticatedError)) throw error;
    const owner = new AgentMesh({ url });
    await owner.account.signIn({ email: await ask('E-mail address: '), password: await ask('Password: ', true) });
    return begun(owner.account.export());
  }
}

/** The lines with their ends, once the first has come. */
async function begun(lines: AsyncGenerator<string>): Promise<AsyncGenerator<string>> {
  const first = await lines.next();
  return (async function* () {
    if (first.done !== true) yield `${first.value}\n`;
    for await (const line of lines) yield `${line}\n`;
  })();
}

/** Tells a person how much has come. */
async function* counted(lines: AsyncIterable<string>, output: Output): AsyncGenerator<string> {
  let [records, bytes] = [0, 0];
  for await (const line of lines) {
    records += 1;
    bytes += Buffer.byteLength(line);
    if (output.isTerminal && records % 1_000 === 0) process.stderr.write(`\r${records} records`);
    yield line;
  }
  output.note(`${output.isTerminal ? '\r' : ''}${records} records, ${bytes} bytes.`);
}
