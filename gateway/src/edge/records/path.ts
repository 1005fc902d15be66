import { Type } from 'typebox';
import { storedId } from './keywords.ts';

export const AppPath = Type.Object({ app_name: storedId() });

export const UserPath = Type.Object({ app_name: storedId(), user_id: storedId() });

export const SessionPath = Type.Object({ app_name: storedId(), user_id: storedId(), session_id: storedId() });
