import { Type } from 'typebox';

export const Health = Type.Object({ status: Type.String() }, { title: 'Health' });

export const Liveness = Type.Object({ status: Type.String(), service: Type.String() }, { title: 'Liveness' });

const Check = Type.Object({ ok: Type.Boolean(), error: Type.Union([Type.String(), Type.Null()]) }, { title: 'Check' });

export const Readiness = Type.Object(
  { status: Type.String(), checks: Type.Record(Type.String(), Check) },
  { title: 'Readiness' },
);

export const NotReady = Type.Object({ detail: Readiness }, { title: 'NotReady', description: 'What fails.' });

export const PublicConfig = Type.Object(
  { default_llm_available: Type.Boolean(), default_llm_model_id: Type.String() },
  { title: 'PublicConfig' },
);

export const Version = Type.Object(
  { version: Type.String(), language: Type.String(), language_version: Type.String() },
  { title: 'Version' },
);
