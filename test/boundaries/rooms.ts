import { dirname, join, sep } from 'node:path';

/**
 * Folders that have folders, each with the names of what it holds, in one order and parted by spaces. An import goes only to what
 * stands before it. A name with `.ts` is a file. The files that a list leaves out stand after its last name: they import everything in
 * the folder, and no listed file or room imports them.
 */
export type RoomLists = Readonly<Record<string, string>>;

/** The reason why `file` may not import `target` by the list of the innermost folder that holds both; undefined when it may. */
export function arrowBack(lists: RoomLists, file: string, target: string): string | undefined {
  const { folder, from, to } = parting(file, target);
  const list = namesOf(lists, folder);
  if (list.length === 0 || from === to) return undefined;
  const [above, below] = [list.indexOf(from), list.indexOf(to)];
  if (above === -1 || (below !== -1 && below < above)) return undefined;
  return `${file} of ${from} imports ${target} of ${to}, which stands after it`;
}

function namesOf(lists: RoomLists, folder: string): string[] {
  return lists[folder]?.split(' ') ?? [];
}

/** The innermost folder that holds both paths, and the two names in it by which they part. */
function parting(file: string, target: string): { folder: string; from: string; to: string } {
  const [one, other] = [file.split(sep), target.split(sep)];
  let depth = 0;
  while (depth < one.length - 1 && one[depth] === other[depth]) depth += 1;
  return { folder: one.slice(0, depth).join('/'), from: one[depth] ?? '', to: other[depth] ?? '' };
}

/** The folders directly inside each folder that has some, found through the given sources. */
function foldersFound(sources: readonly string[], within: readonly string[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const top of within)
    for (const file of sources.filter((it) => it.startsWith(top + sep)))
      for (let room = dirname(file); room !== top; room = dirname(room))
        found.set(dirname(room), (found.get(dirname(room)) ?? new Set()).add(room));
  return found;
}

/** Differences between the lists and the folders and files that exist, as sentences. */
export function wrongLists(lists: RoomLists, sources: readonly string[], within: readonly string[]): string[] {
  const found = foldersFound(sources, within);
  const known = new Set(sources);
  const unlisted = Array.from(found).flatMap(([folder, rooms]) =>
    Array.from(rooms)
      .filter((room) => !namesOf(lists, folder).includes(room.slice(folder.length + 1)))
      .map((room) => `${room} stands in no list`),
  );
  const missing = Object.keys(lists).flatMap((folder) =>
    namesOf(lists, folder)
      .map((name) => join(folder, name))
      .filter((path) => !known.has(path) && found.get(folder)?.has(path) !== true)
      .map((path) => `${path} is listed and does not exist`),
  );
  return [...unlisted, ...missing];
}

/** Pairs of neighbours in one folder that import each other, at any depth, as `folder: one, other`. */
export function mutualPairs(imports: readonly (readonly [file: string, target: string])[]): string[] {
  const arrows = new Map(
    imports.map(([file, target]) => parting(file, target)).map((it) => [`${it.folder}: ${it.from}, ${it.to}`, it]),
  );
  const isMutual = ({ folder, from, to }: ReturnType<typeof parting>): boolean =>
    from < to && arrows.has(`${folder}: ${to}, ${from}`);
  return Array.from(arrows).flatMap(([pair, arrow]) => (isMutual(arrow) ? [pair] : []));
}
