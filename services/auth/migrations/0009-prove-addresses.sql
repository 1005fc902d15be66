-- SHA-256 of the secret that the browser got that signed up. Whoever shows it with the first proof of the address has chosen the password.
-- Null after the first proof.
alter table accounts add column sign_up_hash bytea;
