import { Type } from 'typebox';

export const Status = Type.Object({ status: Type.String() }, { title: 'Status' });
