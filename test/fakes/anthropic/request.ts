import { demand, demandKeys, type Fields, isObject, parseObject } from '../demand.ts';
import { type Message, readConversation } from './conversation.ts';

/** The body of a request that passed the fake's checks. */
export interface MessagesRequest {
  readonly model: string;
  readonly stream: boolean;
  readonly messages: readonly Message[];
  /** The whole body of the request. */
  readonly body: Fields;
}

const keys =
  'model messages max_tokens system stream temperature top_p top_k stop_sequences tools tool_choice thinking metadata ' +
  'output_config service_tier container cache_control';
const toolKeys = 'name description input_schema cache_control type strict eager_input_streaming input_examples';

/** Validates a body as strictly as the vendor. Throws a Refusal with the vendor's message. */
export function readMessagesRequest(text: string): MessagesRequest {
  const body = parseObject(text, 'The request body is not valid JSON');
  demandKeys(body, keys, (key) => `${key}: Extra inputs are not permitted`);
  const { model, stream = false, max_tokens: limit } = body;
  demand(typeof model === 'string' && model !== '', 'model: Field required');
  demand(limit !== undefined, 'max_tokens: Field required');
  demand(Number.isInteger(limit) && Number(limit) > 0, 'max_tokens: Input should be greater than or equal to 1');
  demand(typeof stream === 'boolean', 'stream: Input should be a valid boolean');
  checkSystem(body['system']);
  checkSampling(body);
  checkTools(body);
  const messages = readConversation(body['messages']);
  checkThinking(body, messages);
  return { model, stream, messages, body };
}

function checkSystem(system: unknown): void {
  const texts = (Array.isArray(system) ? system : []) as unknown[];
  const right = system === undefined || typeof system === 'string' || Array.isArray(system);
  demand(right, 'system: Input should be a valid string or list');
  const filled = texts.every((block) => isObject(block) && block['type'] === 'text' && block['text'] !== '');
  demand(filled, 'system: text content blocks must be non-empty');
}

function checkSampling(body: Fields): void {
  for (const key of ['temperature', 'top_p']) {
    const value = body[key];
    const right = value === undefined || (typeof value === 'number' && value >= 0 && value <= 1);
    demand(right, `${key}: range: 0..1`);
  }
  const both = body['temperature'] !== undefined && body['top_p'] !== undefined;
  demand(!both, '`temperature` and `top_p` cannot both be specified for this model. Please use only one.');
  const stops = body['stop_sequences'] ?? [];
  const right = Array.isArray(stops) && stops.every((stop) => typeof stop === 'string' && stop.trim() !== '');
  demand(right, 'stop_sequences: each stop sequence must contain non-whitespace');
}

function checkTools({ tools, tool_choice: choice, thinking }: Fields): void {
  demand(choice === undefined || tools !== undefined, 'tool_choice: may only be specified while providing tools');
  if (isObject(choice)) {
    const type = String(choice['type']);
    demand(['auto', 'any', 'tool', 'none'].includes(type), `tool_choice: Input tag '${type}' does not match any tags`);
    const forced = type === 'any' || type === 'tool';
    const thinks = isObject(thinking) && thinking['type'] === 'enabled';
    demand(!(forced && thinks), 'Thinking may not be enabled when tool_choice forces tool use.');
  }
  if (tools === undefined) return;
  demand(Array.isArray(tools), 'tools: Input should be a valid list');
  const names = new Set(tools.map((tool, index) => checkTool(tool, index)));
  demand(names.size === tools.length, 'tools: Tool names must be unique.');
}

function checkTool(tool: unknown, index: number): unknown {
  demand(isObject(tool), `tools.${index}: Input should be a valid dictionary`);
  demandKeys(tool, toolKeys, (key) => `tools.${index}.custom.${key}: Extra inputs are not permitted`);
  const { name, input_schema: schema } = tool;
  const pattern = `tools.${index}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`;
  demand(typeof name === 'string' && /^[a-zA-Z0-9_-]{1,128}$/.test(name), pattern);
  const right = isObject(schema) && schema['type'] === 'object';
  demand(right, `tools.${index}.custom.input_schema.type: Input should be 'object'`);
  return name;
}

function checkThinking(
  { thinking, max_tokens: limit, temperature, top_k: topK }: Fields,
  messages: readonly Message[],
) {
  if (!isObject(thinking) || thinking['type'] === 'disabled') return;
  const { type, budget_tokens: budget } = thinking;
  demand(type === 'enabled' || type === 'adaptive', `thinking: Input tag '${String(type)}' does not match any tags`);
  if (type === 'enabled') {
    demand(Number(budget) >= 1024, 'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024');
    demand(Number(limit) > Number(budget), '`max_tokens` must be greater than `thinking.budget_tokens`.');
  }
  const alone = (temperature === undefined || temperature === 1) && topK === undefined;
  demand(alone, '`temperature` may only be set to 1 and `top_k` must be unset when thinking is enabled.');
  const inLoop = messages.at(-1)?.blocks.some((block) => block['type'] === 'tool_result') ?? false;
  const first = messages.at(-2)?.blocks[0]?.['type'];
  const begun = !inLoop || first === 'thinking' || first === 'redacted_thinking';
  const expected =
    `messages.${messages.length - 2}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found ` +
    `\`${String(first)}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block.`;
  demand(begun, expected);
}
