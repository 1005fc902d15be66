-- Which attempt at the mail was admitted last: an earlier one may not hand the mail over any more.
alter table mail_tokens add column attempt integer not null default 0;
-- Set before the server is sent the last byte, and cleared when it has refused the mail: a mail that may have left is not sent again.
alter table mail_tokens add column handing_over_at timestamptz;
