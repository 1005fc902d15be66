drop index entries_session;
