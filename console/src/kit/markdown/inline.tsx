import type { ComponentChildren } from 'preact';

const spans =
  /(`+)(.+?)\1|\*\*(.+?)\*\*|__(.+?)__|\*([^*\s][^*]*)\*|~~(.+?)~~|\[([^\]]+)\]\(([^)\s]+)\)|(https?:\/\/[^\s<>()]+[^\s<>().,;:!?'"])/g;

/** Emphasis, code and links of one line. */
export function inline(text: string): ComponentChildren[] {
  const made: ComponentChildren[] = [];
  let end = 0;
  for (const found of text.matchAll(spans)) {
    if (found.index > end) made.push(text.slice(end, found.index));
    made.push(span(found));
    end = found.index + found[0].length;
  }
  if (end < text.length) made.push(text.slice(end));
  return made;
}

function span([all, , code, strong, strongToo, slanted, struck, label, to, bare]: RegExpMatchArray): ComponentChildren {
  if (code !== undefined) return <code>{code}</code>;
  const bold = strong ?? strongToo;
  if (bold !== undefined) return <strong>{inline(bold)}</strong>;
  if (slanted !== undefined) return <em>{inline(slanted)}</em>;
  if (struck !== undefined) return <s>{inline(struck)}</s>;
  const target = to ?? bare ?? '';
  if (!/^(https?:\/\/|mailto:)/i.test(target)) return all;
  return (
    <a href={target} target="_blank" rel="noreferrer noopener">
      {label ?? target}
    </a>
  );
}
