import { headerOf, type MailHeader } from '../safety/mail-headers.ts';
import { charsetOf, decodeText } from '../text/decode-text.ts';

/** A part of a message as the Gmail API returns it. Every field may be absent. */
export interface GmailPart {
  readonly partId?: string;
  readonly mimeType?: string;
  readonly filename?: string;
  readonly headers?: readonly MailHeader[];
  readonly body?: { readonly attachmentId?: string; readonly size?: number; readonly data?: string };
  readonly parts?: readonly GmailPart[];
}

/** A text of the message that is shown. */
export interface GmailText {
  readonly isHtml: boolean;
  /** Decoded; empty when `attachmentId` is set. */
  readonly text: string;
  /** Set when Gmail keeps the text apart: it has to be fetched and decoded with `charset`. */
  readonly attachmentId?: string;
  /** undefined: not named. */
  readonly charset: string | undefined;
}

export interface GmailAttachment {
  readonly attachmentId: string;
  readonly filename: string;
  readonly contentType: string;
  /** Bytes. */
  readonly size: number;
}

export interface GmailContent {
  /** Texts in their order. Each set of alternatives gives the one in plain text, or else the last one that can be read. */
  readonly texts: readonly GmailText[];
  /** The first HTML text, also when a plain alternative was taken; undefined when there is none. */
  readonly html: GmailText | undefined;
  readonly attachments: readonly GmailAttachment[];
}

const maxDepth = 20;
const maxParts = 200;
/** Most characters of one text and of all. */
const maxLength = 256 * 1024;
const maxAttachments = 50;

/** Finds the texts and the attachments of a message. Walks depth-first, to depth 20 and 200 parts; what is beyond is left out. */
export function gmailContent(payload: GmailPart): GmailContent {
  const walk = new Walk();
  const texts = walk.read(payload, 0);
  return { texts, html: walk.html, attachments: walk.attachments };
}

class Walk {
  readonly attachments: GmailAttachment[] = [];
  html: GmailText | undefined;
  #parts = 0;
  #length = 0;

  read(part: GmailPart, depth: number): GmailText[] {
    this.#parts += 1;
    if (depth > maxDepth || this.#parts > maxParts) return [];
    const type = (part.mimeType ?? 'text/plain').toLowerCase();
    if (type.startsWith('multipart/')) return this.#readParts(part, type, depth);
    if (isAttached(part) || !type.startsWith('text/')) {
      this.#attach(part, type);
      return [];
    }
    if (type !== 'text/plain' && type !== 'text/html') return [];
    const text = this.#textOf(part, type === 'text/html');
    if (text.isHtml) this.html ??= text;
    return [text];
  }

  #readParts({ parts }: GmailPart, type: string, depth: number): GmailText[] {
    if (!Array.isArray(parts)) return [];
    const read = parts.slice(0, maxParts).map((part: GmailPart) => this.read(part, depth + 1));
    return type === 'multipart/alternative' ? bestOf(read) : read.flat();
  }

  #textOf(part: GmailPart, isHtml: boolean): GmailText {
    const charset = charsetOf(headerOf(part.headers ?? [], 'content-type'));
    const attachmentId = part.body?.attachmentId;
    if (attachmentId && !part.body?.data) return { isHtml, text: '', attachmentId, charset };
    const text = decodeText(part.body?.data ?? '', charset).slice(0, maxLength - this.#length);
    this.#length += text.length;
    return { isHtml, text, charset };
  }

  #attach({ filename, body }: GmailPart, contentType: string): void {
    if (!filename || !body?.attachmentId || this.attachments.length >= maxAttachments) return;
    this.attachments.push({ attachmentId: body.attachmentId, filename, contentType, size: body.size ?? 0 });
  }
}

function isAttached({ filename, headers }: GmailPart): boolean {
  if (filename) return true;
  return /^\s*attachment\b/i.test(headerOf(headers ?? [], 'content-disposition') ?? '');
}

/** Returns the first alternative that is in plain text and not blank, otherwise the last with any text, which is the richest. */
function bestOf(alternatives: readonly GmailText[][]): GmailText[] {
  const shown = alternatives.filter((texts) => texts.some(({ text, attachmentId }) => attachmentId || text.trim()));
  return shown.find((texts) => texts.every(({ isHtml }) => !isHtml)) ?? shown.at(-1) ?? [];
}
