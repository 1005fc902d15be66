import { demand, demandKeys, type Fields, isObject, parseObject } from '../demand.ts';
import { isSealed } from './answer.ts';

/** The body of a request that passed the fake's checks. */
export interface ResponsesRequest {
  readonly model: string;
  readonly stream: boolean;
  readonly input: readonly Fields[];
  /** The whole body of the request. */
  readonly body: Fields;
}

const keys =
  'model input instructions stream store include tools tool_choice parallel_tool_calls temperature top_p max_output_tokens ' +
  'reasoning text metadata user truncation service_tier previous_response_id';
const roles = ['system', 'developer', 'user', 'assistant'];
const unknown = (key: string): string => `Unknown parameter: '${key}'.`;

/** Validates a body as strictly as the vendor. Throws a Refusal with the vendor's message. */
export function readResponsesRequest(text: string): ResponsesRequest {
  const body = parseObject(text, 'We could not parse the JSON body of your request.');
  demandKeys(body, keys, unknown);
  const { model, input, stream = false, store = true } = body;
  demand(typeof model === 'string' && model !== '', "Missing required parameter: 'model'.");
  demand(typeof stream === 'boolean' && typeof store === 'boolean', "Invalid type for 'stream': expected a boolean.");
  const items: unknown = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
  demand(Array.isArray(items) && items.length > 0, "Missing required parameter: 'input'.");
  checkModel(model, body);
  checkTools(body);
  const read = items.map((item, index) => readItem(item, `input[${index}]`));
  checkCalls(read);
  const sealed = read.every((item) => item['type'] !== 'reasoning' || isSealed(item['encrypted_content']));
  demand(store || sealed, "Item of type 'reasoning' was provided without its encrypted content, and was not stored.");
  return { model, stream, input: read, body };
}

function checkModel(model: string, body: Fields): void {
  const thinks = /^(gpt-5|o\d)/.test(model);
  const { reasoning, temperature } = body;
  demand(
    temperature === undefined || !thinks,
    "Unsupported parameter: 'temperature' is not supported with this model.",
  );
  demand(
    reasoning === undefined || thinks,
    "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
  );
  if (!isObject(reasoning)) return;
  demandKeys(reasoning, 'effort summary', (key) => unknown(`reasoning.${key}`));
  const { effort = 'medium', summary = 'auto' } = reasoning;
  const efforts: unknown[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'];
  demand(efforts.includes(effort), "Invalid value: 'reasoning.effort'.");
  demand((['auto', 'concise', 'detailed'] as unknown[]).includes(summary), "Invalid value: 'reasoning.summary'.");
}

function checkTools({ tools }: Fields): void {
  if (tools === undefined) return;
  demand(Array.isArray(tools), "Invalid type for 'tools': expected an array.");
  for (const tool of tools) {
    demand(isObject(tool) && tool['type'] === 'function', "Invalid value: 'tools[0].type'.");
    demandKeys(tool, 'type name description parameters strict', (key) => unknown(`tools[0].${key}`));
    const { name, parameters } = tool;
    demand(typeof name === 'string' && /^[a-zA-Z0-9_-]{1,64}$/.test(name), "Invalid 'tools[0].name'.");
    demand(isObject(parameters) && parameters['type'] === 'object', `Invalid schema for function '${name}'.`);
  }
}

function readItem(item: unknown, at: string): Fields {
  demand(isObject(item), `Invalid type for '${at}': expected an object.`);
  const type = item['type'] ?? 'message';
  if (type === 'message') checkMessage(item, at);
  else if (type === 'function_call') {
    demandKeys(item, 'type id call_id name arguments status', (key) => unknown(`${at}.${key}`));
    const right = [item['call_id'], item['name'], item['arguments']].every((value) => typeof value === 'string');
    demand(right, `Missing required parameter: '${at}.call_id'.`);
  } else if (type === 'function_call_output') {
    demandKeys(item, 'type id call_id output status', (key) => unknown(`${at}.${key}`));
    demand(typeof item['output'] === 'string', `Missing required parameter: '${at}.output'.`);
  } else {
    demand(type === 'reasoning', `Invalid value: '${at}.type'.`);
    demandKeys(item, 'type id summary encrypted_content', (key) => unknown(`${at}.${key}`));
    demand(Array.isArray(item['summary']), `Missing required parameter: '${at}.summary'.`);
  }
  return item;
}

function checkMessage({ role, content }: Fields, at: string): void {
  demand(typeof role === 'string' && roles.includes(role), `Invalid value: '${at}.role'.`);
  if (typeof content === 'string') return;
  demand(Array.isArray(content) && content.length > 0, `Invalid type for '${at}.content'.`);
  const allowed = role === 'assistant' ? ['output_text', 'refusal'] : ['input_text', 'input_image', 'input_file'];
  const right = content.every((part) => isObject(part) && allowed.includes(String(part['type'])));
  demand(right, `Invalid value: '${at}.content[0].type'. Supported values are: ${allowed.join(', ')}.`);
}

/** Refuses input unless each call has one output after it and each output has its call. */
function checkCalls(items: readonly Fields[]): void {
  const open = new Set<unknown>();
  for (const { type, call_id: id } of items) {
    if (type === 'function_call') open.add(id);
    if (type !== 'function_call_output') continue;
    demand(open.delete(id), `No tool call found for function call output with call_id ${String(id)}.`);
  }
  demand(open.size === 0, `No tool output found for function call ${[...open].join(', ')}.`);
}
