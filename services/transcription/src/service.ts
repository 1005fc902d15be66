import { defineService } from '@agentmesh/lib/service';
import { TranscriptionService } from '@agentmesh/proto/transcription/v1';
import { settings } from './config.ts';
import type { Context } from './context.ts';
import { createHandlers } from './rpc/index.ts';
import { createTranscriber } from './upstream/create-transcriber.ts';

/** Turns recorded speech into text with the transcription server of the settings. It stores nothing. */
export const transcription = defineService({
  name: 'transcription',
  settings,
  async start({ config, log, mesh, resources }) {
    const context: Context = { transcriber: createTranscriber(config, { log, resources }) };
    mesh.serve(TranscriptionService, createHandlers(context));
    return {};
  },
});
