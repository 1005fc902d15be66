import { SAXParser } from 'parse5-sax-parser';
import { HtmlText } from './html-text.ts';

/** Longest HTML that is read, in UTF-16 units. */
export const htmlMaxLength = 256 * 1024;

/**
 * Converts the HTML of a mail to plain text: blocks become lines, hidden elements and images are dropped, links are kept with their addresses.
 * HTML after the first 256 K characters is ignored. Takes linear time: the parser makes tokens and builds no tree.
 */
export async function htmlToText(html: string): Promise<string> {
  const text = new HtmlText();
  const parser = new SAXParser();
  parser.on('startTag', ({ tagName, attrs, selfClosing }) => text.open(tagName, attrs, selfClosing));
  parser.on('endTag', ({ tagName }) => text.close(tagName));
  parser.on('text', ({ text: part }) => text.add(part));
  const ended = new Promise((resolve, reject) => parser.on('end', resolve).on('error', reject));
  parser.resume();
  parser.end(html.slice(0, htmlMaxLength));
  await ended;
  return text.toString();
}
