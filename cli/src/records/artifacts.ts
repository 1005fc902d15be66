import { createWriteStream } from 'node:fs';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import type { Command } from 'commander';
import mime from 'mime';
import { sessionOf } from '../setup/session.ts';
import { blobOfNamed, writeNamed } from '../terminal/named-file.ts';
import { wholeNumber } from '../terminal/values.ts';

interface PlaceOptions {
  readonly user: string;
}

/** `agentmesh artifacts`. */
export function addArtifacts(program: Command): void {
  const artifacts = program.command('artifacts').description('files of a session');
  const withPlace = (name: string, description: string): Command =>
    artifacts
      .command(name)
      .description(description)
      .argument('<app>')
      .argument('<session>')
      .option('--user <id>', 'the end user', 'user');
  withPlace('list', 'list the names').action(
    async (app: string, session: string, { user }: PlaceOptions, command: Command) => {
      const { mesh, output } = sessionOf(command);
      const names = await mesh.artifacts.list({ app, user, session });
      if (output.isJson) output.rows(names as unknown as object[], []);
      else if (names.length === 0) output.note('There are none.');
      else for (const name of names) output.line(name);
    },
  );
  withPlace('get', 'write an artifact to stdout, or to a file')
    .argument('<name>')
    .option('--output <file>')
    .option('--version <number>', 'the latest by default', wholeNumber(0))
    .action(async (...given: [string, string, string, PlaceOptions & GetOptions, Command]) => {
      const [app, session, name, options, command] = given;
      const { mesh } = sessionOf(command);
      const { user, output: file, ...version } = options;
      const { body } = await mesh.artifacts.download({ app, user, session }, name, version);
      const bytes = Readable.fromWeb(body as ReadableStream);
      if (file === undefined) return pipeline(bytes, process.stdout, { end: false });
      await writeNamed(file, () => pipeline(bytes, createWriteStream(file)));
    });
  withPlace('put', 'store a file as the next version')
    .argument('<file>')
    .option('--name <name>', 'the name of the file by default')
    .option('--type <type>', 'its media type; that of its name by default')
    .action(async (...given: [string, string, string, PlaceOptions & PutOptions, Command]) => {
      const [app, session, file, options, command] = given;
      const { mesh, output } = sessionOf(command);
      const { user, name = basename(file), type } = options;
      const mimeType = type ?? mime.getType(file) ?? undefined;
      const blob = await blobOfNamed(file);
      output.record(await mesh.artifacts.upload({ app, user, session }, name, blob, { mimeType }));
    });
}

interface GetOptions {
  readonly output?: string;
  readonly version?: number;
}

interface PutOptions {
  readonly name?: string;
  readonly type: string;
}
