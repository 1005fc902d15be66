import { demand, demandKeys, type Fields, isObject, parseObject } from '../demand.ts';
import { type GeminiContent, readContents, unknownName } from './conversation.ts';

/** A request that passed the fake's checks. */
export interface GeminiRequest {
  readonly model: string;
  readonly stream: boolean;
  readonly contents: readonly GeminiContent[];
  /** The whole body of the request. */
  readonly body: Fields;
}

const configKeys =
  'maxOutputTokens temperature topK topP frequencyPenalty presencePenalty stopSequences seed responseMimeType ' +
  'responseSchema responseJsonSchema responseModalities thinkingConfig mediaResolution candidateCount audioTimestamp imageConfig';
const ranges: readonly [string, number, number][] = [
  ['temperature', 0, 2],
  ['topP', 0, 1],
  ['topK', 1, 1000],
  ['maxOutputTokens', 1, 1e9],
  ['frequencyPenalty', -2, 2],
  ['presencePenalty', -2, 2],
];

/** Validates a body as strictly as the vendor. Throws a Refusal with the vendor's message. */
export function readGeminiRequest(text: string, asked: { model: string; stream: boolean }): GeminiRequest {
  const body = parseObject(text, 'Invalid JSON payload received.');
  const keys = 'contents systemInstruction generationConfig safetySettings tools toolConfig cachedContent';
  demandKeys(body, keys, (key) => unknownName(key, ''));
  const isNew = /^gemini-[3-9]/.test(asked.model);
  const config = body['generationConfig'] ?? {};
  demand(isObject(config), "Invalid value at 'generation_config'");
  checkConfig(config, isNew);
  checkTools(body);
  const mixed = config['responseMimeType'] === 'application/json' && body['tools'] !== undefined && !isNew;
  demand(!mixed, "Function calling with a response mime type: 'application/json' is unsupported");
  checkInstruction(body['systemInstruction']);
  return { ...asked, contents: readContents(body['contents'], { strictCalls: isNew }), body };
}

function checkConfig(config: Fields, isNew: boolean): void {
  demandKeys(config, configKeys, (key) => unknownName(key, 'generation_config'));
  for (const [key, least, most] of ranges) {
    const value = config[key];
    const right = value === undefined || (typeof value === 'number' && value >= least && value <= most);
    demand(right, `* GenerateContentRequest.generation_config.${key}: must be in the range [${least}, ${most}]`);
  }
  const hasSchema = config['responseSchema'] !== undefined || config['responseJsonSchema'] !== undefined;
  const isJson = config['responseMimeType'] === 'application/json';
  demand(!hasSchema || isJson, 'response_schema requires response_mime_type to be application/json');
  const thinking = config['thinkingConfig'];
  if (thinking === undefined) return;
  demand(isObject(thinking), "Invalid value at 'generation_config.thinking_config'");
  const keys = 'includeThoughts thinkingBudget thinkingLevel';
  demandKeys(thinking, keys, (key) => unknownName(key, 'generation_config.thinking_config'));
  const { thinkingBudget: budget, thinkingLevel: level } = thinking;
  demand(budget === undefined || level === undefined, 'You can only set one of thinking budget and thinking level.');
  demand(level === undefined || isNew, 'Thinking level is not supported for this model.');
  const known = typeof level === 'string' && /^(minimal|low|medium|high)$/i.test(level);
  demand(level === undefined || known, 'Invalid thinking level');
}

function checkTools({ tools, toolConfig }: Fields): void {
  demand(tools === undefined || Array.isArray(tools), "Invalid value at 'tools'");
  for (const tool of Array.isArray(tools) ? tools : []) {
    demand(isObject(tool), "Invalid value at 'tools[0]'");
    demandKeys(tool, 'functionDeclarations googleSearch urlContext googleMaps enterpriseWebSearch', (key) =>
      unknownName(key, 'tools[0]'),
    );
    if (Object.keys(tool).length > 0 && !('functionDeclarations' in tool)) continue;
    const declared = tool['functionDeclarations'];
    demand(Array.isArray(declared) && declared.length > 0, 'function_declarations: must not be empty');
    for (const declaration of declared) checkDeclaration(declaration);
  }
  if (toolConfig === undefined) return;
  demand(isObject(toolConfig) && isObject(toolConfig['functionCallingConfig']), "Invalid value at 'tool_config'");
  const { mode, allowedFunctionNames: allowed } = toolConfig['functionCallingConfig'];
  demand(
    ['AUTO', 'ANY', 'NONE', 'VALIDATED'].includes(String(mode)),
    "Invalid value at 'tool_config.function_calling_config.mode'",
  );
  const right = allowed === undefined || mode === 'ANY' || mode === 'VALIDATED';
  demand(right, 'Allowed function names should only be set when function calling mode is ANY.');
}

function checkDeclaration(declaration: unknown): void {
  const at = 'tools[0].function_declarations[0]';
  demand(isObject(declaration), `Invalid value at '${at}'`);
  demandKeys(declaration, 'name description parameters parametersJsonSchema behavior', (key) => unknownName(key, at));
  const { name, parameters, parametersJsonSchema } = declaration;
  demand(
    /^[a-zA-Z_][\w.:-]{0,127}$/.test(String(name)),
    `Invalid function name. Must start with a letter or an underscore. (${String(name)})`,
  );
  const both = parameters !== undefined && parametersJsonSchema !== undefined;
  demand(!both, 'only one of parameters and parameters_json_schema can be set');
}

function checkInstruction(instruction: unknown): void {
  if (instruction === undefined) return;
  const parts = isObject(instruction) ? instruction['parts'] : undefined;
  demand(
    Array.isArray(parts) && parts.length > 0,
    '* GenerateContentRequest.system_instruction.parts: must not be empty.',
  );
}
