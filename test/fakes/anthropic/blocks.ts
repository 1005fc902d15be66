import { demand, demandKeys, type Fields, isObject } from '../demand.ts';
import { isRedacted, signThought } from './signature.ts';

/** Path of a block in the request for error messages, e.g. `messages.1.content.0`. */
interface Place {
  readonly role: string;
  readonly at: string;
}

const imageTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

const checks: Readonly<Record<string, { role?: string; keys: string; check: (block: Fields, at: string) => void }>> = {
  text: { keys: 'type text cache_control citations', check: checkText },
  image: { role: 'user', keys: 'type source cache_control', check: checkImage },
  document: { role: 'user', keys: 'type source title context citations cache_control', check: checkDocument },
  tool_use: { role: 'assistant', keys: 'type id name input cache_control caller', check: checkToolUse },
  tool_result: { role: 'user', keys: 'type tool_use_id content is_error cache_control', check: checkToolResult },
  thinking: { role: 'assistant', keys: 'type thinking signature', check: checkThinking },
  redacted_thinking: {
    role: 'assistant',
    keys: 'type data',
    check: ({ data }, at) => demand(isRedacted(data), `${at}: Invalid \`data\` in \`redacted_thinking\` block`),
  },
};

/** Checks one block of a message. */
export function checkBlock(block: unknown, { role, at }: Place): Fields {
  demand(isObject(block), `${at}: Input should be a valid dictionary`);
  const rule = Object.hasOwn(checks, String(block['type'])) ? checks[String(block['type'])] : undefined;
  demand(rule !== undefined, `${at}: Input tag '${String(block['type'])}' found using 'type' does not match any tags`);
  demand(rule.role === undefined || rule.role === role, `${at}: \`${String(block['type'])}\` blocks can not be here`);
  demandKeys(block, rule.keys, (key) => `${at}.${String(block['type'])}.${key}: Extra inputs are not permitted`);
  rule.check(block, at);
  return block;
}

function checkText({ text }: Fields, at: string): void {
  demand(typeof text === 'string' && text !== '', `${at}: text content blocks must be non-empty`);
  demand(text.trim() !== '', `${at}: text content blocks must contain non-whitespace text`);
}

function checkImage({ source }: Fields, at: string): void {
  demand(isObject(source), `${at}.image.source: Field required`);
  if (source['type'] === 'url') return;
  const right = source['type'] === 'base64' && imageTypes.includes(String(source['media_type']));
  demand(right, `${at}.image.source.base64.media_type: Input should be ${imageTypes.join(', ')}`);
  checkBase64(source['data'], at);
}

function checkDocument({ source }: Fields, at: string): void {
  demand(isObject(source), `${at}.document.source: Field required`);
  if (source['type'] === 'text') {
    const right = source['media_type'] === 'text/plain' && typeof source['data'] === 'string';
    demand(right, `${at}.document.source.text.media_type: Input should be 'text/plain'`);
    return;
  }
  if (source['type'] === 'url') return;
  const right = source['type'] === 'base64' && source['media_type'] === 'application/pdf';
  demand(right, `${at}.document.source.base64.media_type: Input should be 'application/pdf'`);
  checkBase64(source['data'], at);
}

function checkBase64(data: unknown, at: string): void {
  const right = typeof data === 'string' && data !== '' && Buffer.from(data, 'base64').toString('base64') === data;
  demand(right, `${at}: invalid base64 data`);
}

function checkToolUse({ id, name, input }: Fields, at: string): void {
  demand(typeof id === 'string' && /^[a-zA-Z0-9_-]+$/.test(id), `${at}.tool_use.id: String should match pattern`);
  demand(typeof name === 'string' && name !== '', `${at}.tool_use.name: Field required`);
  demand(isObject(input), `${at}.tool_use.input: Input should be a valid dictionary`);
}

function checkToolResult({ tool_use_id: id, content }: Fields, at: string): void {
  demand(typeof id === 'string', `${at}.tool_result.tool_use_id: Field required`);
  const right = content === undefined || typeof content === 'string' || Array.isArray(content);
  demand(right, `${at}.tool_result.content: Input should be a valid string`);
}

function checkThinking({ thinking, signature }: Fields, at: string): void {
  demand(typeof thinking === 'string', `${at}.thinking.thinking: Field required`);
  demand(typeof signature === 'string', `${at}.thinking.signature: Field required`);
  demand(signature === signThought(thinking), `${at}: Invalid \`signature\` in \`thinking\` block`);
}
