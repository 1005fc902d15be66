-- W3C trace context in which the fact became true.
alter table outbox add column if not exists traceparent text;
