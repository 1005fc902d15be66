import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Built web UI from the installed ADK package. */
export interface Bundle {
  /** Folder of its files. */
  readonly root: string;
  /** Its page with our style, script and icons instead of fonts from other hosts. */
  readonly page: string;
  /** Its `Content-Security-Policy`. */
  readonly policy: string;
}

const foreignFonts = /@font-face\s*\{[^}]*url\(https?:[^}]*\}/g;
const foreignHints = /<link rel="preconnect"[^>]*>\s*/g;
const handlers = /\son[a-z]+="([^"]*)"/g;
const ours = '<link rel="stylesheet" href="./session.css"><script src="./session.js" defer></script>';

/** Reads the installed bundle. Fails when it is not there. */
export function readBundle(): Bundle {
  const root = new URL('../browser/', import.meta.resolve('@google/adk-devtools'));
  const built = readFileSync(new URL('index.html', root), 'utf8');
  const page = built.replace(foreignFonts, '').replace(foreignHints, '').replace('</head>', `${ours}</head>`);
  return { root: fileURLToPath(root), page, policy: policyOf(page) };
}

/** Allows scripts of this origin only, and inline handlers of the page by their hashes. */
function policyOf(page: string): string {
  const hashes = Array.from(page.matchAll(handlers), ([, code = '']) => `'sha256-${sha256(code)}'`);
  return [
    "default-src 'none'",
    `script-src 'self' 'wasm-unsafe-eval' 'unsafe-hashes' ${hashes.join(' ')}`,
    // Angular adds inline styles of its components.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "media-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self' blob:",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

/** Folder of the icon font, whose ligatures the UI uses. */
export function iconFolder(): string {
  return fileURLToPath(new URL('.', import.meta.resolve('material-symbols/material-symbols-outlined.woff2')));
}
