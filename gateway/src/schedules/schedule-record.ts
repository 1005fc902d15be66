import { multitaskNames } from '@agentmesh/proto/multitask';
import { type Static, Type } from 'typebox';
import { Content } from '../edge/records/content.ts';
import { freeForm, maybe, storedId, strict } from '../edge/records/keywords.ts';
import { noNul } from '../edge/validation/index.ts';

const chosen = {
  cron: Type.String({
    maxLength: 200,
    description: 'Five fields: minute, hour, day of the month, month, day of the week; or six with seconds first.',
  }),
  timezone: Type.String({ maxLength: 64, description: 'Name of a time zone, for example `Europe/Berlin`.' }),
  app_name: storedId({ 'x-blank-is-missing': true, 'x-former': 'appName', description: 'Until 0.2 also `appName`.' }),
  user_id: storedId({ 'x-former': 'userId', description: 'Until 0.2 also `userId`.' }),
  session_id: maybe(
    storedId({
      'x-former': 'sessionId',
      description:
        'Session of all runs; it is made if there is none. Empty: each tick has a session of its own. Until 0.2 also `sessionId`.',
    }),
  ),
  new_message: Type.Unsafe<Static<typeof Content>>({ ...Content, 'x-former': 'newMessage' }),
  multitask: maybe(
    Type.Enum(multitaskNames, {
      description: 'What the run does to another one of its session: see `startRun`. Null: the app decides.',
    }),
  ),
  catch_up: Type.Boolean({
    description:
      'Whether ticks that were missed are made up: at most 100 in a row, and none that is more than a day old.',
  }),
  enabled: Type.Boolean({ description: 'False: paused.' }),
};

const message = { role: 'user', parts: [{ text: 'Good morning' }] };

export const CreateScheduleRequest = Type.Object(
  {
    ...chosen,
    timezone: Type.String({ ...chosen.timezone, default: 'UTC' }),
    catch_up: Type.Boolean({ ...chosen.catch_up, default: false }),
    enabled: Type.Boolean({ ...chosen.enabled, default: true }),
  },
  {
    title: 'CreateScheduleRequest',
    ...strict,
    required: ['cron', 'app_name', 'user_id', 'new_message'],
    examples: [
      {
        cron: '0 9 * * MON-FRI',
        timezone: 'Europe/Berlin',
        app_name: 'echo',
        user_id: 'user',
        new_message: message,
        enabled: false,
      },
    ],
  },
);
export type CreateScheduleRequest = Static<typeof CreateScheduleRequest>;

export const UpdateScheduleRequest = Type.Object(
  {
    cron: Type.Optional(chosen.cron),
    timezone: Type.Optional(chosen.timezone),
    app_name: Type.Optional(chosen.app_name),
    user_id: Type.Optional(chosen.user_id),
    session_id: chosen.session_id,
    new_message: Type.Optional(chosen.new_message),
    multitask: chosen.multitask,
    catch_up: Type.Optional(chosen.catch_up),
    enabled: Type.Optional(chosen.enabled),
  },
  { title: 'UpdateScheduleRequest', ...strict, examples: [{ cron: '30 8 * * MON-FRI' }] },
);
export type UpdateScheduleRequest = Static<typeof UpdateScheduleRequest>;

/** A field under its former name, which goes on until 0.2. */
const former = (name: string) => ({ deprecated: true, description: `Until 0.2: \`${name}\`.` });

const time = (description: string) => Type.String({ description });
const nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

const ScheduledRun = Type.Object(
  {
    scheduled_at: time('The tick.'),
    invocation_id: nullable('The run; null when it could not be started.'),
    app_name: Type.Optional(
      Type.String({ description: 'App of the run, which the schedule may have changed since. Absent: not known.' }),
    ),
    user_id: Type.Optional(Type.String({ description: 'Like `app_name`.' })),
    session_id: Type.String(),
    error: nullable('Why the run could not be started; null when it was.'),
  },
  { title: 'ScheduledRun' },
);

/** A schedule. */
export const Schedule = Type.Object(
  {
    id: Type.String(),
    ...chosen,
    session_id: nullable('Session of all runs; null: each tick has a session of its own.'),
    next_times: Type.Array(Type.String(), { description: 'The next three ticks; none while paused.' }),
    last_run: Type.Union([ScheduledRun, Type.Null()], { description: 'The latest tick that was acted on.' }),
    missed_ticks: Type.Integer({
      description: 'Ticks that were missed and not made up. At most 100 are counted each time that ticks were missed.',
    }),
    last_missed_at: nullable('The latest tick that was missed.'),
    created_at: Type.String(),
    updated_at: Type.String(),
    appName: Type.String(former('app_name')),
    userId: Type.String(former('user_id')),
    sessionId: Type.Union([Type.String(), Type.Null()], former('session_id')),
    newMessage: Type.Unsafe<Static<typeof Content>>({ ...freeForm(former('new_message')) }),
  },
  { title: 'Schedule', description: 'A message that is sent to an app at the times of a cron expression.' },
);
export type Schedule = Static<typeof Schedule>;

export const SchedulePath = Type.Object({
  id: Type.String({
    pattern: noNul,
    maxLength: 64,
    examples: ['00000000-0000-4000-8000-000000000000'],
    description: 'Id of the schedule.',
  }),
});
