import { CST, Lexer } from 'yaml';

/** About 1,500 lines. The parser takes milliseconds for each mistake, and more for each further tag or anchor of a value. */
const mostElements = 10_000;
const mostTags = 100;
/** Brackets in brackets, indicators in one line, and columns of indentation. The parser recurses. */
const [mostLevels, mostIndicators, mostColumns] = [64, 64, 200];

/**
 * Reason to refuse a YAML text that would keep the parser busy for long, or overflow its stack; undefined for others. It only splits the
 * text into its elements, and stops at the first bound, so it takes time in proportion to the bounds.
 */
export function checkYamlBounds(text: string): string | undefined {
  const count = { elements: 0, tags: 0, levels: 0, indicators: 0 };
  let isText = false;
  let atLineStart = true;
  for (const element of new Lexer().lex(text)) {
    count.elements += 1;
    const type: CST.TokenType | null = isText ? null : CST.tokenType(element);
    isText = type === 'scalar';
    if (type === 'newline') count.indicators = 0;
    else if (type !== null) addTo(count, type);
    const isTooWide = atLineStart && type === 'space' && element.length > mostColumns;
    atLineStart = type === 'newline';
    if (count.elements > mostElements) return `has more than ${mostElements} elements`;
    if (count.tags > mostTags) return `has more than ${mostTags} tags, anchors and aliases`;
    if (isTooWide || count.levels > mostLevels || count.indicators > mostIndicators) return 'is nested too deeply';
  }
  return undefined;
}

function addTo(count: { tags: number; levels: number; indicators: number }, type: CST.TokenType): void {
  if (type === 'tag' || type === 'anchor' || type === 'alias') count.tags += 1;
  if (type === 'flow-seq-start' || type === 'flow-map-start') count.levels += 1;
  if (type === 'flow-seq-end' || type === 'flow-map-end') count.levels -= 1;
  if (type === 'seq-item-ind' || type === 'explicit-key-ind' || type === 'map-value-ind') count.indicators += 1;
}
