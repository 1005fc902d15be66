/** Progress of an export that is being read. */
export interface ExportProgress {
  /** Number of the kind of records that is being read. */
  readonly part: number;
  readonly parts: number;
  readonly records: number;
  readonly bytes: number;
}

const kindOf = /^\{"kind":"(\w+)"/;
/** Lines of this length together become one piece of the file, which the browser may keep on the disk. */
const pieceChars = 1_000_000;
/** Milliseconds between two tellings. */
const tellMs = 100;

/** Reads an export to its end, as a file. */
export async function readExport(
  lines: AsyncIterable<string>,
  onProgress: (progress: ExportProgress) => void,
): Promise<Blob> {
  let [file, piece, chars] = [new Blob(), [] as string[], 0];
  let [records, toldAtMs, part] = [0, 0, 0];
  let kinds: readonly string[] = [];
  for await (const line of lines) {
    const [, kind = ''] = kindOf.exec(line) ?? [];
    if (kind === 'export') kinds = (JSON.parse(line) as { data: { kinds: string[] } }).data.kinds;
    part = Math.max(part, kinds.indexOf(kind));
    piece.push(line, '\n');
    records += 1;
    chars += line.length + 1;
    if (chars >= pieceChars) [file, piece, chars] = [new Blob([file, ...piece]), [], 0];
    if (performance.now() - toldAtMs < tellMs) continue;
    toldAtMs = performance.now();
    onProgress({ part, parts: Math.max(1, kinds.length), records, bytes: file.size + chars });
  }
  return new Blob([file, ...piece], { type: 'application/x-ndjson' });
}
