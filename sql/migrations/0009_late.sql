-- The two hours of R1 stand here alone: the triggers of 0007 and the archive ask this function.

-- A reading from before this time is late (R1).
create function raw.late_before(refreshed timestamptz) returns timestamptz language sql stable
return refreshed - interval '2 hours';

do $$
declare
  before constant text := 'refreshed_at - interval ''2 hours''';
  noting constant text := pg_get_functiondef('raw.note_changes()'::regprocedure);
begin
  if strpos(noting, before) = 0 then
    raise exception 'raw.note_changes does not have: %', before;
  end if;
  execute replace(noting, before, 'raw.late_before(refreshed_at)');
end $$;
