import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** A commit as far as its form can be checked. */
export interface Commit {
  /** Abbreviated hash. */
  readonly id: string;
  readonly subject: string;
  /** Text behind the subject; empty for none. */
  readonly body: string;
  /** Lines of code that it adds and removes. Documents, generated files and files that only move do not count. */
  readonly codeLines: number;
}

const longestSubject = 72;
/** A smaller change of code may be clear from its subject. */
const mostLinesWithoutWhy = 20;

const isCode = /\.(ts|mts|mjs|js|sql|proto|tpl)$/;
const isGenerated = /(^|\/)gen\//;
/** `Signed-off-by: …` and the like do not say why. */
const trailer = /^[A-Z][\w-]*-by: /;

/** Returns what is wrong with the form of a commit's message, as sentences; empty for nothing. */
export function faultsOf({ id, subject, body, codeLines }: Commit): string[] {
  const why = body.split('\n').some((line) => line.trim() !== '' && !trailer.test(line));
  const found = [
    [subject.length > longestSubject, `has ${subject.length} characters, and at most ${longestSubject} are shown`],
    [subject.endsWith('.'), 'ends with a period'],
    [codeLines > mostLinesWithoutWhy && !why, `changes ${codeLines} lines of code, and no body says why`],
  ] as const;
  return found.flatMap(([isWrong, fault]) => (isWrong ? [`${id} '${subject}' ${fault}`] : []));
}

/**
 * Reads the commits that the default branch does not have yet, without merges: those since `origin/main`, or `main` where there is no remote. Undefined
 * where neither is known, as in a shallow clone.
 */
export async function readCommits(folder: string): Promise<Commit[] | undefined> {
  const known = await Promise.all(['origin/main', 'main'].map((branch) => git(folder, 'merge-base', branch, 'HEAD')));
  const base = known.find((it) => it !== undefined)?.trim();
  if (base === undefined) return undefined;
  const log = await git(
    folder,
    'log',
    '--no-merges',
    '-M',
    '--numstat',
    '--format=%x1e%h%x1f%s%x1f%b%x1f',
    `${base}..HEAD`,
  );
  return (log ?? '').split('\x1e').slice(1).map(toCommit);
}

function toCommit(record: string): Commit {
  const [id = '', subject = '', body = '', changes = ''] = record.split('\x1f');
  const codeLines = changes.split('\n').reduce((sum, line) => sum + codeLinesOf(line), 0);
  return { id, subject, body, codeLines };
}

/** A line of `--numstat`: lines added, lines removed, path. */
function codeLinesOf(line: string): number {
  const [added = '', removed = '', path = ''] = line.split('\t');
  // A file that moves has the path `{old => new}/name.ts`.
  return isCode.test(path.replace(/\}$/, '')) && !isGenerated.test(path) ? Number(added) + Number(removed) : 0;
}

/** The output of git; undefined when it fails. */
async function git(folder: string, ...args: string[]): Promise<string | undefined> {
  const run = promisify(execFile)('git', args, { cwd: folder, maxBuffer: 64 * 1024 * 1024 });
  return run.then(
    ({ stdout }) => stdout,
    () => undefined,
  );
}
