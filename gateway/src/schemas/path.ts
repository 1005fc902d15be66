import { Type } from 'typebox';
import { storedText } from './keywords.ts';

export const AppPath = Type.Object({ app_name: storedText() });

export const UserPath = Type.Object({ app_name: storedText(), user_id: storedText() });

export const SessionPath = Type.Object({ app_name: storedText(), user_id: storedText(), session_id: storedText() });
