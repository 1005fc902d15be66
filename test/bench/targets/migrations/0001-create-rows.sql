create table rows (id bigint generated always as identity primary key, body text not null);
