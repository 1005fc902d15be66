create table accounts (
  id uuid primary key default gen_random_uuid(),
  user_id bigint generated always as identity unique,
  -- Normalised by the service before it is stored or looked up, so that equality is identity.
  email text not null unique,
  -- Argon2id as a PHC string. Null: no password signs this account in.
  password_hash text,
  first_name text not null,
  last_name text not null,
  username text,
  full_name text,
  avatar_url text,
  role text not null default 'USER' check (role in ('USER', 'ADMIN')),
  -- When the owner proved to read mail at this address, or the operator vouched for it.
  email_verified_at timestamptz,
  -- Made while no proof was asked for: passes the verification gate, but proves nothing.
  email_verification_waived boolean not null default false,
  onboarding_completed boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table outbox (
  id bigint generated always as identity primary key,
  subject text not null,
  payload bytea not null,
  created_at timestamptz not null default now()
);
