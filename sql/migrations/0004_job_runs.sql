-- The minute, by the clock of this server, in which each job was last claimed: several workers schedule every job, and one of them runs it.
create table raw.job_run (
  job text primary key,
  minute timestamptz not null
);
