import { Type } from 'typebox';
import { storedId } from './keywords.ts';

const app_name = storedId({ examples: ['echo'], description: 'Application, as `/list-apps` names it.' });
const user_id = storedId({
  examples: ['user'],
  description: 'End user of the application. Any text: users need not be created.',
});
const session_id = storedId({ examples: ['s1'], description: 'Session of that user.' });

export const AppPath = Type.Object({ app_name });

export const UserPath = Type.Object({ app_name, user_id });

export const SessionPath = Type.Object({ app_name, user_id, session_id });
