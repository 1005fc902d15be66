import { Type, type Static } from 'typebox';
import { Content } from '../../edge/records/content.ts';
import { freeForm, maybe, storedId } from '../../edge/records/keywords.ts';

/** Query of a live connection. Modalities and audio flags are accepted and do not change text. */
export const LiveQuery = Type.Object(
  {
    app_name: maybe(storedId()),
    user_id: storedId({ minLength: 1 }),
    session_id: storedId({ minLength: 1 }),
    modalities: maybe(Type.String()),
    proactive_audio: maybe(Type.Boolean()),
    enable_affective_dialog: maybe(Type.Boolean()),
    enable_session_resumption: maybe(Type.Boolean()),
    save_live_blob: maybe(Type.Boolean()),
    explicit_vad_signal: maybe(Type.Boolean()),
  },
  { required: ['user_id', 'session_id'] },
);
export type LiveQuery = Static<typeof LiveQuery>;

/** Message of a live connection: ADK's LiveRequest. */
export const LiveRequest = Type.Object(
  {
    content: maybe(Content),
    blob: maybe(freeForm()),
    activityStart: maybe(freeForm()),
    activityEnd: maybe(freeForm()),
    close: Type.Boolean({ default: false }),
  },
  { required: [] },
);
export type LiveRequest = Static<typeof LiveRequest>;
