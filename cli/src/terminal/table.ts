export interface TableOptions {
  /** Names of fields, in order. */
  readonly columns: readonly string[];
  /** Most characters of a line. The last column is cut. */
  readonly width: number;
}

const gap = '  ';

/** Lines of a table with a heading. */
export function printTable(rows: readonly object[], { columns, width }: TableOptions): string[] {
  const cells = rows.map((row) => columns.map((column) => cellOf(column, (row as Record<string, unknown>)[column])));
  const lines = [columns.map(headingOf), ...cells];
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  return lines.map((line) =>
    line
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join(gap)
      .trimEnd()
      .slice(0, width),
  );
}

/** `invocationId` and `agent_id` as headings: `INVOCATION ID`, `AGENT ID`. */
function headingOf(column: string): string {
  return column
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toUpperCase();
}

/** Records of runs have times in Unix seconds. */
function cellOf(column: string, value: unknown): string {
  if (value === undefined || value === null) return '-';
  if (typeof value === 'number' && column.endsWith('Time')) return new Date(value * 1000).toISOString().slice(0, 19);
  return textOf(value).replaceAll(/\p{Cc}+/gu, ' ');
}

/** A value in one line. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
