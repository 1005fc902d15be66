import { readFile } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import Type from 'typebox';
import { AppFilesError } from '../../../definition/mistake.ts';
import { schemaMistakes } from '../../../definition/schema-mistakes.ts';

/** File of an app that says in `key` what its code may do. */
const [file, key] = ['package.json', 'agentmesh'];
/** Variables that programs need and that are no secrets. Proxies may hold passwords, so `RUNS_CODE_ENV` names them. */
const plain = /^(PATH|HOME|USER|LANG|LC_\w+|TZ|TMPDIR|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR))$/;

const texts = Type.Optional(Type.Array(Type.String({ minLength: 1 }), { maxItems: 100 }));
const Asked = Type.Object(
  {
    env: texts,
    read: texts,
    write: texts,
    childProcesses: Type.Optional(Type.Boolean()),
    addons: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);

/** Rights of the code of an app beyond reading its folder and its modules. */
export interface WorkerRights {
  readonly env: Readonly<Record<string, string>>;
  /** Files and folders, absolute. */
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly childProcesses: boolean;
  /** Modules in machine code, which nothing keeps from anything. */
  readonly addons: boolean;
}

/**
 * The rights that the app in `folder` asks for. `given`: variables that the operator gives to code, by name; undefined when they are not set. Throws AppFilesError with the
 * mistakes of its author, and for a variable that is not given.
 */
export async function readWorkerRights(
  folder: string,
  given: Readonly<Record<string, string | undefined>>,
): Promise<WorkerRights> {
  const asked = await readAsked(folder);
  const names = asked.env ?? [];
  const refused = names.filter((name) => !(plain.test(name) || Object.hasOwn(given, name)));
  const reason = 'is given to no code: the setting RUNS_CODE_ENV does not name it';
  if (refused.length > 0) throw new AppFilesError(refused.map((name) => mistake('env', `"${name}" ${reason}`)));
  const values = names.map((name) => [name, Object.hasOwn(given, name) ? given[name] : process.env[name]] as const);
  const paths = (list: readonly string[] = []): string[] =>
    list.map((path) => (isAbsolute(path) ? path : resolve(folder, path)));
  return {
    env: Object.fromEntries(values.filter((entry): entry is [string, string] => entry[1] !== undefined)),
    read: paths(asked.read),
    write: paths(asked.write),
    childProcesses: asked.childProcesses ?? false,
    addons: asked.addons ?? false,
  };
}

async function readAsked(folder: string): Promise<Type.Static<typeof Asked>> {
  const text = await readFile(join(folder, file), 'utf8').catch(() => undefined);
  if (text === undefined) return {};
  const asked = askedOf(text);
  if (asked === undefined) return {};
  const mistakes = schemaMistakes(Asked, asked).map(({ path, reason }) => mistake(path.join('.'), reason));
  if (mistakes.length > 0) throw new AppFilesError(mistakes);
  return asked as Type.Static<typeof Asked>;
}

/** Undefined without the key. Node itself refuses a file that is no JSON when it needs it. */
function askedOf(text: string): unknown {
  try {
    const content: unknown = JSON.parse(text);
    return typeof content === 'object' && content !== null ? Reflect.get(content, key) : undefined;
  } catch {
    return undefined;
  }
}

function mistake(path: string, reason: string) {
  return { file, key: path === '' ? key : `${key}.${path}`, reason };
}
