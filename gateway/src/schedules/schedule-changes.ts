import { multitaskOf } from '@agentmesh/proto/multitask';
import { Type } from 'typebox';
import { type App, type Context, unary } from '../context.ts';
import { routeFamily } from '../edge/http/route-family.ts';
import { IdempotencyKey } from '../edge/idempotency/idempotency-key.ts';
import { keyedCall, markReplayed } from '../edge/idempotency/keyed-call.ts';
import { encodeJson } from '../edge/json/json-bytes.ts';
import { present } from '../edge/records/present.ts';
import { checkAppName, namingField, refuseBound } from './schedule-fault.ts';
import { scheduleJson } from './schedule-json.ts';
import { CreateScheduleRequest, Schedule, SchedulePath, UpdateScheduleRequest } from './schedule-record.ts';

const writes = routeFamily({ tag: 'schedules', caller: 'account', scope: 'runs:write' });

const path = '/api/schedules';

/** Routes that create, change, pause and delete schedules. */
export function addScheduleChanges(app: App, context: Context): void {
  addCreate(app, context);
  addUpdate(app, context);
  addSwitch(app, context, { name: 'pause', enabled: false });
  addSwitch(app, context, { name: 'resume', enabled: true });
  addDelete(app, context);
}

function addCreate(app: App, context: Context): void {
  const { schedules, authentication } = context;
  app.post(
    path,
    writes(authentication, {
      operationId: 'createSchedule',
      summary: 'Create a schedule',
      description:
        'At each tick of `cron` in `timezone`, `new_message` is sent to the app: one run for each tick, however many replicas there are. A tick that is ' +
        'more than a minute late was missed, and is made up only with `catch_up`.',
      headers: IdempotencyKey,
      body: CreateScheduleRequest,
      response: { 201: Schedule },
      refusals: [403, 404],
    }),
    async (request, reply) => {
      const { identity, body } = request;
      refuseBound(identity);
      const { accountId } = identity;
      const { cron, timezone, app_name: appName, user_id: userId, catch_up: catchUp, enabled } = body;
      await checkAppName(context, accountId, appName);
      const fields = { cron, timezone, appName, userId, sessionId: body.session_id ?? '', catchUp, enabled };
      const content = { messageJson: messageBytes(body.new_message), multitask: multitaskOf(body.multitask) };
      const made = await schedules
        .createSchedule({ accountId, ...fields, ...content }, keyedCall(request, reply))
        .catch(namingField);
      markReplayed(reply, made);
      reply.code(201);
      return scheduleJson(made.schedule);
    },
  );
}

function addUpdate(app: App, context: Context): void {
  const { schedules, authentication } = context;
  app.patch(
    `${path}/:id`,
    writes(authentication, {
      operationId: 'updateSchedule',
      summary: 'Change a schedule',
      description:
        'Changes the fields that are sent. After a change of `cron`, `timezone` or `enabled`, earlier ticks are neither run nor missed.',
      params: SchedulePath,
      headers: IdempotencyKey,
      body: UpdateScheduleRequest,
      response: { 200: Schedule },
      refusals: [403, 404],
    }),
    async (request, reply) => {
      const { identity, params, body } = request;
      refuseBound(identity);
      const { accountId } = identity;
      // An unknown schedule is reported before an app that the account cannot use.
      if (body.app_name !== undefined) await schedules.getSchedule({ accountId, id: params.id }, unary);
      await checkAppName(context, accountId, body.app_name);
      const change = { accountId, id: params.id, ...fieldsOf(body) };
      const changed = await schedules.updateSchedule(change, keyedCall(request, reply)).catch(namingField);
      markReplayed(reply, changed);
      return scheduleJson(changed.schedule);
    },
  );
}

/** The fields that are sent. */
function fieldsOf(body: UpdateScheduleRequest) {
  const { multitask, new_message: message } = body;
  return {
    ...present('cron', body.cron),
    ...present('timezone', body.timezone),
    ...present('enabled', body.enabled),
    ...present('appName', body.app_name),
    ...present('userId', body.user_id),
    ...present('sessionId', body.session_id),
    ...present('catchUp', body.catch_up),
    ...(message !== undefined && { messageJson: messageBytes(message) }),
    ...(typeof multitask === 'string' && { multitask: multitaskOf(multitask) }),
  };
}

function addSwitch(
  app: App,
  { schedules, authentication }: Context,
  { name, enabled }: { readonly name: 'pause' | 'resume'; readonly enabled: boolean },
): void {
  app.post(
    `${path}/:id/${name}`,
    writes(authentication, {
      operationId: `${name}Schedule`,
      summary: enabled ? 'Resume a schedule' : 'Pause a schedule',
      description: enabled
        ? 'The next run is that of the next tick. Ticks of the pause are neither run nor missed.'
        : 'No tick is run until it is resumed. A run that has started goes on.',
      params: SchedulePath,
      headers: IdempotencyKey,
      response: { 200: Schedule },
      refusals: [400, 403, 404, 413],
    }),
    async (request, reply) => {
      const { identity, params } = request;
      refuseBound(identity);
      const change = { accountId: identity.accountId, id: params.id, enabled };
      const changed = await schedules.updateSchedule(change, keyedCall(request, reply));
      markReplayed(reply, changed);
      return scheduleJson(changed.schedule);
    },
  );
}

function addDelete(app: App, { schedules, authentication }: Context): void {
  app.delete(
    `${path}/:id`,
    writes(authentication, {
      operationId: 'deleteSchedule',
      summary: 'Delete a schedule',
      description: 'Its sessions and runs stay.',
      params: SchedulePath,
      response: { 204: Type.Null() },
      refusals: [403, 404],
    }),
    async ({ identity, params: { id } }, reply) => {
      refuseBound(identity);
      await schedules.deleteSchedule({ accountId: identity.accountId, id }, unary);
      return reply.code(204).send(null);
    },
  );
}

function messageBytes(message: CreateScheduleRequest['new_message']): Uint8Array {
  return encodeJson({ ...message, role: message.role ?? 'user' });
}
