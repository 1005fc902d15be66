import { printTable, textOf } from './table.ts';

/** Where the command writes: tables and words for people, JSON for programs. */
export interface Output {
  /** Whether programs read the output (`--json`). */
  readonly isJson: boolean;
  /** Whether a person watches stdout. */
  readonly isTerminal: boolean;
  write(text: string): void;
  line(text: string): void;
  /** A note for people, which is no part of the output. */
  note(text: string): void;
  /** Rows as a table with these columns, or all of them as JSON, one array. */
  rows(rows: readonly object[], columns: readonly string[]): void;
  /** One record, a line for each field, or as JSON. */
  record(record: object): void;
}

export function createOutput(isJson: boolean): Output {
  const isTerminal = process.stdout.isTTY;
  const write = (text: string): void => void process.stdout.write(text);
  const line = (text: string): void => write(`${text}\n`);
  return {
    isJson,
    isTerminal,
    write,
    line,
    note: (text) => void process.stderr.write(`${text}\n`),
    rows: (rows, columns) => {
      if (isJson) line(JSON.stringify(rows, undefined, 2));
      else if (rows.length === 0) process.stderr.write('There are none.\n');
      else
        for (const text of printTable(rows, { columns, width: isTerminal ? process.stdout.columns : Infinity }))
          line(text);
    },
    record: (record) => {
      if (isJson) return line(JSON.stringify(record, undefined, 2));
      const entries = Object.entries(record).filter(([, value]) => value !== undefined && value !== null);
      const width = Math.max(0, ...entries.map(([name]) => name.length));
      for (const [name, value] of entries) line(`${name.padEnd(width)}  ${textOf(value)}`);
    },
  };
}
