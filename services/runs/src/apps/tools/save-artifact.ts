import type { BaseTool } from '@google/adk/core';
import { type Part, Type } from '@google/genai';
import { BuiltInTool } from './built-in-tool.ts';
import { readText } from './read-text.ts';

/** The tool through which a model saves what it wrote; the echo model's `[[artifact:name text]]` calls it. */
export const SAVE_ARTIFACT = 'save_artifact';

/** `save_artifact`: `{filename, text, mime_type?}` -> `{filename, version}`, and the artifact delta of the answering event. */
export function createSaveArtifact(): BaseTool {
  return new BuiltInTool({
    name: SAVE_ARTIFACT,
    description:
      'Saves a text as a new version of a file of this session. A filename that begins with user: is seen from all sessions of the user.',
    parameters: {
      type: Type.OBJECT,
      properties: {
        filename: { type: Type.STRING },
        text: { type: Type.STRING, description: 'the whole content of the file' },
        mime_type: { type: Type.STRING, description: 'its media type, unless it is plain text' },
      },
      required: ['filename', 'text'],
    },
    async run({ args, toolContext }) {
      const filename = readText(args, 'filename');
      const version = await toolContext.saveArtifact(filename, partOf(readText(args, 'text'), args['mime_type']));
      return { filename, version };
    },
  });
}

function partOf(text: string, mimeType: unknown): Part {
  if (typeof mimeType !== 'string' || mimeType === '' || mimeType === 'text/plain') return { text };
  return { inlineData: { mimeType, data: Buffer.from(text).toString('base64') } };
}
