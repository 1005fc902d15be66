import type { ComponentChildren } from 'preact';
import { Copy } from '../copy.tsx';
import { inline } from './inline.tsx';

/** Markdown of an agent as elements. HTML in it stays text, and links lead to web pages and mail only. */
export function Markdown({ text }: { readonly text: string }) {
  return (
    <div class="prose" dir="auto">
      {blocks(text.replaceAll('\r\n', '\n').split('\n'))}
    </div>
  );
}

interface Reader {
  readonly lines: readonly string[];
  at: number;
}

const starts = {
  fence: /^\s*(```|~~~)\s*([\w+-]*)/,
  heading: /^(#{1,6})\s+(.*)$/,
  rule: /^\s*([-*_])(\s*\1){2,}\s*$/,
  item: /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/,
  quote: /^\s*>\s?(.*)$/,
  tableRule: /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/,
};

function blocks(lines: readonly string[]): ComponentChildren[] {
  const reader: Reader = { lines, at: 0 };
  const made: ComponentChildren[] = [];
  while (reader.at < lines.length) {
    if ((lines[reader.at] ?? '').trim() === '') reader.at += 1;
    else made.push(block(reader));
  }
  return made;
}

function block(reader: Reader): ComponentChildren {
  const line = reader.lines[reader.at] ?? '';
  if (starts.fence.test(line)) return fence(reader);
  const heading = starts.heading.exec(line);
  if (heading !== null) {
    reader.at += 1;
    return <p class={`heading h${heading[1]?.length ?? 1}`}>{inline(heading[2] ?? '')}</p>;
  }
  if (starts.rule.test(line)) {
    reader.at += 1;
    return <hr />;
  }
  if (starts.quote.test(line))
    return <blockquote>{blocks(take(reader, (it) => starts.quote.exec(it)?.[1]))}</blockquote>;
  if (starts.item.test(line)) return list(reader);
  if (line.includes('|') && starts.tableRule.test(reader.lines[reader.at + 1] ?? '')) return table(reader);
  return paragraph(reader);
}

function fence(reader: Reader): ComponentChildren {
  const [, mark = '```', language = ''] = starts.fence.exec(reader.lines[reader.at] ?? '') ?? [];
  reader.at += 1;
  const code = take(reader, (line) => (line.trim().startsWith(mark) ? undefined : line)).join('\n');
  reader.at += 1;
  return (
    <div class="fence" dir="ltr">
      <div class="fence-head">
        <span>{language}</span>
        <Copy text={code} />
      </div>
      <pre tabIndex={0}>{code}</pre>
    </div>
  );
}

function list(reader: Reader): ComponentChildren {
  const [, indent = '', mark = ''] = starts.item.exec(reader.lines[reader.at] ?? '') ?? [];
  const isOrdered = /\d/.test(mark);
  const items: string[][] = [];
  while (reader.at < reader.lines.length) {
    const line = reader.lines[reader.at] ?? '';
    const item = starts.item.exec(line);
    if (item !== null && (item[1] ?? '').length <= indent.length) items.push([item[3] ?? '']);
    else if (line.trim() === '' ? !goesOn(reader, indent.length) : item === null && !/^\s/.test(line)) break;
    else items.at(-1)?.push(line.slice(Math.min(indent.length + 2, line.length - line.trimStart().length)));
    reader.at += 1;
  }
  const rows = items.map((lines, index) => (
    <li key={index}>{lines.length === 1 ? inline(lines[0] ?? '') : itemOf(lines)}</li>
  ));
  return isOrdered ? <ol start={Number.parseInt(mark, 10)}>{rows}</ol> : <ul>{rows}</ul>;
}

function itemOf([first = '', ...rest]: readonly string[]): ComponentChildren {
  return [inline(first), ...blocks(rest)];
}

/** Whether the list goes on behind an empty line. */
function goesOn({ lines, at }: Reader, indent: number): boolean {
  const next = lines[at + 1] ?? '';
  return starts.item.test(next) || (next.trim() !== '' && next.length - next.trimStart().length > indent);
}

function table(reader: Reader): ComponentChildren {
  const [head = [], , ...rows] = take(reader, (line) => (line.includes('|') ? line : undefined)).map(cellsOf);
  return (
    <div class="scroll">
      <table class="table">
        <thead>
          <tr>
            {head.map((cell, index) => (
              <th key={index}>{inline(cell)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, index) => (
                <td key={index}>{inline(cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function cellsOf(line: string): string[] {
  return line
    .trim()
    .replace(/^\||\|$/g, '')
    .split('|')
    .map((cell) => cell.trim());
}

function paragraph(reader: Reader): ComponentChildren {
  const isOther = (line: string): boolean =>
    line.trim() === '' || [starts.fence, starts.heading, starts.quote, starts.item].some((start) => start.test(line));
  const first = reader.lines[reader.at] ?? '';
  reader.at += 1;
  const lines = [first, ...take(reader, (line) => (isOther(line) ? undefined : line))];
  return (
    <p>{lines.flatMap((line, index) => (index === 0 ? inline(line) : [<br key={`br${index}`} />, ...inline(line)]))}</p>
  );
}

/** Takes lines as long as `read` answers a text for them. */
function take(reader: Reader, read: (line: string) => string | undefined): string[] {
  const taken: string[] = [];
  for (; reader.at < reader.lines.length; reader.at += 1) {
    const text = read(reader.lines[reader.at] ?? '');
    if (text === undefined) break;
    taken.push(text);
  }
  return taken;
}
