import { execFileSync } from 'node:child_process';

/**
 * Callers that methods of the folder `before` name and those of `after` do not, as sentences: a service that is still deployed would be refused. A method that was marked `deprecated` may lose
 * its callers, and so may one that is gone, which `buf breaking` judges.
 */
export function lostCallers(buf: string, before: string, after: string): string[] {
  const [was, is] = [callersIn(buf, before), callersIn(buf, after)];
  return [...was].flatMap(([name, { callers, isDeprecated }]) => {
    const now = is.get(name)?.callers;
    if (isDeprecated || now === undefined) return [];
    const lost = callers.filter((caller) => !now.includes(caller));
    return lost.map(
      (caller) => `${name} lost its caller ${caller}: mark the method as deprecated first, for one release`,
    );
  });
}

/**
 * Services that read or consumed a topic of the folder `before` and do not in `after`, as sentences, unless `former_readers` names them: their processes are still deployed, and their durable
 * consumers keep messages.
 */
export function lostReaders(buf: string, before: string, after: string): string[] {
  const is = new Map(topicsIn(buf, after).map((topic) => [topic.name, topic]));
  return topicsIn(buf, before).flatMap(({ name, readers, consumers }) => {
    const now: Omit<Topic, 'name'> = is.get(name) ?? { readers: [], consumers: [], former: [] };
    const lost = (had: readonly string[], has: readonly string[]) =>
      had.filter((word) => !has.includes(word) && !now.former.includes(word));
    const words = new Set([...lost(readers, now.readers), ...lost(consumers, now.consumers)]);
    return Array.from(words, (word) => `${name} lost its reader ${word}: name it in former_readers of the topic`);
  });
}

interface Topic {
  readonly name: string;
  readonly readers: readonly string[];
  readonly consumers: readonly string[];
  readonly former: readonly string[];
}

interface Callable {
  readonly callers: readonly string[];
  readonly isDeprecated: boolean;
}

interface Described {
  readonly name: string;
  readonly options?: Readonly<Record<string, unknown>>;
}

interface Image {
  readonly file: readonly {
    readonly package?: string;
    readonly messageType?: readonly Described[];
    readonly service?: readonly (Described & { readonly method?: readonly Described[] })[];
  }[];
}

function imageOf(buf: string, folder: string): Image {
  const args = ['build', folder, '--as-file-descriptor-set', '-o', '-#format=json'];
  return JSON.parse(execFileSync(buf, args, { encoding: 'utf8', maxBuffer: 2 ** 27 })) as Image;
}

function topicsIn(buf: string, folder: string): Topic[] {
  return imageOf(buf, folder).file.flatMap(({ package: name = '', messageType = [] }) =>
    messageType.map(({ name: message, options = {} }) => ({
      name: `${name}.${message}`,
      readers: listOf(options['[agentmesh.mesh.v1.readers]']),
      consumers: listOf(options['[agentmesh.mesh.v1.consumers]']),
      former: listOf(options['[agentmesh.mesh.v1.former_readers]']),
    })),
  );
}

function callersIn(buf: string, folder: string): Map<string, Callable> {
  const { file } = imageOf(buf, folder);
  return new Map(
    file.flatMap(({ package: name = '', service = [] }) =>
      service.flatMap((one) =>
        (one.method ?? []).map((method) => [`${name}.${one.name}/${method.name}`, callable(one, method)] as const),
      ),
    ),
  );
}

function callable(service: Described, { options = {} }: Described): Callable {
  const own = listOf(options['[agentmesh.mesh.v1.callers]']);
  const callers = own.length > 0 ? own : listOf(service.options?.['[agentmesh.mesh.v1.default_callers]']);
  return { callers: callers.filter((caller) => caller !== 'none'), isDeprecated: options['deprecated'] === true };
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
