import { modelNameProblem, readModelName } from '../../models/model-name.ts';
import { isGeminiTool } from '../tools/gemini-tool.ts';
import type { EntryMistake } from '../definition/tool-resolver.ts';

/** Tools that Gemini runs itself, named by an agent whose model is another one. A model that an agent inherits is not known here. */
export function checkGeminiTools({ tools, model }: Readonly<Record<string, unknown>>): EntryMistake[] {
  const other = [model].flat().find(isOther);
  if (!Array.isArray(tools) || other === undefined) return [];
  return tools.flatMap((tool: unknown, index) => {
    const name = typeof tool === 'object' && tool !== null && 'name' in tool ? tool.name : undefined;
    if (typeof name !== 'string' || !isGeminiTool(name)) return [];
    return [
      {
        path: ['tools', index, 'name'],
        reason: `"${name}" is a tool of Gemini, and the model is ${other.slice(0, 80)}`,
      },
    ];
  });
}

function isOther(model: unknown): model is string {
  if (typeof model !== 'string' || modelNameProblem(model) !== undefined) return false;
  return readModelName(model).provider !== 'gemini';
}
