import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';

// Loaded before the program (`--import`): writes the modules that its main thread has loaded by its end to a file in `LOADED_DIR` with the name of its service.

const dir = process.env['LOADED_DIR'];
if (isMainThread && dir !== undefined) listInto(dir);

function listInto(dir: string): void {
  const loaded: string[] = [];
  registerHooks({
    load(url, context, next) {
      loaded.push(url);
      return next(url, context);
    },
  });
  // Modules of Node that others of Node have loaded, for which no hook is called.
  const inside = (): string[] => Reflect.get(process, 'moduleLoadList') as string[];
  process.on('exit', () => {
    writeFileSync(join(dir, `${process.argv.at(-1)}.json`), JSON.stringify([...loaded, ...inside()]));
  });
}
